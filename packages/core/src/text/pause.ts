/**
 * Lets others run while much is being done: work that comes in pieces stops between two of them, so
 * that no caller's event loop stands still for long.
 */
import { setImmediate } from 'node:timers/promises';

const MOST_MS = 10;
let last = 0;

/** Gives the event loop a turn, if there was none for some milliseconds. */
export async function pauseAtTimes(): Promise<void> {
  if (performance.now() - last < MOST_MS) return;
  await setImmediate();
  last = performance.now();
}
