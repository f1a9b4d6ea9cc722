/**
 * Brings an output into another store under its handle: written piece by piece, sealed once its
 * bytes have the hash that its record names. An output that is there already is only compared.
 */
import type { ArtifactId } from '../model/artifact.ts';
import { invalidArgument, SpillwayError } from '../model/errors.ts';
import type { LedgerEvent } from '../model/events.ts';
import type { OutputRecord } from '../model/output.ts';
import type { PartTotals } from '../model/part.ts';
import type { ProjectionRecord } from '../model/projection.ts';
import type { SessionName } from '../model/session.ts';
import type { OutputStore, OutputWriter, Store, StoredBytes } from '../model/store.ts';
import { PieceCutter } from '../text/pieces.ts';

/** Copies an output, and tells whether it was new. */
export async function copyOutput(
  from: StoredBytes,
  to: OutputStore,
  record: OutputRecord,
  name: SessionName,
  projections: readonly ProjectionRecord[],
): Promise<boolean> {
  const copy = await OutputCopy.begin(to, name, record);
  try {
    for (const { index } of copy.isNew ? record.parts : [])
      for await (const piece of (await from.read(record.id, index, { bytes: 0 })).pieces)
        await copy.add(index, piece);
    await copy.end(projections);
  } catch (error) {
    // The first failure is the reason to report.
    await copy.discard().catch(() => undefined);
    throw error;
  }
  return copy.isNew;
}

/** A copy under way, for bytes that come from elsewhere. */
export class OutputCopy {
  readonly #store: Pick<Store, 'freeze'>;
  readonly record: OutputRecord;
  readonly #writer: OutputWriter | null;
  readonly #cutters: readonly PieceCutter[];
  #ended = false;

  private constructor(store: Pick<Store, 'freeze'>, record: OutputRecord, writer: OutputWriter | null) {
    this.#store = store;
    this.record = record;
    this.#writer = writer;
    this.#cutters = record.parts.map(({ kind }) => new PieceCutter(kind));
  }

  static async begin(store: OutputStore, name: SessionName, record: OutputRecord): Promise<OutputCopy> {
    const { id, tool, callId, startedAt } = record;
    const here = await store.find({ scope: name.scope, id });
    if (here !== undefined) {
      if ('purgedAt' in here)
        throw new SpillwayError(
          'conflict',
          `${id} was deleted from this store, and a deleted handle does not come back: import the session into another workspace.`,
        );
      if (hashesOf(here) !== hashesOf(record))
        throw new SpillwayError(
          'conflict',
          `${id} is another output in this store: import the session into another workspace.`,
        );
      return new OutputCopy(store, record, null);
    }
    const draft = { id, tool, startedAt, ...name, ...(callId === undefined ? {} : { callId }) };
    const writer = await store.create(draft);
    for (const { index: _, bytes, chars, lines, illFormed, hash, notes, ...spec } of record.parts)
      writer.part(spec);
    return new OutputCopy(store, record, writer);
  }

  get id(): ArtifactId {
    return this.record.id;
  }

  /** Whether the store did not have it. */
  get isNew(): boolean {
    return this.#writer !== null;
  }

  async add(part: number, bytes: Uint8Array): Promise<void> {
    const cutter = this.#cutters[part];
    if (cutter === undefined)
      throw invalidArgument(
        `There are bytes for a part that ${this.id} does not have: export the session again.`,
      );
    if (this.#writer === null) return;
    for (const piece of cutter.push(bytes)) await this.#writer.append(part, piece);
  }

  /** Projections and events are taken only with a new output: a known one was already shown here. */
  async end(projections: readonly ProjectionRecord[], events: readonly LedgerEvent[] = []): Promise<void> {
    if (projections.some(({ output }) => output !== this.id))
      throw invalidArgument(
        `The end of ${this.id} has a projection of another output: export the session again.`,
      );
    if (this.#writer === null) return;
    const parts: PartTotals[] = [];
    for (const [part, cutter] of this.#cutters.entries()) {
      for (const piece of cutter.finish()) await this.#writer.append(part, piece);
      parts.push(this.#totals(part, cutter));
    }
    const { outcome, complete, sourceTruncated, endedAt, summary } = this.record;
    const [first, ...others] = projections;
    const sent = first === undefined ? {} : { projection: first };
    await this.#writer.seal({ outcome, complete, sourceTruncated, endedAt, summary, parts, ...sent, events });
    this.#ended = true;
    for (const projection of others) await this.#store.freeze(projection);
  }

  async discard(): Promise<void> {
    if (!this.#ended) await this.#writer?.discard();
  }

  /** Counted from the bytes; the counts in the record are not used. */
  #totals(part: number, cutter: PieceCutter): PartTotals {
    const { notes, hash } = this.record.parts[part] ?? {};
    const totals = cutter.totals(notes);
    if (totals.hash === hash) return totals;
    throw new SpillwayError(
      'corrupt',
      'The bytes of an output are not those that were written: write the session anew.',
    );
  }
}

function hashesOf({ parts }: OutputRecord): string {
  return parts.map(({ hash }) => hash).join();
}
