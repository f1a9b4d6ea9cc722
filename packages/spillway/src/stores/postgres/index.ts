/**
 * A store on PostgreSQL, for several machines that share one. A small result is one round trip and
 * one commit; sessions do not wait for each other; what can be given again without harm is, after a
 * deadlock or a lost connection. Content that a dead writer left is removed after a day. With a
 * limit (`limits.maxBytes`) every piece is counted before it is written, one machine at a time.
 *
 * Durability is the server's: `synchronous_commit` as it is set there. Calling `postgresStore`
 * touches nothing; the first use connects.
 */
import { SpillwayError, type Store, type StoreLimits, sqlStore } from '@spillway/core/store';
import { Access } from './access.ts';
import { postgresDialect } from './dialect.ts';
import type { Connection, PgPool } from './driver.ts';
import { PostgresTarget } from './writer.ts';

export type { PgClient, PgPool, PgPoolListening, PgQueryable, PgValue } from './driver.ts';

/** How to reach the server, and what the store may do there. */
export interface PostgresStoreOptions {
  /** Where the server is; the package `pg` makes the connections. */
  readonly connectionString?: string;
  /** The caller's connections instead; `close` leaves them open. */
  readonly pool?: PgPool;
  /** The schema of the tables, made as needed. Default: `spillway`. */
  readonly schema?: string;
  /**
   * Milliseconds that the server may take for a statement before it counts as gone. It has at most
   * five seconds for a connection and for a lock, and ten for the seal of an output. Default: 30,000.
   */
  readonly timeoutMs?: number;
  /** What it may hold. Default: no limit. */
  readonly limits?: StoreLimits;
  /** Milliseconds since 1970; `Date.now` unless told. */
  readonly clock?: () => number;
}

/** A store on a PostgreSQL server (15 or later), by a connection string or a pool. */
export function postgresStore(options: PostgresStoreOptions): Store {
  if ((options.connectionString === undefined) === (options.pool === undefined))
    throw new SpillwayError(
      'invalid_argument',
      'Where is the PostgreSQL server? Give either `connectionString` or `pool`.',
    );
  const { clock = Date.now, limits = {} } = options;
  const { maxBytes } = limits;
  const access = new Access(options);
  const d = postgresDialect;
  return sqlStore({
    async create(drafting, signal) {
      signal?.throwIfAborted();
      access.mustBeOpen();
      return new PostgresTarget({ access, drafting, maxBytes, clock });
    },
    read: (query, signal) => access.read((db) => db.ask(query(d)), signal),
    write: (query, { purpose, signal } = {}) => {
      const change = (db: Connection) => db.ask(query(d));
      if (purpose === 'free') return access.keepUp(change, signal);
      return purpose === 'repeat' ? access.repeatable(change, signal) : access.write(change, signal);
    },
    decidedEvents: (signal) =>
      access.call(async (db) => {
        const row = await db.get<{ decided: number }>('SELECT @decided() AS decided');
        return row?.decided ?? 0;
      }, signal),
    close: () => access.close(),
  });
}
