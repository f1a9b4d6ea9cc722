/**
 * SQLite under the shared queries. Reads run at once, writes go through one queue (commits.ts), and
 * each is a function of a connection. A store in a thread has its engine there.
 */
import type { SqlEngine } from '../sql/store.ts';
import { unlessAborted } from '../waiting.ts';
import { Access } from './access.ts';
import { ask } from './dialect.ts';
import { isFull } from './failures.ts';
import type { SqliteStoreOptions } from './opening.ts';
import { SqliteTarget } from './writer.ts';

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
