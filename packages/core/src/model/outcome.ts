/** How a tool call ended. It survives every projection. */
export type OutcomeStatus = 'ok' | 'error' | 'timeout' | 'cancelled' | 'crashed';

/** How a tool call ended, with what the process left. */
export interface Outcome {
  /** How it ended, in one word. */
  readonly status: OutcomeStatus;
  /** Of a command that ended by itself. */
  readonly exitCode?: number;
  /** The name of the signal that ended it. */
  readonly signal?: string;
  /** How long the call ran, where its host measured it. */
  readonly durationMs?: number;
  /** The time that was up when a call timed out. */
  readonly timeoutMs?: number;
}

export const OK: Outcome = { status: 'ok' };

/** Causes that are looked at: errors are wrapped a few times at most. */
const MOST_CAUSES = 5;

/** How a call that broke off ended: by a timeout, by an abort, or by itself. */
export function outcomeOfFailure(failure: unknown): Outcome {
  const names = causesOf(failure).map(({ name, code }) =>
    code === 'ABORT_ERR' ? 'AbortError' : String(name),
  );
  if (names.some((name) => /Timeout(?:Error)?$/.test(name))) return { status: 'timeout' };
  return { status: names.some((name) => name.endsWith('AbortError')) ? 'cancelled' : 'crashed' };
}

/** What a failure says of itself, with what caused it: all of it, since it is kept. */
export function reasonOfFailure(failure: unknown): string {
  const causes = causesOf(failure);
  if (causes.length === 0) return String(failure);
  const reasons = causes.map(({ name, message }) => `${String(name)}: ${String(message)}`);
  return [...new Set(reasons)].join('\nCaused by ');
}

interface Failure {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
}

function causesOf(failure: unknown): readonly Failure[] {
  const causes: Failure[] = [];
  for (let cause = failure; typeof cause === 'object' && cause !== null; cause = (cause as Failure).cause) {
    if (causes.length === MOST_CAUSES) break;
    causes.push(cause as Failure);
  }
  return causes;
}

/** Whether a call is known to have failed. */
export function endedBadly({ status, exitCode = 0 }: Outcome): boolean {
  return status !== 'ok' || exitCode !== 0;
}
