/**
 * One output of an exported session on its way into a store: written piece by piece, sealed once
 * its bytes have the hash that they were exported with. An output that is here already is only
 * compared.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { PartRecord, PartTotals } from '../../model/part.ts';
import type { ProjectionRecord } from '../../model/projection.ts';
import type { SessionName } from '../../model/session.ts';
import type { OutputWriter, Store } from '../../model/store.ts';
import { PieceCutter } from '../../text/pieces.ts';

export class OutputImport {
  readonly #store: Store;
  readonly #record: OutputRecord;
  readonly #writer: OutputWriter | null;
  readonly #cutters = new Map<number, PieceCutter>();
  #ended = false;

  private constructor(store: Store, record: OutputRecord, writer: OutputWriter | null) {
    this.#store = store;
    this.#record = record;
    this.#writer = writer;
  }

  static async begin(store: Store, name: SessionName, record: OutputRecord): Promise<OutputImport> {
    const { id, tool, callId, startedAt } = record;
    const here = await store.find({ scope: name.scope, id });
    if (here !== undefined) {
      if ('purgedAt' in here)
        throw new SpillwayError(
          'conflict',
          `${id} was deleted from this store, and a deleted handle does not come back: import the session into another workspace.`,
        );
      if (!sameContent(here, record))
        throw new SpillwayError(
          'conflict',
          `${id} is another output in this store: import the session into another workspace.`,
        );
      return new OutputImport(store, record, null);
    }
    const draft = { id, tool, startedAt, ...name, ...(callId === undefined ? {} : { callId }) };
    const writer = await store.create(draft);
    for (const { index: _, bytes, chars, lines, illFormed, hash, notes, ...spec } of record.parts)
      writer.part(spec);
    return new OutputImport(store, record, writer);
  }

  get id(): ArtifactId {
    return this.#record.id;
  }

  /** Whether the store did not have it. */
  get isNew(): boolean {
    return this.#writer !== null;
  }

  async add(part: number, bytes: Uint8Array): Promise<void> {
    if (part >= this.#record.parts.length)
      throw new SpillwayError(
        'invalid_argument',
        `There are bytes for a part that ${this.id} does not have: export the session again.`,
      );
    if (this.#writer === null) return;
    for (const piece of this.#cutter(part).push(bytes)) await this.#writer.append(part, piece);
  }

  /** Projections are taken only with a new output: a known one was already shown here. */
  async end(projections: readonly ProjectionRecord[]): Promise<void> {
    if (projections.some(({ output }) => output !== this.id))
      throw new SpillwayError(
        'invalid_argument',
        `The end of ${this.id} has a projection of another output: export the session again.`,
      );
    if (this.#writer === null) return;
    await this.#seal(this.#writer);
    for (const projection of projections) await this.#store.freeze(projection);
  }

  async discard(): Promise<void> {
    if (this.#writer !== null && !this.#ended) await this.#writer.discard();
  }

  async #seal(writer: OutputWriter): Promise<void> {
    const parts: PartTotals[] = [];
    for (const part of this.#record.parts) {
      const cutter = this.#cutter(part.index);
      for (const piece of cutter.finish()) await writer.append(part.index, piece);
      parts.push(whole(cutter, part));
    }
    const { outcome, complete, sourceTruncated, endedAt, summary } = this.#record;
    await writer.seal({ outcome, complete, sourceTruncated, endedAt, summary, parts });
    this.#ended = true;
  }

  #cutter(part: number): PieceCutter {
    const cutter = this.#cutters.get(part) ?? new PieceCutter(this.#record.parts[part]?.kind ?? 'binary');
    this.#cutters.set(part, cutter);
    return cutter;
  }
}

/** What arrived must be what was written. */
function whole(cutter: PieceCutter, part: PartRecord): PartTotals {
  const totals = cutter.totals(part.notes);
  // Counts are made of the bytes, whatever the record says of them.
  if (totals.hash === part.hash) return totals;
  throw new SpillwayError(
    'corrupt',
    'The bytes of an output are not those that were written: write the session anew.',
  );
}

function sameContent(a: OutputRecord, b: OutputRecord): boolean {
  const hashes = ({ parts }: OutputRecord) => parts.map(({ hash }) => hash).join();
  return hashes(a) === hashes(b);
}
