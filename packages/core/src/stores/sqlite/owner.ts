/**
 * Who is writing an output: a host, a process on it, and a store opened in that process. A writer
 * is dead when its process is, or when it ran on a host we cannot ask and has been silent for a
 * day. In doubt it lives. Times are milliseconds.
 */
import { hostname } from 'node:os';

export interface Owner {
  readonly host: string;
  readonly pid: number;
  /**
   * When the process began: tells it from an earlier one that had the same pid, as the first of a
   * container always does.
   */
  readonly startedAt: number;
  readonly instance: string;
}

const SILENCE_MS = 24 * 60 * 60 * 1_000;
/**
 * The start of a process is computed from two clocks that are read one after the other, and wall
 * clocks are adjusted.
 */
const START_TOLERANCE_MS = 5_000;

export function thisOwner(processStart = startOfProcess()): Owner {
  return { host: hostname(), pid: process.pid, startedAt: processStart, instance: instanceName() };
}

/**
 * Tells the stores of one process apart, in whatever thread: the clock counts nanoseconds, and two
 * that start in the same one draw lots.
 */
function instanceName(): string {
  return `${process.hrtime.bigint().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

let start: number | undefined;

/**
 * Computed once: a clock that is set, or stands still while the machine sleeps, must not make this
 * process look like another.
 */
export function startOfProcess(): number {
  start ??= Math.round(Date.now() - process.uptime() * 1_000);
  return start;
}

export function isDead(owner: Owner, touchedAt: number, self: Owner, now: number): boolean {
  if (owner.host !== self.host) return now - touchedAt > SILENCE_MS;
  if (owner.pid === self.pid) return Math.abs(owner.startedAt - self.startedAt) > START_TOLERANCE_MS;
  // 0 is what a store leaves behind that was closed with the output unsealed.
  return owner.pid === 0 || !isRunning(owner.pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
