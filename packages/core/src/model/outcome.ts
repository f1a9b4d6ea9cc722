/** How a tool call ended. It survives every projection. */
export type OutcomeStatus = 'ok' | 'error' | 'timeout' | 'cancelled' | 'crashed';

/** How a tool call ended, with what the process left. */
export interface Outcome {
  readonly status: OutcomeStatus;
  readonly exitCode?: number;
  readonly signal?: string;
  /** How long the call ran, where its host measured it. */
  readonly durationMs?: number;
  /** The time that was up when a call timed out. */
  readonly timeoutMs?: number;
}

export const OK: Outcome = { status: 'ok' };

/** Whether a call is known to have failed. */
export function endedBadly({ status, exitCode = 0 }: Outcome): boolean {
  return status !== 'ok' || exitCode !== 0;
}
