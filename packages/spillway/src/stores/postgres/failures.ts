/**
 * What server and driver report, as our one error class. The kind is read from SQLSTATE and system
 * codes, never from messages, which may quote rows; the original is kept as `cause`.
 */
import type { ErrorCode } from '@spillway/core';
import { idTaken, notWhole, SpillwayError } from '@spillway/core/store';

const NO_PASSWORD = 'no password was given';
const UNIQUE_VIOLATION = '23505';
/** What the function `seal` says when content that was written is gone. */
const NOT_WHOLE = 'SPW01';
const UNDONE = new Set(['40P01', '40001']);
/**
 * The connection is lost, and the outcome of the last statement unknown. Or no connection can be made,
 * or only one to a standby, as during a restart or failover.
 */
const BROKEN =
  /^(08...|57P0[123]|25006|ECONNRESET|ECONNREFUSED|EPIPE|ENOTCONN|ECONNABORTED|ENOENT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;
const STALLED = new Set(['ETIMEDOUT', '55P03', '57014']);

const MESSAGES: readonly (readonly [codes: readonly string[], kind: ErrorCode, message: string])[] = [
  [
    ['42501'],
    'store_unavailable',
    'The role may not do this on the PostgreSQL server. Whoever may makes the tables (`spillway store migrate`) and grants it USAGE on the schema, all rights on the rows of its tables, and its sequences.',
  ],
  [
    ['53100', '53200', 'ENOSPC', 'EDQUOT'],
    'store_full',
    'The PostgreSQL server has no room left: free some space on its disk.',
  ],
  [['XX001', 'XX002'], 'corrupt', 'The PostgreSQL server reports damaged data: restore it from a copy.'],
];

export function asSpillwayError(error: unknown): SpillwayError {
  if (error instanceof SpillwayError) return error;
  const code = codeOf(error);
  const cause = { cause: error };
  // Output ids are the only unique values that come from outside.
  if (code === UNIQUE_VIOLATION) return idTaken(cause);
  if (code === NOT_WHOLE) return notWhole();
  const [, kind, message] = MESSAGES.find(([codes]) => codes.includes(code)) ?? [
    code,
    'store_unavailable' as const,
    `The PostgreSQL store cannot be reached, read or written (${inWords(code)}): mend that, or name another server.`,
  ];
  return new SpillwayError(kind, message, cause);
}

const WORDS: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong',
  '28000': 'the role may not log in',
  '3D000': 'there is no such database',
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  ETIMEDOUT: 'it does not answer',
  '55P03': 'somebody holds a lock on the tables, see pg_locks',
  '57014': 'it took too long',
  SPW02: 'a writer has not finished, try again',
  [NO_PASSWORD]: 'set PGPASSWORD or spillway.password_file',
};

function inWords(code: string): string {
  const words = WORDS[code];
  return words === undefined ? code : `${code}: ${words}`;
}

export function isUndone(error: unknown): boolean {
  return UNDONE.has(codeOf(error));
}

export function isStalled(error: unknown): boolean {
  return STALLED.has(codeOf(error));
}

export function isBroken(error: unknown): boolean {
  if (error instanceof SpillwayError) return false;
  return (
    BROKEN.test(codeOf(error)) || (error instanceof Error && /^Connection terminated/.test(error.message))
  );
}

function codeOf(error: unknown): string {
  const known = typeof error === 'object' && error !== null && 'code' in error;
  if (known && typeof error.code === 'string') return error.code;
  // Reported by the driver before anything was sent.
  return error instanceof Error && error.message.startsWith('SASL:') ? NO_PASSWORD : 'unknown reason';
}
