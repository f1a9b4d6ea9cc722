/**
 * Whether a store refused because it cannot be written now; every other error is about what was
 * asked.
 */
import { SpillwayError } from '../../model/errors.ts';

export function cannotBeWritten(error: unknown): boolean {
  if (!(error instanceof SpillwayError)) return true;
  return error.code === 'store_full' || error.code === 'store_unavailable';
}

/** In a few words, for a notice. */
export function whyNot(error: unknown): string {
  const full = error instanceof SpillwayError && error.code === 'store_full';
  return full ? 'no room left in the store' : 'the store is not available';
}
