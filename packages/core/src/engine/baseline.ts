/**
 * The baseline of a failing run: the last successful output of the same tool with the same input.
 * The shapes of its lines are a set in fixed memory; a line whose shape is not in it is new. No
 * baseline if there is no such run, or it is longer than MOST_BYTES.
 */
import type { ArtifactId } from '../model/artifact.ts';
import { everyItem } from '../model/every-item.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Store } from '../model/store.ts';
import { isRead, StoredParts } from '../retrieval/stored-parts.ts';
import { Cleaner } from '../text/cleaner.ts';
import { storedPieces } from '../text/pieces.ts';
import { RowStream } from '../vocabulary/found-lines.ts';
import { standardVocabulary } from '../vocabulary/vocabulary.ts';

const MOST_BYTES = 8 * 1024 * 1024;
const PAGE = 20;

export interface Baseline {
  readonly id: ArtifactId;
  /** Of a line by its shape: numbers, colours and time stamps do not count. */
  isNew(shape: number): boolean;
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

/** Null if it is too long to be read. */
async function readBaseline(store: Store, record: OutputRecord): Promise<Baseline | null> {
  if (record.parts.reduce((sum, { role, bytes }) => sum + (role === 'content' ? bytes : 0), 0) > MOST_BYTES)
    return null;
  const parts = new StoredParts(store, record);
  const known = new ShapeSet();
  for await (const stored of parts.content(isRead)) {
    const rows = new RowStream(standardVocabulary(), (row, { table }) => known.add(table.shapeHash(row)));
    const cleaner = new Cleaner((clean) => rows.take(clean));
    const { at, pieces } = await parts.open(stored).read({ bytes: 0 });
    for await (const piece of storedPieces(at, pieces)) cleaner.push(piece);
    cleaner.finish();
    rows.finish();
  }
  return { id: record.id, isNew: (shape) => !known.has(shape) };
}

async function latestOf(
  store: Store,
  { scope, tool, input, before }: BaselineQuery,
): Promise<OutputRecord | null> {
  const call = { tool, input, status: 'ok' } as const;
  const runs = everyItem((from) => store.list({ scope, show: 'all', call, ...from, limit: PAGE }));
  for await (const run of runs)
    if (run.complete && (before === undefined || run.endedAt <= before)) return run;
  return null;
}

const BITS = 2 ** 21;

/**
 * A Bloom filter of shapes. Known ones are always found; of 100,000 lines 1 % of the unknown ones
 * are taken for known.
 */
class ShapeSet {
  readonly #bits = new Uint8Array(BITS / 8);

  add(shape: number): void {
    for (const bit of bitsOf(shape))
      this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] as number) | (1 << (bit & 7));
  }

  has(shape: number): boolean {
    return bitsOf(shape).every((bit) => ((this.#bits[bit >>> 3] as number) & (1 << (bit & 7))) !== 0);
  }
}

function bitsOf(shape: number): readonly number[] {
  return [Math.imul(shape, 0x9e3779b1) >>> 11, Math.imul(shape ^ (shape >>> 15), 0x85ebca6b) >>> 11];
}
