/**
 * The way to the server: the pool and the tables made by the first use, reads on any connection, writes in transactions, every failure turned into an
 * error of ours, closed once. Writes that give out places in a listing hold one advisory lock a store until they are committed: a place given out is then never
 * behind one that a reader has already passed.
 */
import { closed } from '@spillway/core/stores';
import { Connection, type PgPool, pgPool } from './driver.ts';
import { asSpillwayError } from './failures.ts';
import { ensureSchema, quoted } from './schema.ts';

export interface AccessOptions {
  readonly connectionString?: string;
  readonly pool?: PgPool;
  readonly schema?: string;
}

export class Access {
  readonly #options: AccessOptions;
  readonly #schema: string;
  readonly #running = new Set<Promise<unknown>>();
  #opened: Promise<PgPool> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#schema = quoted(options.schema ?? 'spillway');
  }

  read<T>(query: (db: Connection) => Promise<T>): Promise<T> {
    return this.#run(async (pool) => query(new Connection(pool, this.#schema)));
  }

  /** One transaction, the only one of this store on any machine. `change` may have run and not count, when the commit fails. */
  write<T>(change: (db: Connection) => Promise<T>): Promise<T> {
    return this.#run((pool) => this.#transaction(pool, change));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #run<T>(work: (pool: PgPool) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw closed();
    const running = this.#open().then(work);
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      throw asSpillwayError(error);
    } finally {
      this.#running.delete(running);
    }
  }

  #open(): Promise<PgPool> {
    if (this.#opened === undefined) {
      this.#opened = this.#openNow();
      // A failure is not remembered: the server may be there the next time.
      this.#opened.catch(() => {
        this.#opened = undefined;
      });
    }
    return this.#opened;
  }

  async #openNow(): Promise<PgPool> {
    const pool = this.#options.pool ?? (await pgPool(this.#options.connectionString ?? ''));
    try {
      await this.#transaction(pool, (db) => ensureSchema(db, this.#schema));
      return pool;
    } catch (error) {
      if (pool !== this.#options.pool) await pool.end();
      throw error;
    }
  }

  async #transaction<T>(pool: PgPool, change: (db: Connection) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken = true;
    try {
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      try {
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
          `spillway ${this.#schema}`,
        ]);
        const result = await change(new Connection(client, this.#schema));
        await client.query('COMMIT');
        broken = false;
        return result;
      } catch (error) {
        // Where even this fails the connection is of no more use, and the server rolls back by itself.
        broken = await client.query('ROLLBACK').then(
          () => false,
          () => true,
        );
        throw error;
      }
    } finally {
      client.release(broken);
    }
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running);
    const pool = await this.#opened?.catch(() => undefined);
    if (pool !== this.#options.pool) await pool?.end();
  }
}
