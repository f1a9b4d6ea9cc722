/**
 * The baseline of a failing run: the latest output of the same tool with the same input that ended
 * well. Its lines are held as a set in fixed memory; a line that is not in the set is new. There is
 * no baseline if no such run is stored or if it is longer than MOST_BYTES.
 */
import type { ArtifactId } from '../model/artifact.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Store } from '../model/store.ts';
import { isRead, StoredParts } from '../retrieval/stored-parts.ts';
import { LineCutter, LineSet } from '../text/line-set.ts';

const MOST_BYTES = 8 * 1024 * 1024;
const PAGE = 20;

export interface Baseline {
  readonly id: ArtifactId;
  /**
   * Whether the baseline lacks this line, numbers apart. `line`: its bytes, with or without its
   * end.
   */
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

/** The baseline of a call. A projection does without one, so a store that fails has none. */
export async function findBaseline(store: Store, query: BaselineQuery): Promise<Baseline | null> {
  try {
    const record = await latestOf(store, query);
    return record === null ? null : await readBaseline(store, record);
  } catch {
    // Purged meanwhile, damaged, or the store is gone: there is nothing to compare with.
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
    const { pieces } = await parts.storeFor(stored).read(record.id, stored.part.index, { bytes: 0 });
    for await (const piece of pieces) cutter.push(piece);
    cutter.finish();
  }
  return { id: record.id, isNew: (line) => !lines.has(line) };
}

async function latestOf(
  store: Store,
  { scope, tool, input, before }: BaselineQuery,
): Promise<OutputRecord | null> {
  const call = { tool, input, status: 'ok' } as const;
  let after: string | undefined;
  do {
    const page = await store.list({
      scope,
      show: 'all',
      call,
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    const found = page.items.find(
      ({ complete, endedAt }) => complete && (before === undefined || endedAt <= before),
    );
    if (found !== undefined) return found;
    after = page.next;
  } while (after !== undefined);
  return null;
}
