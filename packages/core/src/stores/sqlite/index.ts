/**
 * The embedded store: one SQLite file, any number of processes. Calling `sqliteStore` touches
 * nothing; the first use opens the file (access.ts).
 */
import { invalidArgument } from '../../model/errors.ts';
import type { Store } from '../../model/store.ts';
import { sqlStore } from '../sql/store.ts';
import { startOfProcess } from './drafts.ts';
import { sqliteEngine } from './engine.ts';
import type { SqliteStoreOptions } from './opening.ts';
import { threadedStore } from './thread/store.ts';

export type { SqliteDatabase, SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts';
export { originOf, type StoreOrigin } from './marks.ts';
export { type SqliteStoreOptions, type StoreLocation, storeObstacle } from './opening.ts';
export { type CheckedStore, type TrustRequest, trustStore } from './trusting.ts';
export { type Vacuumed, type VacuumRequest, vacuumStore } from './vacuuming.ts';

/** A store in one SQLite file. Nothing is touched before the first use. */
export function sqliteStore(options: SqliteStoreOptions): Store {
  const { thread, ...rest } = options;
  if (!thread) return sqlStore(sqliteEngine(rest));
  if (options.driver === undefined && options.clock === undefined)
    return threadedStore({ ...rest, processStart: startOfProcess() });
  throw invalidArgument('A driver or clock cannot go to another thread: leave out `thread`, or these.');
}
