/**
 * The way to the server: the pool and the tables made by the first use, reads on any connection,
 * writes in transactions, every failure turned into an error of ours, closed once. What can be
 * given again without harm is: after a deadlock, which the server undoes, and, where the caller says
 * so, after a connection that broke before the answer. Upkeep (purging, eviction) has a lock of its
 * own: one machine at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { closed, isAbort, unlessAborted } from '@spillway/core/store';
import { CircuitBreaker } from './circuit-breaker.ts';
import { Connection, type PgClient, type PgPool, pgPool } from './driver.ts';
import { asSpillwayError, isBroken, isUndone } from './failures.ts';
import { begin, waitForLocks } from './functions.ts';
import { inTime, Lease } from './lease.ts';
import { ensureSchema, isCurrent, quoted } from './schema.ts';

export interface AccessOptions {
  readonly connectionString?: string;
  readonly pool?: PgPool;
  readonly schema?: string;
  readonly timeoutMs?: number;
}

/** Statements on one connection. */
type Work<T> = (db: Connection) => Promise<T>;

interface HowToChange {
  /** What is locked first, everywhere. */
  readonly lock: string | null;
  /** Whether it is given again after a failure. */
  readonly isWorth: (error: unknown) => boolean;
  readonly isOneCall?: boolean;
}

/** How long the server may take for one statement before it counts as gone. */
const TIMEOUT_MS = 30_000;
/** The same for a connection and for what begins a transaction. */
const ANSWER_MS = 5_000;
/** The same for a call of a function, which brings up to a megabyte. */
const CALL_MS = 10_000;
/** The same for a probe, and for the end of a pool. */
const PROBE_MS = 2_000;

export class Access {
  readonly #options: AccessOptions;
  readonly #schema: string;
  readonly #timeoutMs: number;
  readonly #breaker = new CircuitBreaker();
  readonly #running = new Set<Promise<unknown>>();
  #opened: Promise<PgPool> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#schema = quoted(options.schema ?? 'spillway');
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /** What may be asked twice. A connection that breaks under it is no reason to fail. */
  read<T>(query: Work<T>, signal?: AbortSignal): Promise<T> {
    const work = (db: Connection) => {
      signal?.throwIfAborted();
      return query(db);
    };
    return this.#run(
      null,
      (pool) => again(() => this.#transaction(pool, null, work), isWorthAnother),
      signal,
    );
  }

  /** Reads without the tables of the store: what the server itself is. */
  async look<T>(query: Work<T>): Promise<T> {
    const pool = this.#options.pool ?? (await pgPool(this.#options.connectionString ?? ''));
    pool.on?.('error', ignored);
    pool.on?.('connect', listened);
    try {
      return await this.#transaction(pool, null, query);
    } catch (error) {
      throw asSpillwayError(error);
    } finally {
      await this.#letGo(pool);
    }
  }

  /**
   * What writes and may be given twice: what it did the first time it finds. A connection that
   * breaks under it is no reason to fail.
   */
  repeatable<T>(change: Work<T>, signal?: AbortSignal): Promise<T> {
    return this.#change(change, signal, { lock: null, isWorth: isWorthAnother });
  }

  /**
   * The same in one round trip: one call of a function of the schema. Functions bring the settings
   * that a transaction begins with, and the call itself names nothing that has to be looked up.
   */
  call<T>(change: Work<T>, signal?: AbortSignal): Promise<T> {
    return this.#change(change, signal, { lock: null, isWorth: isWorthAnother, isOneCall: true });
  }

  /** One transaction. `change` may run again, and may have run and not count. */
  write<T>(change: Work<T>, signal?: AbortSignal): Promise<T> {
    return this.#change(change, signal, { lock: null, isWorth: isUndone });
  }

  /** One transaction of upkeep, the only one of this store on any machine. */
  keepUp<T>(change: Work<T>, signal?: AbortSignal): Promise<T> {
    const lock = `spillway upkeep ${this.#schema}`;
    return this.#change(change, signal, { lock, isWorth: isUndone });
  }

  /** What has begun goes on to its end, whatever the signal says. */
  #change<T>(
    change: Work<T>,
    signal: AbortSignal | undefined,
    { lock, isWorth, isOneCall = false }: HowToChange,
  ): Promise<T> {
    let hasBegun = false;
    const work = (db: Connection) => {
      if (!hasBegun) signal?.throwIfAborted();
      hasBegun = true;
      return change(db);
    };
    const once = (pool: PgPool) =>
      isOneCall ? this.#oneCall(pool, work) : this.#transaction(pool, lock, work);
    return this.#run(
      lock,
      (pool) => again(() => once(pool), isWorth),
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
    lock: string | null,
    work: (pool: PgPool) => Promise<T>,
    signal: AbortSignal | undefined,
    hasBegun?: () => boolean,
  ): Promise<T> {
    this.mustBeOpen();
    this.#breaker.check();
    const running = this.#open()
      .then(work)
      .catch((error: unknown) => {
        this.#breaker.note(error, () => this.#probe(lock));
        throw error;
      });
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
      const isReady = (db: Connection) => isCurrent(db, this.#schema);
      const current = await again(() => this.#transaction(pool, null, isReady), isWorthAnother);
      const lock = `spillway ${this.#schema}`;
      if (!current) await this.#transaction(pool, lock, (db) => ensureSchema(db, this.#schema));
      return pool;
    } catch (error) {
      await this.#letGo(pool);
      throw error;
    }
  }

  #transaction<T>(
    pool: PgPool,
    lock: string | null,
    change: Work<T>,
    statementMs = this.#timeoutMs,
  ): Promise<T> {
    return this.#leased(pool, statementMs, async (lease) => {
      await lease.ask(begin(statementMs));
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

  #oneCall<T>(pool: PgPool, work: Work<T>): Promise<T> {
    return this.#leased(pool, Math.min(CALL_MS, this.#timeoutMs), (lease) =>
      work(new Connection(lease, this.#schema)),
    );
  }

  /** Whether what stalled would go through now: the server answers and the locks are free. */
  async #probe(lock: string | null): Promise<void> {
    const pool = await this.#open();
    await this.#transaction(pool, lock, waitForLocks, Math.min(PROBE_MS, this.#timeoutMs));
  }

  async #leased<T>(pool: PgPool, statementMs: number, work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await Lease.from(pool, { answerMs: Math.min(ANSWER_MS, statementMs), statementMs });
    try {
      return await work(lease);
    } finally {
      lease.end();
    }
  }

  async #close(): Promise<void> {
    this.#breaker.end();
    await Promise.allSettled(this.#running);
    const pool = await this.#opened?.catch(() => undefined);
    if (pool !== undefined) await this.#letGo(pool);
  }

  /** Ends a pool of ours; leaves one that was given as it came. */
  async #letGo(pool: PgPool): Promise<void> {
    if (pool !== this.#options.pool) {
      await inTime(pool.end(), PROBE_MS).catch(ignored);
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
