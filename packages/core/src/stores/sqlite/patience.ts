/**
 * Waits for a lock that another process holds without blocking the event loop: the engine is told
 * not to wait at all, and the attempt is repeated after a growing, jittered pause. Times are
 * milliseconds.
 */
import { isBusy } from './failures.ts';

const PATIENCE_MS = 5_000;
const SPENT_PATIENCE_MS = 100;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 32;

/**
 * How long a store is waited for. Storing one output takes several steps: once one of them waited in
 * vain, because a process was stopped inside a transaction, the others give up soon, until the lock
 * is free again.
 */
export class Patience {
  #isSpent = false;

  /** Something was written: the lock is free again. */
  renew(): void {
    this.#isSpent = false;
  }

  /**
   * The result of `attempt`, which must have changed nothing when it fails because the store is
   * busy.
   */
  async whenFree<T>(attempt: () => T): Promise<T> {
    const givenUpAt = monotonicMs() + (this.#isSpent ? SPENT_PATIENCE_MS : PATIENCE_MS);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (monotonicMs() > givenUpAt) {
          this.#isSpent = true;
          throw error;
        }
      }
      await pause(pauseMs * (0.5 + Math.random()));
    }
  }
}

/**
 * Lets the event loop go on, as `node:timers/promises` would: a program that runs once would load
 * that for this alone.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Milliseconds on a clock that is never set. Cheaper to have than `performance`, which a program
 * that runs once would load for this alone.
 */
export function monotonicMs(): number {
  return process.uptime() * 1_000;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
