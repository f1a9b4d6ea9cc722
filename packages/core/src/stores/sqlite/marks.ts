/**
 * Which stores this user made. A new database gets a mark: 64 random bits in its header, where SQLite
 * keeps `user_version` and `application_id`. A folder of the user (the registry) holds one file for
 * each mark. A database whose mark is not there was brought by a repository, an archive or another
 * account. The mark is read without opening the database, because opening one runs what is in it.
 *
 * SQLite also reads a log (`-wal`) or journal that lies beside a database, and a planted one would
 * change a store of ours. So the file of a mark names the log that we made, by its place on the disk;
 * any other is refused. A rollback journal is always refused: our stores use WAL.
 */
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SpillwayError } from '../../model/errors.ts';
import { randomBytes } from '../randomness.ts';
import type { Connection } from './driver.ts';
import { flushNames, flushPath, makeFolder, systemCode } from './folders.ts';
import { monotonicMs, pause } from './patience.ts';

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

/** Another process may take this long from creating a log to registering it. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 5;

export async function mustBeOursBeside(
  file: string,
  mark: string,
  registry: readonly string[],
): Promise<void> {
  for (const givenUpAt = monotonicMs() + PATIENCE_MS; ; await pause(PAUSE_MS)) {
    const stranger = strangerBeside(file, mark, registry);
    if (stranger === null) return;
    if (monotonicMs() < givenUpAt) continue;
    throw strangerRefused(stranger);
  }
}

/**
 * Once a database is open, before anything is written to it. First the name of the log is brought to
 * the disk, then what is remembered: after a loss of power the log that is there is the one that is
 * remembered, or has nothing in it.
 */
export function rememberBeside(file: string, mark: string, registry: readonly string[]): void {
  const log = fileIdentity(`${file}-wal`);
  if (log === null || isRemembered(log, mark, registry)) return;
  flushNames(dirname(file));
  for (const folder of registry) {
    try {
      remember(join(folder, mark), log);
      return;
    } catch {
      // Not writable: try the next folder.
    }
  }
}

/**
 * Written in place, because a new name would need a flush, too. A reader that is too early looks
 * again.
 */
function remember(path: string, log: string): void {
  const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
  const opened = openSync(path, O_CREAT | O_NOFOLLOW | O_TRUNC | O_WRONLY, 0o600);
  try {
    writeSync(opened, log);
    fdatasyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

export function strangerRefused(stranger: string): SpillwayError {
  return new SpillwayError(
    'store_unavailable',
    `${stranger} was not made by you, and would change the store beside it: remove it, or check both and trust the store.`,
    { remedy: 'trust_store' },
  );
}

export function strangerBeside(file: string, mark: string, registry: readonly string[]): string | null {
  if (sizeOf(`${file}-journal`) > 0) return `${file}-journal`;
  const log = sizeOf(`${file}-wal`) > 0 ? fileIdentity(`${file}-wal`) : null;
  return log === null || isRemembered(log, mark, registry) ? null : `${file}-wal`;
}

function isRemembered(log: string, mark: string, registry: readonly string[]): boolean {
  return registry.some((folder) => textOf(join(folder, mark)) === log);
}

/** Identifies a file by more than its name: a replacement has another creation time. */
function fileIdentity(path: string): string | null {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino} ${found.birthtimeNs}`;
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
