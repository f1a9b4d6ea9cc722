/**
 * Which stores this user made. A new database gets a mark: 64 random bits in its header, where
 * SQLite keeps `user_version` and `application_id`. A folder of the user (the registry) holds one
 * file for each mark. A database that a repository, an archive or another account brought has a
 * mark that is not there, or none: it is foreign. The mark is read without opening the file as a
 * database, because opening one runs what is in it.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SpillwayError } from '../../model/errors.ts';
import { randomBytes } from '../randomness.ts';
import type { Connection } from './driver.ts';
import { flushPath, makeFolder, systemCode } from './folders.ts';

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;
const MARK = /^[0-9a-f]{16}$/;
const NO_MARK = '0'.repeat(16);

/**
 * What can be known of a file before it is opened. `absent`: there is no file, or it has no bytes;
 * `own`: this user made it; `foreign`: anything else, whatever it is.
 */
export type StoreOrigin = 'absent' | 'own' | 'foreign';

/** Tells whose store a file is. `registry` are the folders that hold the marks of this user. */
export function originOf(file: string, registry: readonly string[]): StoreOrigin {
  const header = headerOf(file);
  if (typeof header === 'string') return header;
  const self = process.geteuid?.();
  if (self !== undefined && header.uid !== self) return 'foreign';
  return isRegistered(header.mark, registry) ? 'own' : 'foreign';
}

export function markOf(file: string): string | null {
  const header = headerOf(file);
  return typeof header === 'string' || header.mark === NO_MARK ? null : header.mark;
}

export function mustBeOwn(db: Connection, file: string, registry: readonly string[]): string {
  const mark = markIn(db);
  if (isRegistered(mark, registry)) return mark;
  throw foreignStore(file);
}

/**
 * Marks a database that this process creates. Without a place for the mark, it gets none and the
 * next process refuses it.
 */
export function markNew(db: Connection, registry: readonly string[]): void {
  const mark = newMark(registry);
  if (mark !== null) writeMark(db, mark);
}

export function adopt(db: Connection, registry: readonly string[]): void {
  const mark = newMark(registry);
  if (mark === null)
    throw new SpillwayError(
      'store_unavailable',
      'It cannot be remembered that this store is trusted: set XDG_DATA_HOME to a folder of yours that can be written.',
    );
  writeMark(db, mark);
}

/** Registered durably before it is written: a process killed in between leaves an unused mark. */
function newMark(registry: readonly string[]): string | null {
  const mark = Buffer.from(randomBytes(8)).toString('hex');
  return registry.some((folder) => register(folder, mark)) ? mark : null;
}

function register(folder: string, mark: string): boolean {
  try {
    makeFolder(folder);
    writeFileSync(join(folder, mark), '', { flag: 'wx', mode: 0o600 });
    flushPath(folder);
    return true;
  } catch {
    return false;
  }
}

function isRegistered(mark: string, registry: readonly string[]): boolean {
  return mark !== NO_MARK && MARK.test(mark) && registry.some((folder) => existsSync(join(folder, mark)));
}

export function markIn(db: Connection): string {
  return `${hexOf(db.pragma('user_version'))}${hexOf(db.pragma('application_id'))}`;
}

function writeMark(db: Connection, mark: string): void {
  db.exec(`PRAGMA user_version = ${numberOf(mark.slice(0, 8))}`);
  db.exec(`PRAGMA application_id = ${numberOf(mark.slice(8))}`);
}

function hexOf(signed: number): string {
  return (signed >>> 0).toString(16).padStart(8, '0');
}

function numberOf(hex: string): number {
  return Number.parseInt(hex, 16) | 0;
}

interface Header {
  readonly mark: string;
  readonly uid: number;
}

/** What cannot be read is foreign. */
function headerOf(file: string): Header | 'absent' | 'foreign' {
  let opened: number | undefined;
  try {
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(opened);
    if (found.isFile() && found.size === 0) return 'absent';
    const header = Buffer.alloc(HEADER_BYTES);
    if (!found.isFile() || readSync(opened, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return 'foreign';
    if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return 'foreign';
    const hex = (at: number) => header.toString('hex', at, at + 4);
    return { mark: `${hex(USER_VERSION_AT)}${hex(APPLICATION_ID_AT)}`, uid: found.uid };
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'absent' : 'foreign';
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

function foreignStore(file: string): SpillwayError {
  return new SpillwayError(
    'store_unavailable',
    `${file} was made elsewhere, by somebody else or before Spillway marked its stores: check it and trust it, or name another folder.`,
    { remedy: 'trust_store' },
  );
}
