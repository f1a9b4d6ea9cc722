/**
 * What is damaged in a store is told in its place: one output that cannot be read must not end a
 * session.
 */
import { SpillwayError } from '../model/errors.ts';
import type { OutputRecord } from '../model/output.ts';
import type { OutputKey, Store } from '../model/store.ts';

/** What was read, or null if it is damaged. Every other failure is thrown. */
export async function unlessDamaged<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SpillwayError && error.code === 'corrupt') return null;
    throw error;
  }
}

/** An output, or null where there is none, or it was deleted or is damaged. */
export async function findKept(store: Pick<Store, 'find'>, key: OutputKey): Promise<OutputRecord | null> {
  const found = await unlessDamaged(() => store.find(key));
  return found === null || found === undefined || 'purgedAt' in found ? null : found;
}
