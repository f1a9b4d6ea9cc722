/**
 * The embedded store: one SQLite file, any number of processes. Calling `sqliteStore` touches
 * nothing; the first use opens the file (access.ts). Reads run at once, writes go through one queue
 * (commits.ts), and each is a function of a connection.
 */
import { SpillwayError } from '../../model/errors.ts';
import type { Store, StoreLimits } from '../../model/store.ts';
import { type SqlEngine, sqlStore } from '../sql/store.ts';
import { unlessAborted } from '../waiting.ts';
import { Access } from './access.ts';
import { ask } from './dialect.ts';
import { startOfProcess } from './drafts.ts';
import type { SqliteDriver } from './driver.ts';
import { isFull } from './failures.ts';
import { threadedStore } from './thread/store.ts';
import { SqliteTarget } from './writer.ts';

export type { SqliteDatabase, SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts';
export { originOf, type StoreOrigin } from './marks.ts';
export { type StoreLocation, storeObstacle } from './opening.ts';
export { type CheckedStore, type TrustRequest, trustStore } from './trusting.ts';
export { type Vacuumed, type VacuumRequest, vacuumStore } from './vacuuming.ts';

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
   * A part that has so many bytes goes on in a file of its own, in the folder `{file}-content`
   * beside the database. Default: 1 MB.
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

/** A store in one SQLite file. Nothing is touched before the first use. */
export function sqliteStore(options: SqliteStoreOptions): Store {
  const { thread, ...rest } = options;
  if (!thread) return sqlStore(sqliteEngine(rest));
  if (options.driver === undefined && options.clock === undefined)
    return threadedStore({ ...rest, processStart: startOfProcess() });
  throw new SpillwayError(
    'invalid_argument',
    'A driver or clock cannot go to another thread: leave out `thread`, or these.',
  );
}

/** SQLite under the shared queries. The thread of a store has one, too. */
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
