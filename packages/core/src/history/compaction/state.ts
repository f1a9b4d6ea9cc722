/**
 * What compaction remembers: a fold over canonical messages. Going on from a state gives what
 * starting at the first message would have given. Every list is bounded except the results, whose
 * oldest move to an index (compact.ts). Holds what users said in short messages word for word, of
 * everything else excerpts; whole texts are kept in outputs that the state names. What falls out of
 * a bounded list is counted, and stays in the transcripts.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import type {
  CallName,
  MessageCall,
  MessageMedia,
  MessageRecord,
  MessageResult,
} from '../../model/message.ts';
import { parsed } from '../shapes/json.ts';
import { bothEnds, decisionsIn, demandsIn, excerpt, filesIn, isSmallTalk } from './excerpts.ts';

/** What a user said. */
export interface UserLine {
  /** The place of the message in its session. */
  readonly place: number;
  /** Word for word, or both ends of a longer message. */
  readonly text: string;
  /** The output that holds a longer message whole; null where `text` is the whole message. */
  readonly output: ArtifactId | null;
  /** Chars of the whole message. */
  readonly chars: number;
  /** False for small talk such as `go on`, which gives way first. */
  readonly matters: boolean;
}

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

interface OpenError {
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

/** The state of a stored summary. Lists must be lists: it may have been changed by others. */
export function readState(stored: Readonly<Record<string, unknown>>): CompactState {
  const state: CompactState = { ...NOTHING_YET, ...stored };
  const names = Object.keys(NOTHING_YET) as (keyof CompactState)[];
  const isSound = (name: keyof CompactState) =>
    Array.isArray(state[name]) || !Array.isArray(NOTHING_YET[name]);
  if (names.every(isSound)) return state;
  throw new SpillwayError('corrupt', 'A summary of the session is damaged: restore the store from a copy.');
}

/** A call as it is named while it has no result. */
export function unanswered({ callId, tool, input, preliminary }: PendingCall): ResultLine {
  return preliminary ?? { tool, callId, output: null, status: 'no result yet', about: input, error: null };
}

const TASK_CHARS = 2_000;
const REQUEST_CHARS = 400;
const LINE_CHARS = 240;
const DECISION_CHARS = 400;
const MOST = {
  system: 10,
  users: 300,
  transcripts: 40,
  demands: 20,
  decisions: 40,
  files: 100,
  errors: 40,
  tries: 20,
  pending: 200,
};
/** The latest user messages stay in the list whatever they say. */
const LATEST = 50;

/** Lists can be added to; everything else can be replaced. */
type Growing = {
  -readonly [K in keyof CompactState]: CompactState[K] extends readonly (infer T)[] ? T[] : CompactState[K];
};

/** Continues a state message by message, in constant time each. The first state is not changed. */
export class Folding {
  readonly #state: Growing;
  readonly #pending: Map<string, PendingCall>;
  readonly #errors: Map<string, OpenError>;

  constructor(state: CompactState) {
    const copied = Object.entries(state).map(([name, value]) => [
      name,
      Array.isArray(value) ? [...value] : value,
    ]);
    this.#state = Object.fromEntries(copied);
    this.#pending = new Map(state.pending.map((call) => [call.callId, call]));
    this.#errors = new Map(state.errors.map((error) => [error.tried, error]));
  }

  get state(): CompactState {
    return { ...this.#state, errors: [...this.#errors.values()], pending: [...this.#pending.values()] };
  }

  /** `notes`: about the outputs of its results. `output`: holds a message that is too long to list. */
  add(
    message: MessageRecord,
    notes: ReadonlyMap<MessageResult, OutputNote>,
    output: ArtifactId | null,
  ): void {
    this.#state.messages++;
    if (message.role === 'system') {
      this.#instructed(message);
      return;
    }
    if (message.role === 'user') this.#asked(message, output);
    for (const part of message.parts) {
      if (part.type === 'media') this.#showed(message.id, part);
      else if (part.type === 'text' && message.role !== 'user') this.#answered(part.text);
      else if (part.type === 'call') this.#called(part);
      else if (part.type === 'result') this.#returned(part, notes.get(part));
    }
  }

  /** Names the output of a call whose result no message has said yet. */
  found({ callId, tool, input }: PendingCall, output: ArtifactId, note: OutputNote): void {
    const call = this.#pending.get(callId);
    if (call === undefined || this.#state.results.some((line) => line.output === output)) return;
    const preliminary = { tool, callId, output, ...note, about: note.about || input };
    this.#pending.set(callId, { ...call, preliminary });
  }

  /** Tells of the output that holds what was said in a run of messages. */
  kept(first: number, last: number, output: ArtifactId): void {
    const { transcripts } = this.#state;
    // Each of them names the one before it.
    if (transcripts.push({ first, last, output }) > MOST.transcripts) transcripts.shift();
  }

  /** The first ones and the latest stay as they are; of those between, what they demand. */
  #instructed({ ordinal, parts }: MessageRecord): void {
    const { system } = this.#state;
    system.push(ordinal);
    if (system.length > MOST.system) system.splice(MOST.system / 2, 1);
    for (const part of parts) if (part.type === 'text') this.#demanded(part.text);
  }

  /** Pictures and files are left out like results, and named like them. */
  #showed(message: string, { mediaType, source }: MessageMedia): void {
    const [output, about] = 'url' in source ? [null, excerpt(source.url, LINE_CHARS)] : [source.output, ''];
    const note = { status: mediaType, about, error: null };
    this.#state.results.push({ tool: 'attachment', callId: message, output, ...note });
  }

  #demanded(text: string): void {
    const found = demandsIn(text, 4, LINE_CHARS);
    this.#state.demands = bothHalves([...this.#state.demands, ...found], MOST.demands);
  }

  #asked(message: MessageRecord, output: ArtifactId | null): void {
    const { users } = this.#state;
    const text = textsOf(message).join('\n');
    if (text.trim() === '') return;
    const most = users.length === 0 ? TASK_CHARS : REQUEST_CHARS;
    users.push({
      place: message.ordinal,
      text: output === null ? text : bothEnds(text, most),
      output,
      chars: text.length,
      matters: !isSmallTalk(text),
    });
    if (output !== null) this.#demanded(text);
    if (users.length > MOST.users) this.#unlist();
    this.#named(text);
  }

  #unlist(): void {
    const { users } = this.#state;
    const small = users.findIndex(({ matters }, i) => i > 0 && i < users.length - LATEST && !matters);
    const [gone] = users.splice(Math.max(1, small), 1);
    this.#state.unlisted++;
    if (gone?.matters === true) this.#demanded(gone.text);
  }

  #answered(text: string): void {
    const all = new Set([...this.#state.decisions, ...decisionsIn(text, 6, DECISION_CHARS)]);
    this.#state.decisions = bothHalves([...all], MOST.decisions);
    this.#state.unlistedDecisions += all.size - this.#state.decisions.length;
    this.#named(text);
  }

  #called({ callId, tool, input }: MessageCall): void {
    const tried = `${tool} ${excerpt(commandIn(input) ?? input, LINE_CHARS)}`;
    const call = { callId, tool, input: excerpt(input, LINE_CHARS), tried, preliminary: null };
    const before = this.#pending.get(callId);
    // One that has waited for so long is named like a result, so that it does not get lost.
    const given = putLast(this.#pending, callId, call, MOST.pending);
    for (const lost of [before, given]) if (lost !== undefined) this.#state.results.push(unanswered(lost));
    this.#named(input);
  }

  #returned(result: MessageResult, note: OutputNote | undefined): void {
    const { callId, tool, output, status } = result;
    const call = this.#pending.get(callId);
    const known = note ?? { status, about: '', error: null };
    const line = { tool, callId, output, ...known, about: known.about || (call?.input ?? '') };
    if (result.stage === 'preliminary') {
      if (call !== undefined) this.#pending.set(callId, { ...call, preliminary: line });
      return;
    }
    this.#pending.delete(callId);
    const isUnanswered = (listed: ResultLine) => listed.output === null && listed.callId === callId;
    this.#state.results = this.#state.results.filter((listed) => !isUnanswered(listed));
    this.#state.results.push(line);
    const tried = call?.tried ?? `${tool} ${callId}`;
    const open = this.#errors.get(tried);
    const failed = open === undefined ? [] : [...open.before, open.line.callId].slice(-MOST.tries);
    if (status !== 'ok') {
      putLast(this.#errors, tried, { tried, line, before: failed }, MOST.errors);
      return;
    }
    this.#errors.delete(tried);
    // Earlier failures are resolved once the same call succeeds.
    if (failed.length > 0)
      this.#state.results = this.#state.results.map((each) =>
        failed.includes(each.callId) && each.tool === open?.line.tool && each.callId !== callId
          ? { ...each, error: null, resolvedBy: callId }
          : each,
      );
  }

  #named(text: string): void {
    const named = filesIn(text.slice(0, 20_000), 30);
    const others = this.#state.files.filter((file) => !named.includes(file));
    this.#state.files = [...others, ...named].slice(-MOST.files);
  }
}

/** What a user said in a message: texts, and documents and data as their JSON. */
export function textsOf({ parts }: MessageRecord): string[] {
  return parts.flatMap((part) =>
    part.type === 'text' ? [part.text] : part.type === 'data' ? [part.json] : [],
  );
}

/** The command in the arguments. Calls with the same command are tries of the same thing. */
function commandIn(input: string): string | null {
  const { command, cmd, script } = (parsed(input, () => null) ?? {}) as Readonly<Record<string, unknown>>;
  const found = command ?? cmd ?? script;
  if (Array.isArray(found)) return found.join(' ');
  return typeof found === 'string' ? found : null;
}

/** Behind all others; the first one goes when there are too many, and is returned. */
function putLast<T>(map: Map<string, T>, key: string, value: T, most: number): T | undefined {
  map.delete(key);
  map.set(key, value);
  const [first] = map;
  if (map.size <= most || first === undefined) return undefined;
  map.delete(first[0]);
  return first[1];
}

/** The first ones say most about the task, the latest about where it stands: both halves stay. */
function bothHalves(list: readonly string[], most: number): string[] {
  const once = [...new Set(list)];
  const half = Math.floor(most / 2);
  return once.length <= most ? once : [...once.slice(0, half), ...once.slice(half - most)];
}
