/**
 * The baseline of a failing run: the last successful output of the same tool with the same input.
 * Its lines are a set in fixed memory; a line that is not in it is new. No baseline if there is no
 * such run, or it is longer than MOST_BYTES.
 */
import type { ArtifactId } from '../model/artifact.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Store } from '../model/store.ts';
import { isRead, StoredParts } from '../retrieval/stored-parts.ts';
import { everyItem } from './setup.ts';

const MOST_BYTES = 8 * 1024 * 1024;
const PAGE = 20;

export interface Baseline {
  readonly id: ArtifactId;
  /** `line`: its bytes, with or without line end. Numbers are ignored. */
  isNew(line: Uint8Array): boolean;
}

/**
 * The call whose baseline is looked for. `before`: only runs that had ended by then, in
 * milliseconds.
 */
export interface BaselineQuery {
  readonly scope: string;
  readonly tool: string;
  /** The hash of the input part. */
  readonly input: string;
  readonly before?: number;
}

/** Null if the store fails: a projection works without a baseline. */
export async function findBaseline(store: Store, query: BaselineQuery): Promise<Baseline | null> {
  try {
    const record = await latestOf(store, query);
    return record === null ? null : await readBaseline(store, record);
  } catch {
    // Purged, damaged, or the store is gone.
    return null;
  }
}

/** The baseline that an earlier projection was compared with, from its record. */
export async function readBaseline(store: Store, record: OutputRecord): Promise<Baseline | null> {
  if (record.parts.reduce((sum, { role, bytes }) => sum + (role === 'content' ? bytes : 0), 0) > MOST_BYTES)
    return null;
  const parts = new StoredParts(store, record);
  const lines = new LineSet();
  const cutter = new LineCutter((line) => lines.add(line));
  for await (const stored of parts.content(isRead)) {
    for await (const piece of parts.open(stored).from(0)) cutter.push(piece);
    cutter.finish();
  }
  return { id: record.id, isNew: (line) => !lines.has(line) };
}

async function latestOf(
  store: Store,
  { scope, tool, input, before }: BaselineQuery,
): Promise<OutputRecord | null> {
  const call = { tool, input, status: 'ok' } as const;
  const runs = everyItem((from) => store.list({ scope, show: 'all', call, limit: PAGE, ...from }));
  for await (const run of runs)
    if (run.complete && (before === undefined || run.endedAt <= before)) return run;
  return null;
}

const BITS = 2 ** 20;
const HASHES = 7;
const ESC = 0x1b;
const LF = 10;
const CR = 13;

/**
 * A Bloom filter of lines. Known lines are always found; unknown ones are taken for known in 1 % of
 * cases, up to 100,000 lines. Numbers, terminal sequences and trailing blanks are ignored.
 */
export class LineSet {
  readonly #bits = new Uint8Array(BITS / 8);

  add(line: Uint8Array): void {
    const [first, second] = hashes(line);
    for (let i = 0; i < HASHES; i++) {
      const bit = slot(first, second, i);
      this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }

  has(line: Uint8Array): boolean {
    const [first, second] = hashes(line);
    for (let i = 0; i < HASHES; i++) {
      const bit = slot(first, second, i);
      if (((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

/** `finish` adds the last line, which has no end. */
export class LineCutter {
  readonly #sink: (line: Uint8Array) => void;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(sink: (line: Uint8Array) => void) {
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] !== LF && bytes[at] !== CR) continue;
      if (at > from) this.#sink(bytes.subarray(from, at));
      from = at + 1;
    }
    this.#rest = bytes.slice(from);
  }

  finish(): void {
    if (this.#rest.length > 0) this.#sink(this.#rest);
    this.#rest = new Uint8Array(0);
  }
}

function slot(first: number, second: number, i: number): number {
  return (first + Math.imul(i, second)) >>> 12;
}

function hashes(line: Uint8Array): readonly [number, number] {
  let first = 0x811c9dc5;
  let second = 0x01000193;
  let inNumber = false;
  for (let at = 0, end = endOf(line); at < end; at++) {
    const byte = line[at] ?? 0;
    if (byte === ESC) {
      at = afterEscape(line, at) - 1;
      continue;
    }
    const digit = byte >= 0x30 && byte <= 0x39;
    if (digit && inNumber) continue;
    inNumber = digit;
    const counts = digit ? 0x30 : byte;
    first = Math.imul(first ^ counts, 0x01000193);
    second = Math.imul(second ^ counts, 0x85ebca6b) + 1;
  }
  return [mixed(first), mixed(second) | 1];
}

/** Mixes the bits, so that lines that differ at their end differ everywhere. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function endOf(line: Uint8Array): number {
  let end = line.length;
  while (end > 0 && (line[end - 1] ?? 0) <= 0x20) end--;
  return end;
}

/** Skips `ESC [ … letter`; of other sequences only the escape. */
function afterEscape(line: Uint8Array, at: number): number {
  if (line[at + 1] !== 0x5b) return at + 1;
  let after = at + 2;
  while (after < line.length && ((line[after] ?? 0) < 0x40 || (line[after] ?? 0) > 0x7e)) after++;
  return Math.min(line.length, after + 1);
}
