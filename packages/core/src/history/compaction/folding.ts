/**
 * Takes messages into what compaction remembers. Going on from a state gives what starting at the
 * first message would have given. Every list is bounded except the results, whose oldest move to an
 * index (compact.ts). What falls out of a bounded list is counted, and stays in the transcripts.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { MessageCall, MessageMedia, MessageRecord, MessageResult } from '../../model/message.ts';
import { bothEnds, decisionsIn, demandsIn, excerpt, filesIn, isSmallTalk } from './excerpts.ts';
import { textsOf } from './outputs.ts';
import { type CompactState, type OpenError, type OutputNote, type PendingCall, unanswered } from './state.ts';

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

type Folded = Omit<CompactState, 'pending' | 'errors'>;
/** Lists can be added to; everything else can be replaced. */
type Growing = { -readonly [K in keyof Folded]: Folded[K] extends readonly (infer T)[] ? T[] : Folded[K] };

/** Continues a state message by message, in constant time each. The first state is not changed. */
export class Folding {
  readonly #state: Growing;
  readonly #pending: Map<string, PendingCall>;
  readonly #errors: Map<string, OpenError>;

  constructor({ pending, errors, ...rest }: CompactState) {
    const copied = Object.entries(rest).map(([name, value]) => [
      name,
      Array.isArray(value) ? [...value] : value,
    ]);
    this.#state = Object.fromEntries(copied);
    this.#pending = new Map(pending.map((call) => [call.callId, call]));
    this.#errors = new Map(errors.map((error) => [error.tried, error]));
  }

  get state(): CompactState {
    return { ...this.#state, errors: [...this.#errors.values()], pending: [...this.#pending.values()] };
  }

  /** `notes`: about the outputs of its results. `output`: holds a message that is too long to list. */
  add(
    message: MessageRecord,
    notes: ReadonlyMap<MessageResult, OutputNote>,
    output: ArtifactId | undefined,
  ): void {
    this.#state.messages++;
    if (message.role === 'system') {
      this.#instructed(message);
      return;
    }
    if (message.role === 'user') this.#asked(message, output ?? null);
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
    if (found.length > 0) this.#state.demands = distinct([...this.#state.demands, ...found], MOST.demands);
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

  /** Small talk goes before what matters; the task and the latest messages stay. */
  #unlist(): void {
    const { users } = this.#state;
    const small = users.findIndex(({ matters }, i) => i > 0 && i < users.length - LATEST && !matters);
    const [gone] = users.splice(Math.max(1, small), 1);
    this.#state.unlisted++;
    if (gone?.matters === true) this.#demanded(gone.text);
  }

  #answered(text: string): void {
    const found = decisionsIn(text, 6, DECISION_CHARS);
    if (found.length > 0) {
      const all = [...new Set([...this.#state.decisions, ...found])];
      this.#state.decisions = distinct(all, MOST.decisions);
      this.#state.unlistedDecisions += all.length - this.#state.decisions.length;
    }
    this.#named(text);
  }

  #called({ callId, tool, input }: MessageCall): void {
    const tried = `${tool} ${excerpt(commandIn(input) ?? input, LINE_CHARS)}`;
    const call = { callId, tool, input: excerpt(input, LINE_CHARS), tried, preliminary: null };
    const before = this.#pending.get(callId);
    if (before !== undefined) this.#state.results.push(unanswered(before));
    // One that has waited for so long is named like a result, so that it does not get lost.
    const given = putLast(this.#pending, callId, call, MOST.pending);
    if (given !== null) this.#state.results.push(unanswered(given));
    this.#named(input);
  }

  #returned(result: MessageResult, note: OutputNote | undefined): void {
    const { callId, tool, output } = result;
    const call = this.#pending.get(callId);
    const about = note?.about || (call?.input ?? '');
    const known = note ?? { status: result.status, error: null };
    const line = { tool, callId, output, ...known, about };
    if (result.stage === 'preliminary') {
      if (call !== undefined) this.#pending.set(callId, { ...call, preliminary: line });
      return;
    }
    this.#pending.delete(callId);
    this.#state.results = this.#state.results.filter(
      (listed) => listed.output !== null || listed.callId !== callId,
    );
    this.#state.results.push(line);
    const tried = call?.tried ?? `${tool} ${callId}`;
    const open = this.#errors.get(tried);
    if (result.status === 'ok') {
      this.#errors.delete(tried);
      if (open !== undefined) this.#resolved(open, callId);
      return;
    }
    const before = open === undefined ? [] : [...open.before, open.line.callId].slice(-MOST.tries);
    putLast(this.#errors, tried, { tried, line, before }, MOST.errors);
  }

  /** Marks earlier failures as resolved once the same call succeeds. */
  #resolved({ line: last, before }: OpenError, by: string): void {
    const failed = new Set([...before, last.callId]);
    this.#state.results = this.#state.results.map((line) =>
      failed.has(line.callId) && line.tool === last.tool && line.callId !== by
        ? { ...line, error: null, resolvedBy: by }
        : line,
    );
  }

  #named(text: string): void {
    const named = filesIn(text.slice(0, 20_000), 30);
    if (named.length === 0) return;
    const others = this.#state.files.filter((file) => !named.includes(file));
    this.#state.files = [...others, ...named].slice(-MOST.files);
  }
}

/** The command in the arguments. Calls with the same command are tries of the same thing. */
function commandIn(input: string): string | null {
  try {
    const { command, cmd, script } = JSON.parse(input) as Readonly<Record<string, unknown>>;
    const found = [command, cmd, script].find((value) => value !== undefined);
    if (Array.isArray(found)) return found.join(' ');
    return typeof found === 'string' ? found : null;
  } catch {
    // Arguments that are no JSON, or none with fields, are compared as a whole.
    return null;
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
