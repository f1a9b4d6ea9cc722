/**
 * What compaction remembers, as a fold over canonical messages: going on from a state gives what starting at the first message would have
 * given. Every list is bounded except the results, whose oldest move to an index (compact.ts). Holds excerpts, never whole contents.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { MessageRecord, SaidCall, SaidResult } from '../../model/message.ts';
import { decisionsIn, demandsIn, excerpt, filesIn } from './excerpts.ts';

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
interface PendingCall {
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

const TASK_CHARS = 2_000;
const REQUEST_CHARS = 400;
const LINE_CHARS = 240;
const MOST = { requests: 6, demands: 20, decisions: 30, files: 100, errors: 40, pending: 200 };

/** What is known of a result's output. */
export interface OutputNote {
  readonly status: string;
  readonly about: string;
  readonly error: string | null;
}

/** The state after one more message. `notes` tells of the outputs that its results refer to. */
export function fold(
  state: CompactState,
  message: MessageRecord,
  notes: ReadonlyMap<SaidResult, OutputNote>,
): CompactState {
  let next: CompactState = { ...state, messages: state.messages + 1 };
  if (message.role === 'system') return { ...next, system: [...next.system, message.place] };
  for (const part of message.parts) {
    if (part.type === 'text')
      next = message.role === 'user' ? asked(next, part.text) : answered(next, part.text);
    else if (part.type === 'call') next = called(next, part);
    else if (part.type === 'result') next = returned(next, part, notes.get(part));
  }
  return next;
}

function asked(state: CompactState, text: string): CompactState {
  const task = state.task === '' ? excerpt(text, TASK_CHARS) : state.task;
  const requests =
    state.task === ''
      ? state.requests
      : last([...state.requests, excerpt(text, REQUEST_CHARS)], MOST.requests);
  const demands = distinct([...state.demands, ...demandsIn(text, 4, LINE_CHARS)], MOST.demands);
  return { ...withFiles(state, text), task, requests, demands };
}

function answered(state: CompactState, text: string): CompactState {
  const decisions = distinct([...state.decisions, ...decisionsIn(text, 3, LINE_CHARS)], MOST.decisions);
  return { ...withFiles(state, text), decisions };
}

function called(state: CompactState, { callId, tool, input }: SaidCall): CompactState {
  const call = { callId, tool, input: excerpt(input, LINE_CHARS), preliminary: null };
  const pending = last([...without(state.pending, callId), call], MOST.pending);
  return { ...withFiles(state, input), pending };
}

function returned(state: CompactState, result: SaidResult, note: OutputNote | undefined): CompactState {
  const { callId, tool, output } = result;
  const call = state.pending.find((one) => one.callId === callId);
  const about = note?.about || (call?.input ?? '');
  const line = {
    tool,
    callId,
    output,
    status: note?.status ?? result.status,
    about,
    error: note?.error ?? null,
  };
  if (result.stage === 'preliminary') {
    if (call === undefined) return state;
    return { ...state, pending: [...without(state.pending, callId), { ...call, preliminary: line }] };
  }
  const tried = `${tool} ${call?.input ?? callId}`;
  const others = state.errors.filter((one) => one.tried !== tried);
  const errors = result.status === 'ok' ? others : last([...others, { tried, line }], MOST.errors);
  return { ...state, pending: without(state.pending, callId), errors, results: [...state.results, line] };
}

function without(pending: readonly PendingCall[], callId: string): readonly PendingCall[] {
  return pending.filter((one) => one.callId !== callId);
}

function withFiles(state: CompactState, text: string): CompactState {
  const named = filesIn(text.slice(0, 20_000), 30);
  if (named.length === 0) return state;
  const others = state.files.filter((file) => !named.includes(file));
  return { ...state, files: last([...others, ...named], MOST.files) };
}

function last<T>(list: readonly T[], most: number): readonly T[] {
  return list.length > most ? list.slice(-most) : list;
}

/** The first ones say most about the task, the latest about where it stands: both halves stay. */
function distinct(list: readonly string[], most: number): readonly string[] {
  const once = [...new Set(list)];
  if (once.length <= most) return once;
  const half = Math.floor(most / 2);
  return [...once.slice(0, half), ...once.slice(half - most)];
}
