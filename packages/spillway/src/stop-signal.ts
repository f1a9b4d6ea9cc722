/**
 * The signals that end a program which serves: the first asks it to end, the second ends it at
 * once.
 */
import { constants } from 'node:os';

/** Resolves with the first signal. What runs when the process exits still runs on the second. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const arrived = (signal: NodeJS.Signals) => {
      if (asked) process.exit(128 + constants.signals[signal]);
      asked = true;
      resolve(signal);
    };
    process.on('SIGINT', arrived).on('SIGTERM', arrived);
  });
}
