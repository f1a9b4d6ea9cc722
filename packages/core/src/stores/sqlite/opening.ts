/**
 * Opens the file: folder 0700 and ignored by git, file 0600 (SQLite gives its -wal and -shm the file's own mode), WAL, tables. Nothing is changed on
 * a folder or file of somebody else, nor on a folder that was there before.
 */
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Connection, nodeSqlite, type SqliteDriver } from './driver.ts';
import { asSpillwayError } from './failures.ts';
import { whenFree } from './patience.ts';
import { ensureSchema } from './schema.ts';

/** Pages of WAL after which a commit also moves them into the file; small, so that no commit takes long. */
const CHECKPOINT_PAGES = 256;

export async function openDatabase(path: string, driver: SqliteDriver | undefined): Promise<Connection> {
  const file = resolve(path);
  try {
    await makePrivate(file);
    const connect = driver ?? (await nodeSqlite());
    const db = new Connection(connect(file));
    try {
      await whenFree(() => configure(db));
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

function configure(db: Connection): void {
  // First of all, and 0: whoever finds the store busy waits in patience.ts, where the event loop goes on.
  db.exec('PRAGMA busy_timeout = 0');
  const { page_count: pages } = db.get<{ page_count: number }>('PRAGMA page_count') ?? { page_count: 0 };
  // Only counts before anything is in the file.
  if (pages === 0) db.exec('PRAGMA auto_vacuum = INCREMENTAL');
  db.exec('PRAGMA journal_mode = WAL');
  db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  // What is purged is gone: freed pages are overwritten.
  db.exec('PRAGMA secure_delete = ON');
}

async function makePrivate(file: string): Promise<void> {
  const folder = dirname(file);
  // A folder of our own making is nobody's source code.
  if (await makeFolder(folder)) await writeFile(join(folder, '.gitignore'), '*\n', { mode: 0o600 });
  // A link planted under the store's name is not followed.
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  await (await open(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)).close();
  const { uid, mode } = await lstat(file);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0) await chmod(file, 0o600);
}

/** Whether it had to be made. Not `recursive: true`, which tries for ever where a folder is there but takes no new ones and says ENOENT, as /proc does. */
async function makeFolder(folder: string): Promise<boolean> {
  const first = await tryMake(folder);
  if (first !== 'ENOENT') return first === 'made';
  await makeFolder(dirname(folder));
  const second = await tryMake(folder);
  if (second === 'ENOENT') throw Object.assign(new Error('The folder cannot be made.'), { code: 'ENOENT' });
  return second === 'made';
}

async function tryMake(folder: string): Promise<'made' | 'EEXIST' | 'ENOENT'> {
  try {
    await mkdir(folder, 0o700);
    return 'made';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' || code === 'ENOENT') return code;
    throw error;
  }
}
