/**
 * Opens the file: folder 0700 and ignored by git, file 0600 (SQLite gives its -wal and -shm the
 * file's own mode), WAL, tables. Nothing is changed on a folder or file of somebody else, nor on a
 * folder that was there before, unless it must lie within a workspace and is open to others.
 * Folders are looked at without waiting, as SQLite itself opens the file.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { SpillwayError } from '../../model/errors.ts';
import { mustBeOursBeside, rememberBeside } from './beside.ts';
import { ContentFiles } from './content-files.ts';
import { Connection, nodeSqlite, nodeSqliteToRead, type SqliteDriver } from './driver.ts';
import { asSpillwayError } from './failures.ts';
import { makeFolder } from './folders.ts';
import { markOf, mustBeOwn } from './marks.ts';
import { whenFree } from './patience.ts';
import { ensureSchema, refuseEarlier, refuseOthers } from './schema.ts';

/**
 * Pages of WAL after which a commit also moves them into the file; small, so that no commit takes
 * long.
 */
const CHECKPOINT_PAGES = 512;

export interface Location {
  readonly file: string;
  /** A folder that the file must really lie in: links on the way from it are not followed. */
  readonly within?: string | undefined;
  /** The folders with the marks of this user's stores: a file without one of them is refused. */
  readonly registry?: readonly string[] | undefined;
}

export async function openDatabase(
  { file: path, within, registry }: Location,
  driver: SqliteDriver | undefined,
): Promise<Connection> {
  const file = resolve(path);
  try {
    if (within !== undefined) mustBeWithin(dirname(file), resolve(within));
    const onlyReadable = !prepare(file, within) && driver === undefined;
    for (const beside of ['-wal', '-shm', '-journal']) refuseStrangers(`${file}${beside}`);
    const mark = registry === undefined ? null : markOf(file);
    if (registry !== undefined && mark !== null) await mustBeOursBeside(file, mark, registry);
    if (onlyReadable) return openToRead(file, registry);
    const connect = driver ?? nodeSqlite();
    const db = new Connection(connect(file), new ContentFiles(file));
    try {
      // First of all, and 0: whoever finds the store busy waits in patience.ts, where the event
      // loop goes on.
      db.exec('PRAGMA busy_timeout = 0');
      await whenFree(() => harden(db));
      await whenFree(() => refuseOthers(db, file));
      const own = registry && (await whenFree(() => mustBeOwn(db, file, registry)));
      await whenFree(() => configure(db));
      if (registry !== undefined && own !== undefined) {
        // The log is made by the first reading, not by the order to keep one.
        await whenFree(() => refuseOthers(db, file));
        rememberBeside(file, own, registry);
      }
      await whenFree(() => ensureSchema(db, file));
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw asSpillwayError(error, file);
  }
}

/**
 * Makes folder and file ready to be written; false for a store on a file system that can only be
 * read.
 */
function prepare(file: string, within: string | undefined): boolean {
  try {
    makePrivateFolder(dirname(file), within);
    makePrivate(file);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EROFS' || !lstatSync(file, { throwIfNoEntry: false })?.isFile()) throw error;
    return false;
  }
}

/** What is stored can be read; writing fails, and whoever wanted to is told. */
function openToRead(file: string, registry: readonly string[] | undefined): Connection {
  const db = new Connection(nodeSqliteToRead()(file), new ContentFiles(file));
  try {
    harden(db);
    refuseOthers(db, file);
    if (registry !== undefined) mustBeOwn(db, file, registry);
    refuseEarlier(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * What a file says about its own tables runs nothing but SQLite's harmless functions, and its pages
 * are looked at before use.
 */
function harden(db: Connection): void {
  db.exec('PRAGMA trusted_schema = OFF');
  db.exec('PRAGMA cell_size_check = ON');
  const { page_count: pages } = db.get<{ page_count: number }>('PRAGMA page_count') ?? { page_count: 0 };
  // Only counts before anything is in the file.
  if (pages === 0) db.exec('PRAGMA auto_vacuum = INCREMENTAL');
}

function configure(db: Connection): void {
  db.exec('PRAGMA journal_mode = WAL');
  db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  // What is purged is gone: freed pages are overwritten.
  db.exec('PRAGMA secure_delete = ON');
}

function makePrivateFolder(folder: string, within: string | undefined): void {
  const made = makeFolder(folder);
  if (!made && within !== undefined) closeToOthers(folder);
  // A folder of our own making is nobody's source code, and neither is the one that a workspace has
  // for us.
  if (made || within !== undefined) keepOutOfGit(folder);
}

/**
 * Also where a repository brought the folder, or a list of its own that lets everything through.
 */
function keepOutOfGit(folder: string): void {
  const list = join(folder, '.gitignore');
  const { uid } = lstatSync(folder);
  if (uid !== (process.geteuid?.() ?? uid) || ignoresAll(list)) return;
  const aside = `${list}.${process.pid}`;
  rmSync(aside, { force: true });
  writeFileSync(aside, '*\n', { flag: 'wx', mode: 0o600 });
  renameSync(aside, list);
}

function ignoresAll(list: string): boolean {
  const found = lstatSync(list, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size > 1_000) return false;
  const lines = readFileSync(list, 'utf8').split(/\r?\n/);
  return lines.includes('*') && !lines.some((line) => line.startsWith('!'));
}

function makePrivate(file: string): void {
  refuseStrangers(file);
  const opened = openRegular(file);
  try {
    const found = fstatSync(opened);
    if (!found.isFile()) throw notAFile(file);
    if (found.nlink > 1)
      throw new SpillwayError(
        'store_unavailable',
        `${file} has a second name (a hard link), under which it could be damaged: give it a copy of its own.`,
      );
    if (found.uid === process.getuid?.() && (found.mode & 0o077) !== 0) fchmodSync(opened, 0o600);
  } finally {
    closeSync(opened);
  }
}

/**
 * What somebody put into a folder that was open to others stays open to them: they could read and
 * change what is stored.
 */
function refuseStrangers(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.uid === process.getuid?.()) return;
  // In a folder of somebody else their own files are what one expects.
  if (found.uid === lstatSync(dirname(file)).uid) return;
  throw new SpillwayError(
    'store_unavailable',
    `${file} belongs to neither you nor the owner of its folder, so somebody else put it there: remove it, or name another file.`,
  );
}

/** A link planted under the store's name is not followed, and a pipe not waited for. */
function openRegular(file: string): number {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    throw ['ELOOP', 'ENXIO', 'EISDIR', 'EMLINK'].includes(codeOf(error)) ? notAFile(file) : error;
  }
}

function notAFile(file: string): SpillwayError {
  return new SpillwayError(
    'store_unavailable',
    `${file} is a link, folder or device, not a file: move it away, or name another file.`,
  );
}

/** What came with a workspace must not decide where its outputs go. */
function mustBeWithin(folder: string, within: string): void {
  const real = realpathSync.native(within);
  for (let path = folder; path !== within && path.startsWith(within); path = dirname(path)) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (
      found?.isSymbolicLink() ||
      (found && realpathSync.native(path) !== join(real, relative(within, path)))
    )
      throw new SpillwayError(
        'store_unavailable',
        `${path} is a link, and a workspace may not move its store: remove the link, or keep the store in a folder of your choice.`,
        { remedy: 'move_store' },
      );
  }
}

/**
 * A folder in which others may write could be given other files at any time. Windows keeps people
 * apart by access lists, which the mode says nothing about.
 */
function closeToOthers(folder: string): void {
  const self = process.getuid?.();
  const { uid, mode } = lstatSync(folder);
  if (self === undefined || (mode & 0o022) === 0) return;
  if (uid === self) chmodSync(folder, 0o700);
  else
    throw new SpillwayError(
      'store_unavailable',
      `Others may write in ${folder}: allow it to its owner only (0700), or keep the store in a folder of your own.`,
      { remedy: 'move_store' },
    );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
