/**
 * Waits for a lock of another process without blocking the event loop: SQLite is told not to wait,
 * and the attempt is repeated after a growing, jittered pause. Times are milliseconds.
 */
import { isBusy } from './failures.ts';

const PATIENCE_MS = 5_000;
const SPENT_PATIENCE_MS = 100;
/**
 * Attempts before a lock is given up: where many processes share few cores, one may be run for two or
 * three attempts a second only. Otherwise these take less than half of the time.
 */
const LEAST_ATTEMPTS = 64;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 32;

/**
 * Storing one output takes several steps. Once one of them waited in vain, e.g. because a process
 * was stopped inside a transaction, the others give up soon, until the lock is free again.
 */
export class Patience {
  #isSpent = false;

  renew(): void {
    this.#isSpent = false;
  }

  /** If `attempt` fails because the store is busy, it must have changed nothing. */
  async whenFree<T>(attempt: () => T): Promise<T> {
    const givenUpAt = monotonicMs() + (this.#isSpent ? SPENT_PATIENCE_MS : PATIENCE_MS);
    let attemptsLeft = this.#isSpent ? 0 : LEAST_ATTEMPTS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (--attemptsLeft <= 0 && monotonicMs() > givenUpAt) {
          this.#isSpent = true;
          throw error;
        }
      }
      await pause(pauseMs * (0.5 + Math.random()));
    }
  }
}

/** Not `node:timers/promises`: a short-lived program would load it for this alone. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Not `performance`: a short-lived program would load it for this alone. */
export function monotonicMs(): number {
  return process.uptime() * 1_000;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
