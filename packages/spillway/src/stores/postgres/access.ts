/**
 * The way to the server: the pool and the tables made by the first use, reads on any connection,
 * writes in transactions, every failure turned into an error of ours, closed once. What can be
 * given again without harm is: after a deadlock, which the server undoes, and, where the caller says
 * so, after a connection that broke before the answer. Upkeep (purging, eviction) has a lock of its
 * own: one machine at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { closed, isAbort, unlessAborted, type WaitOptions } from '@spillway/core/store';
import { Connection, type PgClient, type PgPool, pgPool } from './driver.ts';
import { asSpillwayError, isBroken, isUndone } from './failures.ts';
import { inTime, Lease } from './lease.ts';
import { ensureSchema, isCurrent, quoted } from './schema.ts';

export interface AccessOptions {
  readonly connectionString?: string;
  readonly pool?: PgPool;
  readonly schema?: string;
  readonly timeoutMs?: number;
}

/**
 * How long the server may take for one statement, or for a connection, before it counts as gone.
 */
const TIMEOUT_MS = 30_000;

export class Access {
  readonly #options: AccessOptions;
  readonly #schema: string;
  readonly #timeoutMs: number;
  readonly #running = new Set<Promise<unknown>>();
  #opened: Promise<PgPool> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#schema = quoted(options.schema ?? 'spillway');
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /** What may be asked twice. A connection that breaks under it is no reason to fail. */
  read<T>(query: (db: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const work = (pool: PgPool) =>
      this.#leased(pool, (lease) => {
        signal?.throwIfAborted();
        return query(new Connection(lease, this.#schema));
      });
    return this.#run((pool) => again(() => work(pool), isWorthAnother), signal);
  }

  /** Reads without the tables of the store: what the server itself is. */
  async look<T>(query: (db: Connection) => Promise<T>): Promise<T> {
    const pool = this.#options.pool ?? (await pgPool(this.#options.connectionString ?? ''));
    pool.on?.('error', ignored);
    pool.on?.('connect', listened);
    try {
      return await this.#leased(pool, (lease) => query(new Connection(lease, this.#schema)));
    } catch (error) {
      throw asSpillwayError(error);
    } finally {
      await this.#letGo(pool);
    }
  }

  /**
   * One statement that writes and may be given twice: what it did the first time it finds. A
   * connection that breaks under it is no reason to fail.
   */
  repeatable<T>(query: (db: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    let hasBegun = false;
    const work = (pool: PgPool) =>
      this.#leased(pool, (lease) => {
        if (!hasBegun) signal?.throwIfAborted();
        hasBegun = true;
        return query(new Connection(lease, this.#schema));
      });
    return this.#run(
      (pool) => again(() => work(pool), isWorthAnother),
      signal,
      () => hasBegun,
    );
  }

  /** One transaction. `change` may run again, and may have run and not count. */
  write<T>(change: (db: Connection) => Promise<T>, wait: WaitOptions = {}): Promise<T> {
    return this.#write(change, null, wait);
  }

  /** One transaction of upkeep, the only one of this store on any machine. */
  keepUp<T>(change: (db: Connection) => Promise<T>, wait: WaitOptions = {}): Promise<T> {
    return this.#write(change, `spillway upkeep ${this.#schema}`, wait);
  }

  #write<T>(
    change: (db: Connection) => Promise<T>,
    lock: string | null,
    { signal }: WaitOptions,
  ): Promise<T> {
    let hasBegun = false;
    const begin = (db: Connection) => {
      if (!hasBegun) signal?.throwIfAborted();
      hasBegun = true;
      return change(db);
    };
    return this.#run(
      (pool) => again(() => this.#transaction(pool, lock, begin), isUndone),
      signal,
      () => hasBegun,
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  mustBeOpen(): void {
    if (this.#closing !== undefined) throw closed();
  }

  async #run<T>(
    work: (pool: PgPool) => Promise<T>,
    signal: AbortSignal | undefined,
    hasBegun?: () => boolean,
  ): Promise<T> {
    this.mustBeOpen();
    const running = this.#open().then(work);
    this.#running.add(running);
    running.finally(() => this.#running.delete(running)).catch(ignored);
    try {
      return await unlessAborted(running, signal, hasBegun);
    } catch (error) {
      throw isAbort(error, signal) ? error : asSpillwayError(error);
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
    // A connection that breaks while nobody uses it only leaves the pool; without a listener it
    // would end the process. A new one may break before whoever asked for it has it.
    pool.on?.('error', ignored);
    pool.on?.('connect', listened);
    try {
      const isReady = (lease: Lease) => isCurrent(new Connection(lease, this.#schema), this.#schema);
      const current = await again(() => this.#leased(pool, isReady), isWorthAnother);
      const lock = `spillway ${this.#schema}`;
      if (!current) await this.#transaction(pool, lock, (db) => ensureSchema(db, this.#schema));
      return pool;
    } catch (error) {
      await this.#letGo(pool);
      throw error;
    }
  }

  #transaction<T>(pool: PgPool, lock: string | null, change: (db: Connection) => Promise<T>): Promise<T> {
    return this.#leased(pool, async (lease) => {
      await lease.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      try {
        if (lock !== null) await lease.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]);
        const result = await change(new Connection(lease, this.#schema));
        await lease.query('COMMIT');
        return result;
      } catch (error) {
        await lease.rollBack();
        throw error;
      }
    });
  }

  async #leased<T>(pool: PgPool, work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await Lease.from(pool, this.#timeoutMs);
    try {
      return await work(lease);
    } finally {
      lease.end();
    }
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running);
    const pool = await this.#opened?.catch(() => undefined);
    if (pool !== undefined) await this.#letGo(pool);
  }

  /** Ends a pool of ours; leaves one that was given as it came. */
  async #letGo(pool: PgPool): Promise<void> {
    if (pool !== this.#options.pool) {
      await inTime(pool.end(), this.#timeoutMs).catch(ignored);
      return;
    }
    pool.off?.('error', ignored);
    pool.off?.('connect', listened);
  }
}

/** How often something is tried, and how long it waits in between. */
const WAITS_MS = [20, 100, 400];

async function again<T>(work: () => Promise<T>, isWorth: (error: unknown) => boolean): Promise<T> {
  for (const wait of WAITS_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isWorth(error)) throw error;
      await sleep(wait);
    }
  }
  return work();
}

function isWorthAnother(error: unknown): boolean {
  return isUndone(error) || isBroken(error);
}

function listened(client: PgClient): void {
  client.on?.('error', ignored);
}

function ignored(): void {
  // Whoever needs the connection is told by its next statement.
}
