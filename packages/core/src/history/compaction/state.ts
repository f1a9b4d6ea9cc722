/**
 * What compaction remembers: a fold over canonical messages. Going on from a state gives what starting at the first message would have
 * given. Every list is bounded except the results, whose oldest move to an index (compact.ts). Holds excerpts, never whole contents.
 */
import type { ArtifactId } from '../../model/artifact.ts';

/** A result that a summary leaves out, by everything that leads back to it. */
export interface ResultLine {
  readonly tool: string;
  readonly callId: string;
  readonly output: ArtifactId | null;
  readonly status: string;
  /** What it was about: the call's most telling argument. */
  readonly about: string;
  /** The first line that speaks of failure. */
  readonly error: string | null;
}

/** A call whose result has not been seen. */
export interface PendingCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: string;
  readonly preliminary: ResultLine | null;
}

interface OpenError {
  readonly tried: string;
  readonly line: ResultLine;
}

export interface CompactState {
  readonly messages: number;
  /** Places of system messages, which stay as they are. */
  readonly system: readonly number[];
  readonly task: string;
  readonly requests: readonly string[];
  readonly demands: readonly string[];
  readonly decisions: readonly string[];
  readonly files: readonly string[];
  /** What was tried and went wrong, until the same is tried with success. */
  readonly errors: readonly OpenError[];
  readonly results: readonly ResultLine[];
  readonly pending: readonly PendingCall[];
  /** Results that moved to an index, and the latest page of it. */
  readonly indexed: number;
  readonly index: ArtifactId | null;
}

export const NOTHING_YET: CompactState = {
  messages: 0,
  system: [],
  task: '',
  requests: [],
  demands: [],
  decisions: [],
  files: [],
  errors: [],
  results: [],
  pending: [],
  indexed: 0,
  index: null,
};

/** What is known of a result's output. */
export interface OutputNote {
  readonly status: string;
  readonly about: string;
  readonly error: string | null;
}

/** A call as it is named while it has no result. */
export function unanswered({ callId, tool, input, preliminary }: PendingCall): ResultLine {
  return preliminary ?? { tool, callId, output: null, status: 'no result yet', about: input, error: null };
}
