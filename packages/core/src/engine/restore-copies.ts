/**
 * Makes notices true that name a plain copy which a killed process did not come to write: writes
 * the copy from the store, or, where that fails, projects the output again without naming it.
 */
import type { PlainCopyFolder } from '../model/plain-copies.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import { readRaw } from '../retrieval/raw.ts';
import { withSignal } from '../stores/with-signal.ts';
import type { StoredProjections } from './stored-projections.ts';

export interface RestoreCopiesOptions extends WaitOptions {
  readonly store: Store;
  readonly copies: PlainCopyFolder;
  readonly projections: StoredProjections;
}

export async function restoreCopies({
  copies,
  projections,
  ...options
}: RestoreCopiesOptions): Promise<void> {
  const store = withSignal(options.store, options.signal);
  for (const name of (await copies.unwritten?.()) ?? []) {
    const found = await store.find(name);
    if (found !== undefined && !('purgedAt' in found)) {
      const bytes = readRaw(store, found, { part: null, want: { kind: 'all' } });
      const isWritten = await copies.write(found, bytes);
      options.signal?.throwIfAborted();
      if (!isWritten && found.retiredAt === undefined) await projections.again(name, {});
    }
    await copies.settle?.(name);
  }
}
