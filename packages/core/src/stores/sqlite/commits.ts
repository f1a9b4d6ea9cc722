/**
 * The queue of writes. What waits is committed together in one short transaction, so many callers
 * share one flush. If it fails, each gets a transaction of its own, so that one does not fail the
 * others. The event loop gets a turn after each transaction. A seal asks for synchronous=FULL,
 * which flushes the WAL on commit; an append needs NORMAL only, because the flush of the seal
 * covers earlier frames, and a checkpoint flushes both files.
 */

import { statSync } from 'node:fs';
import type { Connection } from './driver.ts';
import { monotonicMs, nextTurn, type Patience } from './patience.ts';

/**
 * How long a transaction takes more operations: as long as its flush takes, within these limits, so
 * that many callers share a flush on a slow disk.
 */
const STEP_MS = { least: 2, most: 16 };

/** Commits between two looks at the length of the WAL, and when it is too long. */
const COMMITS_BETWEEN_LOOKS = 32;
const LONG_WAL_BYTES = 16 * 1024 * 1024;

/**
 * A write. `run` may be called again after a failed commit, so it changes nothing but the database.
 */
export interface Operation<T> {
  readonly durable: boolean;
  run(db: Connection): T;
}

export type Write = <T>(operation: Operation<T>) => Promise<T>;

interface Waiting {
  readonly operation: Operation<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  alone: boolean;
}

export class Commits {
  readonly #db: Connection;
  readonly #wal: string;
  #commits = 0;
  readonly #patience: Patience;
  readonly #check: () => void;
  readonly #queue: Waiting[] = [];
  #draining: Promise<void> | undefined;
  #flushing: boolean | undefined;
  #flushMs = 0;

  /**
   * `file` is that of the database; `check` is called in each transaction before anything is
   * written, and throws if nothing may be.
   */
  constructor(db: Connection, file: string, patience: Patience, check: () => void) {
    this.#db = db;
    this.#wal = `${file}-wal`;
    this.#patience = patience;
    this.#check = check;
  }

  /**
   * Resolves once committed. The signal removes the operation from the queue; it never interrupts a
   * transaction.
   */
  add<T>(operation: Operation<T>, signal?: AbortSignal): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const waiting = { operation, resolve, reject, alone: false };
    const withdraw = () => {
      const at = this.#queue.indexOf(waiting);
      if (at >= 0) this.#queue.splice(at, 1);
      reject(signal?.reason);
    };
    if (signal?.aborted) return Promise.reject(signal.reason);
    signal?.addEventListener('abort', withdraw, { once: true });
    this.#queue.push(waiting);
    this.#draining ??= this.#drain();
    const added = promise as Promise<T>;
    return signal === undefined ? added : added.finally(() => signal.removeEventListener('abort', withdraw));
  }

  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // Writes that are added in the same turn of the event loop share the commit.
      await nextTurn();
      try {
        await this.#patience.whenFree(() => this.#commitSome());
      } catch (error) {
        for (const { reject } of this.#queue.splice(0)) reject(error);
      }
    }
    this.#draining = undefined;
  }

  /**
   * One transaction with as much of the queue as fits. Throws with nothing changed if the lock is
   * taken.
   */
  #commitSome(): void {
    this.#flushOnCommit(this.#queue.some(({ operation }) => operation.durable));
    this.#db.run('BEGIN IMMEDIATE');
    const values: unknown[] = [];
    let tried = 1;
    try {
      this.#check();
      const enoughAt = monotonicMs() + Math.min(STEP_MS.most, Math.max(STEP_MS.least, this.#flushMs));
      for (const { operation, alone } of this.#queue) {
        if (alone && values.length > 0) break;
        tried = values.length + 1;
        values.push(operation.run(this.#db));
        if (alone || monotonicMs() > enoughAt) break;
      }
      const before = monotonicMs();
      this.#db.run('COMMIT');
      this.#flushMs = monotonicMs() - before;
    } catch (error) {
      this.#db.rollback();
      // Try each by itself to find the one that fails.
      if (tried === 1) this.#queue.shift()?.reject(error);
      else for (const waiting of this.#queue.slice(0, tried)) waiting.alone = true;
      return;
    }
    this.#patience.renew();
    for (const value of values) this.#queue.shift()?.resolve(value);
    this.#shortenWal();
  }

  #flushOnCommit(flush: boolean): void {
    if (this.#flushing === flush) return;
    this.#db.exec(`PRAGMA synchronous = ${flush ? 'FULL' : 'NORMAL'}`);
    this.#flushing = flush;
  }

  /**
   * SQLite begins the WAL anew only once all of its pages were moved, which never happens while two
   * processes write all the time, so one of them asks for it now and then.
   */
  #shortenWal(): void {
    if (++this.#commits % COMMITS_BETWEEN_LOOKS !== 0) return;
    try {
      const { size = 0 } = statSync(this.#wal, { throwIfNoEntry: false }) ?? {};
      if (size <= LONG_WAL_BYTES) return;
      const { busy } = this.#db.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)') ?? {};
      // Busy: try again with the next commit.
      if (busy === 1) this.#commits--;
    } catch {
      // Busy or failing: the WAL stays longer for now, and a failing disk shows at the next commit.
    }
  }
}
