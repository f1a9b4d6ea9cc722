/**
 * SQLite under the shared queries. Reads run at once, writes go through one queue (commits.ts), and
 * each is a function of a connection. A store in a thread has its engine there.
 */
import type { StoreLimits } from '../../model/store.ts';
import type { SqlEngine } from '../sql/store.ts';
import { unlessAborted } from '../waiting.ts';
import { Access } from './access.ts';
import { ask } from './dialect.ts';
import type { SqliteDriver } from './driver.ts';
import { isFull } from './failures.ts';
import { SqliteTarget } from './writer.ts';

/** Where the file is, and how it is used. */
export interface SqliteStoreOptions {
  /** The database file; folders are made as needed. */
  readonly file: string;
  /**
   * A folder that the file must really lie in, for a place that came from elsewhere, such as a
   * repository: links on the way are refused, and a folder that others may write in is closed to
   * them.
   */
  readonly within?: string;
  /**
   * Folders of the user with the marks of the stores that the user made. A new file gets a mark,
   * kept in the first folder that takes it; a file whose mark is in none of them is refused.
   * Without them every file is believed that can be opened.
   */
  readonly registry?: readonly string[];
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

export function sqliteEngine(options: SqliteStoreOptions): SqlEngine {
  const access = new Access(options);
  return {
    // Whether the id is new is checked when something is written.
    async create(drafting, signal) {
      await unlessAborted(access.ready(), signal);
      return new SqliteTarget(access, drafting, options);
    },
    read: (query, signal) => access.read((db) => ask(db, query), signal),
    write: (query, { durable = true, purpose, ...wait } = {}) =>
      access.write(
        { durable, run: (db) => ask(db, query) },
        purpose === 'free' ? { ...wait, purpose } : wait,
      ),
    sweep: () => access.sweep(),
    // A wrapper, so that the file is loaded only when this is called.
    isFull: (error) => isFull(error),
    close: () => access.close(),
  };
}
