/**
 * Takes messages into what compaction remembers. Going on from a state gives what starting at the first message would have given. Every list is
 * bounded except the results, whose oldest move to an index (compact.ts). Takes excerpts, never whole contents.
 */
import type { MessageRecord, SaidCall, SaidMedia, SaidResult } from '../../model/message.ts';
import { decisionsIn, demandsIn, excerpt, filesIn } from './excerpts.ts';
import {
  type CompactState,
  type OutputNote,
  type PendingCall,
  type ResultLine,
  unanswered,
} from './state.ts';

const TASK_CHARS = 2_000;
const REQUEST_CHARS = 400;
const LINE_CHARS = 240;
const MOST = { system: 10, requests: 6, demands: 20, decisions: 30, files: 100, errors: 40, pending: 200 };

/**
 * Goes on from a state, message by message. `state` may be asked for at any time; the one it began with is not changed. A message costs the
 * same however many came before.
 */
export class Folding {
  readonly #lists: {
    -readonly [K in
      | 'system'
      | 'requests'
      | 'demands'
      | 'decisions'
      | 'files'
      | 'results']: CompactState[K][number][];
  };
  readonly #pending: Map<string, PendingCall>;
  readonly #errors: Map<string, ResultLine>;
  readonly #rest: Pick<CompactState, 'indexed' | 'index'>;
  #messages: number;
  #task: string;

  constructor(state: CompactState) {
    const { system, requests, demands, decisions, files, results, indexed, index } = state;
    this.#lists = {
      system: [...system],
      requests: [...requests],
      demands: [...demands],
      decisions: [...decisions],
      files: [...files],
      results: [...results],
    };
    this.#pending = new Map(state.pending.map((call) => [call.callId, call]));
    this.#errors = new Map(state.errors.map(({ tried, line }) => [tried, line]));
    this.#rest = { indexed, index };
    this.#messages = state.messages;
    this.#task = state.task;
  }

  get state(): CompactState {
    return {
      ...this.#lists,
      ...this.#rest,
      messages: this.#messages,
      task: this.#task,
      errors: [...this.#errors].map(([tried, line]) => ({ tried, line })),
      pending: [...this.#pending.values()],
    };
  }

  /** `notes` tells of the outputs that its results refer to. */
  add(message: MessageRecord, notes: ReadonlyMap<SaidResult, OutputNote>): void {
    this.#messages++;
    if (message.role === 'system') {
      this.#instructed(message);
      return;
    }
    for (const part of message.parts) {
      if (part.type === 'media') this.#showed(message.id, part);
      if (part.type === 'text' && message.role === 'user') this.#asked(part.text);
      else if (part.type === 'text') this.#answered(part.text);
      else if (part.type === 'call') this.#called(part);
      else if (part.type === 'result') this.#returned(part, notes.get(part));
    }
  }

  /** The first ones and the latest stay as they are; of those between, what they demand. */
  #instructed({ place, parts }: MessageRecord): void {
    const { system } = this.#lists;
    system.push(place);
    if (system.length > MOST.system) system.splice(MOST.system / 2, 1);
    for (const part of parts) if (part.type === 'text') this.#demanded(part.text);
  }

  /** Pictures and files are left out like results, and named like them. */
  #showed(message: string, { mediaType, source }: SaidMedia): void {
    const [output, about] = 'url' in source ? [null, excerpt(source.url, LINE_CHARS)] : [source.output, ''];
    this.#lists.results.push({
      tool: 'attachment',
      callId: message,
      output,
      status: mediaType,
      about,
      error: null,
    });
  }

  #demanded(text: string): void {
    const found = demandsIn(text, 4, LINE_CHARS);
    if (found.length > 0) this.#lists.demands = distinct([...this.#lists.demands, ...found], MOST.demands);
  }

  #asked(text: string): void {
    const { requests } = this.#lists;
    if (this.#task === '') this.#task = excerpt(text, TASK_CHARS);
    else if (requests.push(excerpt(text, REQUEST_CHARS)) > MOST.requests) requests.shift();
    this.#demanded(text);
    this.#named(text);
  }

  #answered(text: string): void {
    const found = decisionsIn(text, 3, LINE_CHARS);
    if (found.length > 0)
      this.#lists.decisions = distinct([...this.#lists.decisions, ...found], MOST.decisions);
    this.#named(text);
  }

  #called({ callId, tool, input }: SaidCall): void {
    const call = { callId, tool, input: excerpt(input, LINE_CHARS), preliminary: null };
    const before = this.#pending.get(callId);
    if (before !== undefined) this.#lists.results.push(unanswered(before));
    // One that has waited for so long is named like a result, so that it does not get lost.
    const given = putLast(this.#pending, callId, call, MOST.pending);
    if (given !== null) this.#lists.results.push(unanswered(given));
    this.#named(input);
  }

  #returned(result: SaidResult, note: OutputNote | undefined): void {
    const { callId, tool, output } = result;
    const call = this.#pending.get(callId);
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
      if (call !== undefined) this.#pending.set(callId, { ...call, preliminary: line });
      return;
    }
    this.#pending.delete(callId);
    this.#lists.results.push(line);
    const tried = `${tool} ${call?.input ?? callId}`;
    if (result.status === 'ok') this.#errors.delete(tried);
    else putLast(this.#errors, tried, line, MOST.errors);
  }

  #named(text: string): void {
    const named = filesIn(text.slice(0, 20_000), 30);
    if (named.length === 0) return;
    const others = this.#lists.files.filter((file) => !named.includes(file));
    this.#lists.files = [...others, ...named].slice(-MOST.files);
  }
}

/** Behind all others; the first one goes when there are too many, and is returned. */
function putLast<T>(map: Map<string, T>, key: string, value: T, most: number): T | null {
  map.delete(key);
  map.set(key, value);
  const [first] = map;
  if (map.size <= most || first === undefined) return null;
  map.delete(first[0]);
  return first[1];
}

/** The first ones say most about the task, the latest about where it stands: both halves stay. */
function distinct(list: readonly string[], most: number): string[] {
  const once = [...new Set(list)];
  if (once.length <= most) return once;
  const half = Math.floor(most / 2);
  return [...once.slice(0, half), ...once.slice(half - most)];
}
