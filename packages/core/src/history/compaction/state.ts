/**
 * What compaction remembers: a fold over canonical messages. Going on from a state gives what
 * starting at the first message would have given. Every list is bounded except the results, whose
 * oldest move to an index (compact.ts). Holds what users said in short messages word for word, of
 * everything else excerpts; whole texts are kept in outputs that the state names.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import type { CallName } from '../../model/message.ts';

/** What a user said. */
export interface UserLine {
  /** The place of the message in its session; null in summaries that an earlier version made. */
  readonly place: number | null;
  /** Word for word, or both ends of a longer message. */
  readonly text: string;
  /** The output that holds a longer message whole; null where `text` is the whole message. */
  readonly output: ArtifactId | null;
  /** Chars of the whole message. */
  readonly chars: number;
  /** False for small talk such as `go on`, which gives way first. */
  readonly matters: boolean;
}

/** An output that holds what was said in a run of messages, word for word. */
interface TranscriptLine {
  readonly first: number;
  readonly last: number;
  readonly output: ArtifactId;
}

/** What is known of a result's output. */
export interface OutputNote {
  readonly status: string;
  /** What it was about: the call's most telling argument. */
  readonly about: string;
  /** The first line that speaks of failure. */
  readonly error: string | null;
}

/** A result that a summary leaves out, by everything that leads back to it. */
export interface ResultLine extends CallName, OutputNote {
  readonly output: ArtifactId | null;
  /** The call that tried the same later, with success: what failed here is no longer open. */
  readonly resolvedBy?: string;
}

/** A call whose result has not been seen. */
export interface PendingCall extends CallName {
  readonly input: string;
  /** What makes two calls tries of the same. */
  readonly tried: string;
  readonly preliminary: ResultLine | null;
}

/** What was tried and went wrong. */
export interface OpenError {
  readonly tried: string;
  readonly line: ResultLine;
  /** Ids of the calls that tried the same before, and failed too. */
  readonly before: readonly string[];
}

export interface CompactState {
  readonly messages: number;
  /** Places of system messages, which stay as they are. */
  readonly system: readonly number[];
  /** What users said; the first one is the task. */
  readonly users: readonly UserLine[];
  /** User messages that are no longer in `users`: they are in the transcripts. */
  readonly unlisted: number;
  readonly transcripts: readonly TranscriptLine[];
  readonly demands: readonly string[];
  readonly decisions: readonly string[];
  /** Decisions that are no longer in the list: they are in the transcripts. */
  readonly unlistedDecisions: number;
  readonly files: readonly string[];
  /** What was tried and went wrong, until the same is tried with success. */
  readonly errors: readonly OpenError[];
  readonly results: readonly ResultLine[];
  readonly pending: readonly PendingCall[];
  /** Results that moved to an index, and the latest page of it. */
  readonly indexed: number;
  readonly index: ArtifactId | null;
  /** What a model of the host made of it; null where it was not asked. */
  readonly told: string | null;
  /** Results that are dropped because a later call read the same: see superseded.ts. */
  readonly superseded: readonly ArtifactId[];
  /** The place of the latest message, where the summary stands for that one too; else null. */
  readonly standsAt: number | null;
}

export const NOTHING_YET: CompactState = {
  messages: 0,
  system: [],
  users: [],
  unlisted: 0,
  transcripts: [],
  demands: [],
  decisions: [],
  unlistedDecisions: 0,
  files: [],
  errors: [],
  results: [],
  pending: [],
  indexed: 0,
  index: null,
  told: null,
  superseded: [],
  standsAt: null,
};

/** The state of a stored summary; summaries of earlier versions hold less. */
export function readState(stored: Readonly<Record<string, unknown>>): CompactState {
  const { task, requests, ...rest } = stored as Partial<CompactState> & {
    readonly task?: string;
    readonly requests?: readonly string[];
  };
  const state = { ...NOTHING_YET, ...rest };
  refuseDamaged(state, requests);
  const earlier = [...(task === undefined || task === '' ? [] : [task]), ...(requests ?? [])];
  const usual = { place: null, output: null, matters: true };
  const users = earlier.map((text) => ({ ...usual, text, chars: text.length }));
  const tried = ({ tool, input }: PendingCall) => ({ tried: `${tool} ${input}` });
  const pending = state.pending.map((call) => ({ ...tried(call), ...call }));
  const errors = state.errors.map((error) => ({ ...error, before: error.before ?? [] }));
  return { ...state, users: [...users, ...state.users], pending, errors };
}

/** Lists must be lists: a stored state may have been changed by others. */
function refuseDamaged(state: CompactState, requests: unknown): void {
  const lists = Object.entries(NOTHING_YET).filter(([, empty]) => Array.isArray(empty));
  const given = [requests ?? [], ...lists.map(([name]) => state[name as keyof CompactState])];
  if (given.every(Array.isArray)) return;
  throw new SpillwayError('corrupt', 'A summary of the session is damaged: restore the store from a copy.');
}

/** A call as it is named while it has no result. */
export function unanswered({ callId, tool, input, preliminary }: PendingCall): ResultLine {
  return preliminary ?? { tool, callId, output: null, status: 'no result yet', about: input, error: null };
}
