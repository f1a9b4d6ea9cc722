/** Opens the workspace for commands that look at what is stored. Looking never makes a store where there is none. */
import { existsSync } from 'node:fs';
import {
  type FetchHint,
  memoryStore,
  type OutputQuery,
  type OutputRecord,
  parseArtifactId,
  SpillwayError,
  type Store,
} from '@spillway/core';
import { type Opened, open } from '../../open.ts';
import { storeFile } from '../../store-place.ts';
import { everyItem } from '../pages.ts';

export async function withStore(work: (opened: Opened, store: Store) => Promise<number>): Promise<number> {
  const hint: FetchHint = { kind: 'command', program: 'spillway' };
  const found = await open({ hint });
  const opened = existsSync(storeFile(found.workspace)) ? found : await open({ hint, store: memoryStore() });
  try {
    if (opened.store === null) throw new SpillwayError('store_unavailable', 'There is no store here.');
    return await work(opened, opened.store);
  } finally {
    await opened.spillway.close();
  }
}

/** The records of a query, page by page. */
export function recordsOf(store: Store, query: OutputQuery): AsyncGenerator<OutputRecord> {
  return everyItem((page) => store.list({ ...query, ...page }));
}

/** The record under a handle, or an error that says what has become of it. */
export async function foundRecord(store: Store, scope: string, typed: string): Promise<OutputRecord> {
  const id = parseArtifactId(typed);
  const found = await store.find({ scope, id });
  if (found === undefined) throw new SpillwayError('not_found', `There is no artifact ${id} here.`);
  if ('purgedAt' in found) throw new SpillwayError('gone', `Artifact ${id} is no longer kept.`);
  return found;
}
