/**
 * The run to compare a failing one with: the latest output of the same tool with the same input that ended well. Its lines are held as a set in fixed memory; what a later run says beyond
 * them is new. None where there is no such run, or where it is too long to be read: then nothing can be called new.
 */
import type { ArtifactId } from './model/artifact.ts';
import { readableParts } from './model/fetch.ts';
import type { OutputRecord } from './model/output.ts';
import type { Store } from './model/store.ts';
import { LineCutter, LineSet } from './text/line-set.ts';

const MOST_BYTES = 8 * 1024 * 1024;
const PAGE = 20;

export interface GoodRun {
  readonly id: ArtifactId;
  /** Whether the good run did not say this line, numbers apart. `line`: its bytes, with or without its end. */
  isNew(line: Uint8Array): boolean;
}

/** A call, by what it was given; `before`: only runs that had ended by then, in milliseconds. */
export interface GoodRunQuery {
  readonly scope: string;
  readonly tool: string;
  /** The hash of the input part. */
  readonly input: string;
  readonly before?: number;
}

/** The latest good run of a call. Nothing depends on it: a store that cannot tell has none. */
export async function findGoodRun(store: Store, query: GoodRunQuery): Promise<GoodRun | null> {
  try {
    const record = await latestOf(store, query);
    return record === null ? null : await readGoodRun(store, record);
  } catch {
    // Purged meanwhile, damaged, or the store is gone: there is nothing to compare with.
    return null;
  }
}

/** A run that was compared with before, so that the same comes out again. */
export async function readGoodRun(store: Store, record: OutputRecord): Promise<GoodRun | null> {
  const parts = readableParts(record.parts);
  if (parts.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_BYTES) return null;
  const lines = new LineSet();
  const cutter = new LineCutter((line) => lines.add(line));
  for (const { index } of parts) {
    for await (const piece of (await store.read(record.id, index, { bytes: 0 })).pieces) cutter.push(piece);
    cutter.finish();
  }
  return { id: record.id, isNew: (line) => !lines.has(line) };
}

async function latestOf(
  store: Store,
  { scope, tool, input, before }: GoodRunQuery,
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
