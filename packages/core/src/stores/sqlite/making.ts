/**
 * Makes a store. It gets its name when it is whole: tables, mark and all, on the disk. So whatever
 * else has the name and is not empty was made by somebody else. It is made in a folder beside it,
 * `{file}-new`, which only one process can make; others wait for it. A file without any bytes counts
 * as none.
 */
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ContentFiles } from './content-files.ts';
import { Connection, type SqliteDriver } from './driver.ts';
import { flushPath } from './folders.ts';
import { markNew } from './marks.ts';
import { monotonicMs, pause } from './patience.ts';
import { ensureSchema } from './schema.ts';

/** How long a process may take to make a store; what lies there for longer was left behind. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 5;
/** Earlier versions make a store in its place: one that has no bytes yet may be about to get some. */
const SETTLED_MS = 1_000;

interface MakeRequest {
  readonly file: string;
  readonly connect: SqliteDriver;
  readonly registry: readonly string[] | undefined;
  /** Sets a new database up, before there is anything in it. */
  readonly configure: (db: Connection) => void;
}

/** Makes the store if there is none; whether it was made here. */
export async function makeStore(request: MakeRequest): Promise<boolean> {
  const { file } = request;
  const folder = `${file}-new`;
  for (const givenUpAt = monotonicMs() + PATIENCE_MS; isAbsent(file); await pause(PAUSE_MS)) {
    if (monotonicMs() > givenUpAt) rmSync(folder, { recursive: true, force: true });
    if (isBeingMade(file) || !tryMake(folder)) continue;
    try {
      // Another process may have come first.
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
    // Flushed once, when it is whole.
    db.exec('PRAGMA synchronous = OFF');
    configure(db);
    if (registry !== undefined) markNew(db, registry);
    ensureSchema(db, aside);
  } finally {
    db.close();
  }
  flush(aside);
  // A log or journal without a database is of no use, and would be played into the new one.
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

function isBeingMade(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found !== undefined && Math.abs(Date.now() - found.mtimeMs) < SETTLED_MS;
}

function tryMake(folder: string): boolean {
  try {
    mkdirSync(folder, 0o700);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
