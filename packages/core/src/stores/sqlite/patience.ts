/**
 * Waits for a lock that another process holds without blocking the event loop: the engine is told
 * not to wait at all, and the attempt is repeated after a growing, jittered pause. Times are
 * milliseconds.
 */
import { isBusy } from './failures.ts';

const PATIENCE_MS = 15_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 32;

/**
 * The result of `attempt`, which must have changed nothing when it fails because the store is busy.
 */
export async function whenFree<T>(attempt: () => T, patienceMs = PATIENCE_MS): Promise<T> {
  const givenUpAt = monotonicMs() + patienceMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || monotonicMs() > givenUpAt) throw error;
    }
    await pause(pauseMs * (0.5 + Math.random()));
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
