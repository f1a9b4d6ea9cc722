/**
 * Takes a session in that was written as JSON Lines: same handles, same ids, same bytes, checked against their hashes. Taking the same lines again
 * changes nothing. A handle that stands for something else here is an error: nothing of ours is replaced. Holds one piece at a time.
 */
import { SpillwayError } from '../../model/errors.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { PartRecord, PartTotals } from '../../model/part.ts';
import type { ProjectionRecord } from '../../model/projection.ts';
import type { OutputWriter, Store } from '../../model/store.ts';
import { PieceCutter } from '../../text/pieces.ts';
import { latestSummary, type SessionName } from '../reading.ts';
import { isRecord } from '../shapes/json.ts';
import type { HistoryLine } from './export.ts';

/** What was taken in, and what was there before. */
export interface TakenIn {
  readonly outputs: number;
  readonly messages: number;
  readonly summaries: number;
}

/** Reads lines in the order in which they were written; blank ones are passed over. */
export async function importLines(
  store: Store,
  name: SessionName,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<TakenIn> {
  const taken = { outputs: 0, messages: 0, summaries: 0 };
  let number = 0;
  let open: TakingIn | null = null;
  try {
    for await (const text of lines) {
      number++;
      if (text.trim() === '') continue;
      const line = parseLine(text, number);
      if (line.type === 'output') {
        open = await TakingIn.begin(store, name, line.record);
        taken.outputs++;
      } else if (line.type === 'bytes') await mustBeOpen(open, number).push(line.part, line.base64);
      else if (line.type === 'end') {
        await mustBeOpen(open, number).end(line.projections);
        open = null;
      } else if (line.type === 'message') {
        const { scope: _, session: __, place: ___, ...draft } = line.record;
        await store.addMessages({ ...name, messages: [draft] });
        taken.messages++;
      } else if (line.type === 'summary') taken.summaries += await takeSummary(store, name, line.record);
    }
  } finally {
    await open?.discard();
  }
  return taken;
}

/** An output that is being taken in; one that is here already is only compared. */
class TakingIn {
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

  static async begin(store: Store, name: SessionName, record: OutputRecord): Promise<TakingIn> {
    const { id, tool, callId, startedAt } = record;
    const here = await store.find({ scope: name.scope, id });
    if (here !== undefined) {
      if ('purgedAt' in here || !sameContent(here, record)) throw otherOutput(id);
      return new TakingIn(store, record, null);
    }
    const draft = { id, tool, startedAt, ...name, ...(callId === undefined ? {} : { callId }) };
    const writer = await store.create(draft);
    for (const { index: _, bytes, chars, lines, illFormed, hash, notes, ...spec } of record.parts)
      writer.part(spec);
    return new TakingIn(store, record, writer);
  }

  async push(part: number, base64: string): Promise<void> {
    if (this.#writer === null) return;
    const cutter = this.#cutter(part);
    for (const piece of cutter.push(Buffer.from(base64, 'base64'))) await this.#writer.append(part, piece);
  }

  async end(projections: readonly ProjectionRecord[]): Promise<void> {
    if (this.#writer !== null) await this.#seal(this.#writer);
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
  const { bytes, chars, lines, illFormed, hash, notes } = part;
  if (cutter.totals(notes).hash === hash) return { bytes, chars, lines, illFormed, hash, notes };
  throw new SpillwayError(
    'corrupt',
    'The bytes of an output are not those that were written: write the session anew.',
  );
}

/** Versions count from where they are: a summary that is here already, or that other messages stand behind, is passed over. */
async function takeSummary(
  store: Store,
  name: SessionName,
  record: Extract<HistoryLine, { type: 'summary' }>['record'],
): Promise<number> {
  const { version, scope: _, session: __, ...draft } = record;
  const latest = (await latestSummary(store, name))?.version ?? 0;
  if (latest !== version - 1) return 0;
  await store.addSummary({ ...draft, ...name, parent: latest });
  return 1;
}

function sameContent(a: OutputRecord, b: OutputRecord): boolean {
  const hashes = ({ parts }: OutputRecord) => parts.map(({ hash }) => hash).join();
  return hashes(a) === hashes(b);
}

function parseLine(text: string, number: number): HistoryLine {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value) && typeof value.type === 'string') return checked(value as HistoryLine);
  } catch (error) {
    if (error instanceof SpillwayError) throw error;
    // The parser's own message would quote the text.
  }
  throw new SpillwayError('invalid_argument', `Line ${number} is not a line of a session: was the file cut?`);
}

function checked(line: HistoryLine): HistoryLine {
  if (line.type === 'session' && line.format !== 1)
    throw new SpillwayError(
      'invalid_argument',
      'The session was written by a later version: update Spillway.',
    );
  return line;
}

function mustBeOpen(open: TakingIn | null, number: number): TakingIn {
  if (open !== null) return open;
  throw new SpillwayError('invalid_argument', `Line ${number} belongs to an output that did not begin.`);
}

function otherOutput(id: string): SpillwayError {
  return new SpillwayError(
    'conflict',
    `${id} stands for something else in this store: take the session into another.`,
  );
}
