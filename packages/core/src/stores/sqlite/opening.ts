/**
 * Opens the file: folder 0700 and ignored by git, file 0600 (SQLite gives -wal and -shm the same
 * mode), WAL, tables. Before anything is opened, created or changed, the place is checked: a
 * repository or another account can plant a link, folder or pipe under each name a store uses, and
 * nothing here follows a link or waits for a pipe. Files and folders of other accounts stay as they
 * are, and so does a folder that existed before, unless it lies within a workspace and is open to
 * others. File system calls are synchronous, as SQLite's are.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { SpillwayError } from '../../model/errors.ts';
import type { StoreLimits } from '../../model/store.ts';
import { ContentFiles } from './content-files.ts';
import { Connection, nodeSqlite, nodeSqliteToRead, type SqliteDriver } from './driver.ts';
import { asSpillwayError } from './failures.ts';
import { flushPath, makeFolder, mustBeFolder, systemCode } from './folders.ts';
import {
  markIn,
  markNew,
  markOf,
  mustBeOursBeside,
  mustBeOwn,
  rememberBeside,
  strangerBeside,
  strangerRefused,
} from './marks.ts';
import { monotonicMs, type Patience, pause } from './patience.ts';
import { makeTables, SchemaCheck } from './schema.ts';

/** A process that creates a store may take this long; older leftovers are stale. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 5;

interface MakeRequest {
  readonly file: string;
  readonly connect: SqliteDriver;
  readonly registry: readonly string[] | undefined;
  readonly configure: (db: Connection) => void;
}

async function makeStore(request: MakeRequest): Promise<boolean> {
  const { file } = request;
  const folder = `${file}-new`;
  for (const givenUpAt = monotonicMs() + PATIENCE_MS; isAbsent(file); await pause(PAUSE_MS)) {
    if (monotonicMs() > givenUpAt) rmSync(folder, { recursive: true, force: true });
    if (!tryMake(folder)) continue;
    try {
      if (!isAbsent(file)) return false;
      make(request, join(folder, basename(file)));
      return true;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return false;
}

function make({ file, connect, registry, configure }: MakeRequest, aside: string): void {
  closeSync(openSync(aside, 'wx', 0o600));
  const db = new Connection(connect(aside), new ContentFiles(aside));
  try {
    db.exec('PRAGMA synchronous = OFF');
    configure(db);
    if (registry !== undefined) markNew(db, registry);
    makeTables(db);
  } finally {
    db.close();
  }
  flush(aside);
  // A log or journal without a database would be replayed into the new one.
  for (const end of ['-wal', '-shm', '-journal']) rmSync(`${file}${end}`, { force: true });
  renameSync(aside, file);
  flushPath(dirname(file));
}

function flush(file: string): void {
  const opened = openSync(file, 'r+');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

function isAbsent(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && found.size === 0);
}

function tryMake(folder: string): boolean {
  try {
    mkdirSync(folder, 0o700);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** After this many pages of WAL, a commit also moves them into the file. */
const CHECKPOINT_PAGES = 512;

export async function openDatabase(
  { file: path, within, registry }: StoreLocation,
  driver: SqliteDriver | undefined,
  patience: Patience,
): Promise<Connection> {
  const file = resolve(path);
  try {
    mustHaveRealFolder({ file, within });
    const connect = driver ?? nodeSqlite();
    const made = await prepare({ file, within, registry }, connect);
    const mark = registry === undefined ? null : markOf(file);
    if (registry !== undefined && mark !== null) await mustBeOursBeside(file, mark, registry);
    if (made === 'only readable' && driver === undefined) return openToRead(file, registry);
    const db = new Connection(connect(file), new ContentFiles(file));
    try {
      // No waiting inside SQLite: patience.ts waits without blocking the event loop.
      db.exec('PRAGMA busy_timeout = 0');
      await patience.whenFree(() => harden(db));
      const own =
        registry &&
        (await patience.whenFree(() => (made === 'made' ? markIn(db) : mustBeOwn(db, file, registry))));
      const schema = new SchemaCheck(file);
      await patience.whenFree(() => schema.mustBeOurs(db));
      await patience.whenFree(() => configure(db));
      if (registry !== undefined && own !== undefined) {
        // The first read creates the log, not the pragma.
        await patience.whenFree(() => schema.mustBeOurs(db));
        rememberBeside(file, own, registry);
      }
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw asSpillwayError(error, file);
  }
}

async function prepare(
  { file, within, registry }: StoreLocation,
  connect: SqliteDriver,
): Promise<'made' | 'found' | 'only readable'> {
  try {
    makePrivateFolder(dirname(file), within);
    mustHaveRealFiles(file);
    if (await makeStore({ file, connect, registry, configure: setUp })) return 'made';
    makePrivate(file);
    return 'found';
  } catch (error) {
    if (systemCode(error) !== 'EROFS' || !lstatSync(file, { throwIfNoEntry: false })?.isFile()) throw error;
    return 'only readable';
  }
}

function setUp(db: Connection): void {
  db.exec('PRAGMA auto_vacuum = INCREMENTAL');
  configure(db);
}

/** Reads work; writes fail and report why. */
function openToRead(file: string, registry: readonly string[] | undefined): Connection {
  const db = new Connection(nodeSqliteToRead()(file), new ContentFiles(file));
  try {
    harden(db);
    if (registry !== undefined) mustBeOwn(db, file, registry);
    new SchemaCheck(file).mustBeOurs(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * The schema of the file may run only SQLite's harmless functions, and pages are checked before
 * use.
 */
function harden(db: Connection): void {
  db.exec('PRAGMA trusted_schema = OFF');
  db.exec('PRAGMA cell_size_check = ON');
}

function configure(db: Connection): void {
  db.exec('PRAGMA journal_mode = WAL');
  db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  // Overwrite freed pages, so that purged content is gone.
  db.exec('PRAGMA secure_delete = ON');
}

function makePrivateFolder(folder: string, within: string | undefined): void {
  const made = makeFolder(folder);
  if (!made && within !== undefined) closeToOthers(folder);
  // Folders made by us, or for us in a workspace, are kept out of git.
  if (made || within !== undefined) keepOutOfGit(folder);
}

/** Also where a repository brought the folder, or a .gitignore that lets everything through. */
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

/** Do not follow a planted link or wait for a pipe. */
function openRegular(file: string): number {
  const { O_APPEND, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(file, O_APPEND | O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    throw ['ELOOP', 'ENXIO', 'EISDIR', 'EMLINK'].includes(systemCode(error)) ? notAFile(file) : error;
  }
}

/**
 * Others could replace files in a folder they can write to. On Windows access lists decide, not
 * modes.
 */
function closeToOthers(folder: string): void {
  const self = process.getuid?.();
  const { uid, mode } = lstatSync(folder);
  if (self === undefined || (mode & 0o077) === 0) return;
  if (uid === self) chmodSync(folder, 0o700);
  else if ((mode & 0o022) !== 0)
    throw new SpillwayError(
      'store_unavailable',
      `Others may write in ${folder}: allow it to its owner only (0700), or keep the store in a folder of your own.`,
      { remedy: 'move_store' },
    );
}

/** Where a store is, and what it must be to be used. */
export interface StoreLocation {
  /** The database file; folders are made as needed. */
  readonly file: string;
  /**
   * A folder that the file must really lie in, for a place that came from elsewhere, such as a
   * repository: links on the way are refused, and a folder that others may write in is closed to
   * them.
   */
  readonly within?: string | undefined;
  /**
   * Folders of the user with the marks of the stores that the user made. A new file gets a mark,
   * kept in the first folder that takes it; a file whose mark is in none of them is refused.
   * Without them every file is believed that can be opened.
   */
  readonly registry?: readonly string[] | undefined;
}

/** Where the file is, and how it is used. */
export interface SqliteStoreOptions extends StoreLocation {
  /** Survives the loss of power (`power`, default), or the death of the process. */
  readonly durability?: 'power' | 'process';
  /** What it may hold. Default: no limit. */
  readonly limits?: StoreLimits;
  /**
   * From this byte on, a part is kept in a file of its own in the folder `{file}-content` beside the
   * database. Default: 1 MB.
   */
  readonly largePartBytes?: number;
  /** Milliseconds since 1970; `Date.now` unless told. */
  readonly clock?: () => number;
  /** Another driver than node:sqlite: `(file) => new Database(file)` of better-sqlite3. */
  readonly driver?: SqliteDriver;
  /**
   * Does the work in another thread: a slow disk then never holds up the caller's event loop, for a
   * tenth of a second more at the start. Right for servers and agents; a program that stores one
   * output and ends is quicker without.
   */
  readonly thread?: boolean;
}

const FILES = ['', '-wal', '-shm', '-journal', '-reserve'];

/** Why the user's store cannot be used in this place; null if it can be used or made. */
export function storeObstacle({ file: path, within, registry }: StoreLocation): string | null {
  const file = resolve(path);
  try {
    mustHaveRealFolder({ file, within });
    mustHaveRealFiles(file);
    mustBeFolder(`${file}-content`);
    const mark = registry === undefined ? null : markOf(file);
    const stranger = mark === null ? null : strangerBeside(file, mark, registry ?? []);
    return stranger === null ? null : strangerRefused(stranger).message;
  } catch (error) {
    if (error instanceof SpillwayError) return error.message;
    throw error;
  }
}

function mustHaveRealFolder({ file, within }: StoreLocation): void {
  if (within === undefined) return;
  mustBeWithin(dirname(file), resolve(within));
  const list = join(dirname(file), '.gitignore');
  if (entry(list)?.isDirectory()) throw notAFile(list);
}

function mustHaveRealFiles(file: string): void {
  for (const end of FILES) mustBeFile(`${file}${end}`);
}

/** A workspace must not redirect its outputs. */
function mustBeWithin(folder: string, within: string): void {
  const real = realpathSync.native(within);
  for (let path = folder; path !== within && path.startsWith(within); path = dirname(path)) {
    const found = entry(path);
    if (
      found?.isSymbolicLink() ||
      (found && realpathSync.native(path) !== join(real, relative(within, path)))
    )
      throw new SpillwayError(
        'store_unavailable',
        `${path} is a link, and a workspace may not move its store: remove the link, or keep the store in a folder of your choice.`,
        { remedy: 'move_store' },
      );
    mustBeFolder(path);
  }
}

/** A file of another account in a folder that was open stays open to that account. */
function mustBeFile(file: string): void {
  const found = entry(file);
  if (found === undefined) return;
  if (!found.isFile()) throw notAFile(file);
  // In a folder of another account, its files are expected.
  if (found.uid === process.getuid?.() || found.uid === lstatSync(dirname(file)).uid) return;
  throw new SpillwayError(
    'store_unavailable',
    `${file} belongs to neither you nor the owner of its folder, so somebody else put it there: remove it, or name another file.`,
  );
}

function notAFile(file: string): SpillwayError {
  return new SpillwayError(
    'store_unavailable',
    `${file} is a link, folder or device, not a file: move it away, or name another file.`,
  );
}

function entry(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
