/**
 * What the engine and the file system report, as our one error class. The kind is read from codes,
 * never from messages; the original is kept as `cause`. A message may name the store's file, never
 * what is in it.
 */
import { SpillwayError } from '../../model/errors.ts';
import { idTaken } from '../refusals.ts';

/**
 * Primary result codes of SQLite, by the number node:sqlite gives and the name better-sqlite3
 * gives.
 */
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

export function asSpillwayError(error: unknown, file: string): SpillwayError {
  if (error instanceof SpillwayError) return error;
  const cause = { cause: error };
  switch (kindOf(error)) {
    case 'FULL':
    case 'ENOSPC':
    case 'EDQUOT':
      return new SpillwayError(
        'store_full',
        `There is no room left for the store ${file}: free some space on its disk.`,
        cause,
      );
    case 'CORRUPT':
      return new SpillwayError(
        'corrupt',
        `The store ${file} is damaged: restore it from a copy, or move it away to begin a new one.`,
        cause,
      );
    case 'CONSTRAINT':
      // The only thing given from outside that must be unique is the id of an output.
      return idTaken({ cause: error });
    case 'NOTADB':
      return new SpillwayError(
        'store_unavailable',
        `${file} is not a store: move it away, or name another file.`,
        cause,
      );
    case 'BUSY':
    case 'LOCKED':
      return new SpillwayError(
        'store_unavailable',
        `Another process keeps the store ${file} locked: try again, or end that process.`,
        cause,
      );
    case 'IOERR':
      return new SpillwayError(
        'store_unavailable',
        `The store ${file} cannot be read or written. Either its disk fails, or ${file}-wal was removed while a process uses the store: then try again after that process has stored something, or has ended.`,
        cause,
      );
    case 'READONLY':
      return new SpillwayError(
        'store_unavailable',
        `The store ${file} cannot be written: allow writing to it and its folder, or name another file.`,
        cause,
      );
    default:
      return new SpillwayError(
        'store_unavailable',
        `The store ${file} cannot be opened, read or written (${kindOf(error) ?? 'unknown reason'}): mend that, or name another file.`,
        cause,
      );
  }
}

/** There is no room on the disk. */
export function isFull(error: unknown): boolean {
  if (error instanceof SpillwayError) return error.code === 'store_full';
  const kind = kindOf(error);
  return kind === 'FULL' || kind === 'ENOSPC' || kind === 'EDQUOT' || isShortOfRoom(error);
}

/** Another connection holds the lock: waiting helps. */
export function isBusy(error: unknown): boolean {
  const kind = kindOf(error);
  return kind === 'BUSY' || kind === 'LOCKED';
}

/** SQLITE_IOERR_SHMSIZE: the index of the WAL could not be made larger. */
const SHMSIZE = 4_874;

function isShortOfRoom(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === SHMSIZE;
}

function kindOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return KINDS[error.errcode & 0xff];
  if (!('code' in error) || typeof error.code !== 'string') return undefined;
  const [, sqlite] = /^SQLITE_([A-Z]+)/.exec(error.code) ?? [];
  return sqlite ?? error.code;
}
