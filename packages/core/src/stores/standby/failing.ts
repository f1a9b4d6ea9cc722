/**
 * Whether a store refused because it cannot be written now; every other error is about what was
 * asked, or is the reason of a signal that ended the wait.
 */
import { SpillwayError } from '../../model/errors.ts';
import type { WaitOptions } from '../../model/store.ts';
import { isAbort } from '../waiting.ts';

export function cannotBeWritten(error: unknown, wait?: WaitOptions): boolean {
  if (isAbort(error, wait?.signal)) return false;
  if (!(error instanceof SpillwayError)) return true;
  return error.code === 'store_full' || error.code === 'store_unavailable';
}

/** In a few words, for a notice. */
export function whyNot(error: unknown): string {
  const full = error instanceof SpillwayError && error.code === 'store_full';
  return full ? 'no room left in the store' : 'the store is not available';
}
