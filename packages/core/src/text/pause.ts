/**
 * Lets others run while much is being done: work that comes in pieces stops between two of them, so
 * that no caller's event loop stands still for long.
 */
import { setImmediate } from 'node:timers/promises';

const MOST_MS = 10;
let last = 0;

/**
 * Gives the event loop a turn, if there was none for some milliseconds. Not `performance`: a
 * short-lived program would load it for this alone. A clock that is set back is no reason to wait.
 */
export async function pauseAtTimes(): Promise<void> {
  const since = Date.now() - last;
  if (since >= 0 && since < MOST_MS) return;
  await setImmediate();
  last = Date.now();
}
