/**
 * Access to the server. The first use creates pool and tables; reads use any connection, writes run
 * in transactions; failures become SpillwayErrors. Deadlocks are retried, and so are broken
 * connections where the caller allows it. Upkeep (purging, eviction) has a lock of its own, so one
 * machine does it at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { closed, isAbort, SpillwayError, unlessAborted } from '@spillway/core/store';
import { Connection, type PgClient, type PgPool, type PgQueryable, type PgValue, pgPool } from './driver.ts';
import { asSpillwayError, isBroken, isStalled, isUndone } from './failures.ts';
import { begin, ensureSchema, isCurrent, quoted, waitForLocks } from './schema.ts';

class NoAnswer extends Error {
  readonly code = 'ETIMEDOUT';
}

interface Patience {
  /** For a connection, and for what costs it nothing. */
  readonly answerMs: number;
  /** For any other statement. */
  readonly statementMs: number;
}

class Lease implements PgQueryable {
  readonly #client: PgClient;
  readonly #patience: Patience;
  #isBroken = false;

  private constructor(client: PgClient, patience: Patience) {
    this.#client = client;
    this.#patience = patience;
    client.on?.('error', this.#broke);
  }

  static async from(pool: PgPool, patience: Patience): Promise<Lease> {
    const connecting = pool.connect();
    const client = await inTime(connecting, patience.answerMs).catch((error: unknown) => {
      // It may still connect later: release it then.
      connecting.then((late) => late.release(true)).catch(() => undefined);
      throw error;
    });
    return new Lease(client, patience);
  }

  query(text: string, values?: PgValue[]): ReturnType<PgQueryable['query']> {
    return this.#query(text, values, this.#patience.statementMs);
  }

  async ask(text: string): Promise<void> {
    await this.#query(text, undefined, this.#patience.answerMs);
  }

  async #query(text: string, values: PgValue[] | undefined, ms: number): ReturnType<PgQueryable['query']> {
    try {
      return await inTime(this.#client.query(text, values), ms);
    } catch (error) {
      if (error instanceof NoAnswer || !isAnswer(error)) this.#isBroken = true;
      throw error;
    }
  }

  async rollBack(): Promise<void> {
    if (this.#isBroken) return;
    await this.ask('ROLLBACK').catch(this.#broke);
  }

  end(): void {
    // Keep a listener on a discarded connection: it may report its end later.
    if (!this.#isBroken) this.#client.off?.('error', this.#broke);
    this.#client.release(this.#isBroken);
  }

  readonly #broke = (): void => {
    this.#isBroken = true;
  };
}

/** True if the server answered with an SQLSTATE, rather than the connection failing. */
function isAnswer(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  // Classes 57P and 08: the server ends the connection. 25006: it is a standby, and the next
  // connection may lead to the primary.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(57P|08|25006)/.test(code);
}

/** What `work` comes to, unless that takes too long. */
async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new NoAnswer('the server does not answer'));
    // Read answers that arrived while this process was busy first.
    timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Keeps a stalled server from delaying every result. After a statement that timed out or waited too
 * long for a lock, everything fails at once until a background probe finds server and locks free.
 * Units: milliseconds.
 */
const FIRST_PROBE_MS = 1_000;
const LATEST_PROBE_MS = 15_000;

class CircuitBreaker {
  #isOpen = false;
  #timer: NodeJS.Timeout | undefined;

  check(): void {
    if (this.#isOpen)
      throw new SpillwayError(
        'store_unavailable',
        'The PostgreSQL server stalls: it did not answer in time, or somebody holds a lock on the tables (pg_locks on the server tells who). It is asked again as soon as it answers.',
      );
  }

  note(error: unknown, probe: () => Promise<unknown>): void {
    if (this.#isOpen || !isStalled(error)) return;
    this.#isOpen = true;
    this.#probeIn(FIRST_PROBE_MS, probe);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #probeIn(ms: number, probe: () => Promise<unknown>): void {
    this.#timer = setTimeout(() => {
      probe().then(
        () => this.#close(),
        // Any other refusal is an answer.
        (error: unknown) =>
          isStalled(error) ? this.#probeIn(Math.min(2 * ms, LATEST_PROBE_MS), probe) : this.#close(),
      );
    }, ms).unref();
  }

  #close(): void {
    this.#isOpen = false;
  }
}

export interface AccessOptions {
  readonly connectionString?: string;
  readonly pool?: PgPool;
  readonly schema?: string;
  readonly timeoutMs?: number;
}

type Work<T> = (db: Connection) => Promise<T>;

interface How {
  readonly isWorth: (error: unknown) => boolean;
  /** What is locked first, everywhere. */
  readonly lock?: string;
  readonly isOneCall?: true;
  /** A read can be aborted at any time; a write that has begun is completed. */
  readonly isReading?: true;
}

/** How long the server may take for one statement. */
const TIMEOUT_MS = 30_000;
/** The same for connecting and for beginning a transaction. */
const ANSWER_MS = 5_000;
/** The same for a call of a function, which carries up to a megabyte. */
const CALL_MS = 10_000;
/** The same for a probe, and for ending a pool. */
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

  /** Repeated if the connection breaks. */
  read<T>(query: Work<T>, signal?: AbortSignal): Promise<T> {
    return this.#run(query, signal, { isWorth: isWorthAnother, isReading: true });
  }

  /** Reads without the tables of the store: what the server itself is. */
  async look<T>(query: Work<T>): Promise<T> {
    const pool = await this.#pool();
    try {
      return await this.#transaction(pool, undefined, query);
    } catch (error) {
      throw asSpillwayError(error);
    } finally {
      await this.#letGo(pool);
    }
  }

  /** A write that may be repeated, because it recognises what it already did. */
  repeatable<T>(change: Work<T>, signal?: AbortSignal): Promise<T> {
    return this.#run(change, signal, { isWorth: isWorthAnother });
  }

  /**
   * The same in one round trip: one call of a function of the schema, which brings its own
   * settings.
   */
  call<T>(change: Work<T>, signal?: AbortSignal): Promise<T> {
    return this.#run(change, signal, { isWorth: isWorthAnother, isOneCall: true });
  }

  /** One transaction. `change` may run again, and may have run and not count. */
  write<T>(change: Work<T>, signal?: AbortSignal): Promise<T> {
    return this.#run(change, signal, { isWorth: isUndone });
  }

  /** One transaction of upkeep: at most one at a time, on any machine. */
  keepUp<T>(change: Work<T>, signal?: AbortSignal): Promise<T> {
    return this.#run(change, signal, { isWorth: isUndone, lock: `spillway upkeep ${this.#schema}` });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  mustBeOpen(): void {
    if (this.#closing !== undefined) throw closed();
  }

  async #run<T>(
    work: Work<T>,
    signal: AbortSignal | undefined,
    { isWorth, lock, isOneCall, isReading }: How,
  ): Promise<T> {
    this.mustBeOpen();
    this.#breaker.check();
    let hasBegun = false;
    const begun = (db: Connection) => {
      if (!hasBegun) signal?.throwIfAborted();
      hasBegun = isReading !== true;
      return work(db);
    };
    const once = (pool: PgPool) =>
      isOneCall ? this.#oneCall(pool, begun) : this.#transaction(pool, lock, begun);
    const running = this.#open()
      .then((pool) => again(() => once(pool), isWorth))
      .catch((error: unknown) => {
        this.#breaker.note(error, () => this.#probe(lock));
        throw error;
      });
    this.#running.add(running);
    running.finally(() => this.#running.delete(running)).catch(ignored);
    try {
      return await unlessAborted(running, signal, () => hasBegun);
    } catch (error) {
      throw isAbort(error, signal) ? error : asSpillwayError(error);
    }
  }

  #open(): Promise<PgPool> {
    if (this.#opened === undefined) {
      this.#opened = this.#openNow();
      // A failure is not remembered: the server may be there next time.
      this.#opened.catch(() => {
        this.#opened = undefined;
      });
    }
    return this.#opened;
  }

  /**
   * Without a listener, an idle connection that breaks would end the process. A new one may break
   * before it is handed out.
   */
  async #pool(): Promise<PgPool> {
    const pool = this.#options.pool ?? (await pgPool(this.#options.connectionString ?? ''));
    pool.on?.('error', ignored);
    pool.on?.('connect', listened);
    return pool;
  }

  async #openNow(): Promise<PgPool> {
    const pool = await this.#pool();
    try {
      const isReady = (db: Connection) => isCurrent(db, this.#schema);
      const current = await again(() => this.#transaction(pool, undefined, isReady), isWorthAnother);
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
    lock: string | undefined,
    change: Work<T>,
    statementMs = this.#timeoutMs,
  ): Promise<T> {
    return this.#leased(pool, statementMs, async (lease) => {
      await lease.ask(begin(statementMs));
      try {
        if (lock !== undefined)
          await lease.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]);
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

  async #probe(lock: string | undefined): Promise<void> {
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

  async #letGo(pool: PgPool): Promise<void> {
    if (pool !== this.#options.pool) {
      await inTime(pool.end(), PROBE_MS).catch(ignored);
      return;
    }
    pool.off?.('error', ignored);
    pool.off?.('connect', listened);
  }
}

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

function ignored(): void {}
