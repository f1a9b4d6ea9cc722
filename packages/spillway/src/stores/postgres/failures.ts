/**
 * What server and driver report, as our one error class. The kind is read from SQLSTATE and system
 * codes, never from messages, which may quote rows; the original is kept as `cause`.
 */
import { idTaken, SpillwayError } from '@spillway/core/store';

const UNIQUE_VIOLATION = '23505';
const NO_ROOM = new Set(['53100', '53200', 'ENOSPC', 'EDQUOT']);
const DAMAGED = new Set(['XX001', 'XX002']);

export function asSpillwayError(error: unknown): SpillwayError {
  if (error instanceof SpillwayError) return error;
  const code = codeOf(error);
  const cause = { cause: error };
  // The only thing given from outside that must be unique is the id of an output.
  if (code === UNIQUE_VIOLATION) return idTaken(cause);
  if (NO_ROOM.has(code))
    return new SpillwayError(
      'store_full',
      'The PostgreSQL server has no room left: free some space on its disk.',
      cause,
    );
  if (DAMAGED.has(code))
    return new SpillwayError(
      'corrupt',
      'The PostgreSQL server reports damaged data: restore it from a copy.',
      cause,
    );
  return new SpillwayError(
    'store_unavailable',
    `The PostgreSQL store cannot be reached, read or written (${code}): mend that, or name another server.`,
    cause,
  );
}

function codeOf(error: unknown): string {
  const known = typeof error === 'object' && error !== null && 'code' in error;
  return known && typeof error.code === 'string' ? error.code : 'unknown reason';
}
