/**
 * What the engine and the file system report, as our one error class. The kind is read from codes,
 * never from messages; the original is kept as `cause`. A message may name the store's file, never
 * what is in it.
 */
import { type ErrorCode, SpillwayError } from '../../model/errors.ts';
import { idTaken } from '../refusals.ts';

/** SQLite's primary result codes: numbers from node:sqlite, names from better-sqlite3. */
const KINDS: Readonly<Record<number, string>> = {
  5: 'BUSY',
  6: 'LOCKED',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  19: 'CONSTRAINT',
  26: 'NOTADB',
};

const FULL = ['FULL', 'ENOSPC', 'EDQUOT'];
const BUSY = ['BUSY', 'LOCKED'];

/** What each kind comes to; FILE stands for the file of the store. */
const MESSAGES: readonly (readonly [kinds: readonly string[], code: ErrorCode, message: string])[] = [
  [FULL, 'store_full', 'There is no room left for the store FILE: free some space on its disk.'],
  [
    ['CORRUPT'],
    'corrupt',
    'The store FILE is damaged: restore it from a copy, or move it away to begin a new one.',
  ],
  [['NOTADB'], 'store_unavailable', 'FILE is not a store: move it away, or name another file.'],
  [BUSY, 'store_unavailable', 'Another process keeps the store FILE locked: try again, or end that process.'],
  [
    ['IOERR'],
    'store_unavailable',
    'The store FILE cannot be read or written. Either its disk fails, or FILE-wal was removed while a process uses the store: then try again after that process has stored something, or has ended.',
  ],
  [
    ['READONLY'],
    'store_unavailable',
    'The store FILE cannot be written: allow writing to it and its folder, or name another file.',
  ],
];

export function asSpillwayError(error: unknown, file: string): SpillwayError {
  if (error instanceof SpillwayError) return error;
  const cause = { cause: error };
  const kind = codeOf(error);
  // Output ids are the only unique values that come from outside.
  if (kind === 'CONSTRAINT') return idTaken(cause);
  const [, code, message] = MESSAGES.find(([kinds]) => kinds.includes(kind)) ?? [
    kind,
    'store_unavailable' as const,
    `The store FILE cannot be opened, read or written (${kind || 'unknown reason'}): mend that, or name another file.`,
  ];
  return new SpillwayError(
    code,
    message.replaceAll('FILE', () => file),
    cause,
  );
}

/** There is no room on the disk, or none for the index of the WAL (SQLITE_IOERR_SHMSIZE). */
export function isFull(error: unknown): boolean {
  if (error instanceof SpillwayError) return error.code === 'store_full';
  return FULL.includes(codeOf(error)) || (error as { errcode?: unknown } | null)?.errcode === SHMSIZE;
}

const SHMSIZE = 4_874;

export function isBusy(error: unknown): boolean {
  return BUSY.includes(codeOf(error));
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('errcode' in error && typeof error.errcode === 'number') return KINDS[error.errcode & 0xff] ?? '';
  if (!('code' in error) || typeof error.code !== 'string') return '';
  return /^SQLITE_([A-Z]+)/.exec(error.code)?.[1] ?? error.code;
}
