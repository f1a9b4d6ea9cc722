/**
 * Compaction: the only thing that makes a long history shorter for a model. It reads canonical
 * messages, writes a new version of the summary beside them, and touches nothing else; undoing it
 * writes another version that says what the one before said. What users said is in the summary word
 * for word, or named with a handle; everything that was said can be fetched by a handle, in the
 * scope of the session. Without a model of the host it is extractive and deterministic. Units:
 * tokens for what is kept and for the summary, chars for its parts.
 */
import type { BlocksResult, TextResult } from '../../capture/result.ts';
import type { ArtifactId } from '../../model/artifact.ts';
import { invalidArgument, SpillwayError } from '../../model/errors.ts';
import { allItems } from '../../model/every-item.ts';
import type { MessageRecord, MessageResult } from '../../model/message.ts';
import { COMPACTION_OUTPUTS, type OutputRecord } from '../../model/output.ts';
import type { SummaryRecord } from '../../model/session.ts';
import type { WaitOptions } from '../../model/store.ts';
import { untilAborted } from '../../text/abortable.ts';
import { earlierMessages, keptMessage, messageText } from '../../wording/history.ts';
import { forCall, type SessionContext } from '../context.ts';
import { messageTokens, shownTokens } from '../pricing.ts';
import { findKept, latestSummary, readableAbove, unlessDamaged } from '../read-session.ts';
import { type CompactState, Folding, NOTHING_YET, type OutputNote, readState, textsOf } from './state.ts';
import {
  fitSummary,
  indexedIn,
  narrative,
  type Room,
  renderIndex,
  renderSummary,
  roomFor,
} from './summary.ts';
import type { LeftOutResult } from './superseded.ts';

/** How far to compact, and by whom. */
export interface CompactOptions extends WaitOptions {
  /** The window of the model, in tokens: what is kept and the summary follow it. */
  readonly window?: number;
  /** Tokens of the latest messages that stay as they are. Default: 0.3 of the window, or 10,000. */
  readonly keepTokens?: number;
  /** Tokens of the summary. Default: 0.3 of the window; without one, only its lists are bounded. */
  readonly summaryTokens?: number;
  /** `all`: also the latest messages. Default: `older`, which keeps at least the latest message. */
  readonly reach?: 'older' | 'all';
  /** Words the summary; ours is used if it fails. What was left out is always listed by us. */
  readonly model?: (request: SummaryRequest) => Promise<string>;
}

/** What a model of the host is given. */
export interface SummaryRequest {
  /** Ends with the compaction: pass it to the model. */
  readonly signal?: AbortSignal;
  /** The summary so far; empty the first time. */
  readonly previous: string;
  /** What we would have said. */
  readonly extract: string;
  /** The messages that are summarised now, as they are kept. */
  readonly messages: readonly MessageRecord[];
  /** The most chars. Of a longer text the beginning is used, with a handle of the whole. */
  readonly maxChars: number;
}

/** What compaction did. */
export interface Compacted {
  /** The summary that counts now; undefined if there is none. */
  readonly summary: SummaryRecord | undefined;
  /** Messages that it stands for and the one before did not. */
  readonly summarised: number;
  /** Those messages by their numbers; null where there are none. */
  readonly messages: readonly [first: number, last: number] | null;
  /** The results among them, by their handles. */
  readonly results: readonly LeftOutResult[];
  /** Why the host's model was not used. */
  readonly failure?: unknown;
}

const KEEP_SHARE = 0.3;
const KEEP_TOKENS = 10_000;
const MOST_ATTEMPTS = 5;
/** Of a result that was not sent yet: rather too many tokens than too few. */
const CHARS_A_TOKEN = 3;
/** A message of a user with more chars than this has an output of its own. */
const SHORT_CHARS = 600;

/**
 * Summarises what is older than what is to be kept. Who is overtaken by another compaction goes on
 * from its summary. One that is given up adds no summary; transcripts that it had kept by then are
 * found again by the next.
 */
export async function compactSession(session: SessionContext, options: CompactOptions): Promise<Compacted> {
  const context = forCall(session, options);
  for (let attempt = 1; ; attempt++) {
    try {
      return await compactOnce(context, options);
    } catch (error) {
      const overtaken = error instanceof SpillwayError && error.code === 'conflict';
      if (!overtaken || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

async function compactOnce(context: SessionContext, options: CompactOptions): Promise<Compacted> {
  const { store, name, clock, counts } = context;
  const current = await latestSummary(context);
  const covers = current?.covers ?? 0;
  const live = await readableAbove(context, covers);
  const boundary = await boundaryFor(context, live, options);
  const old = live.filter(({ ordinal }) => ordinal <= boundary);
  const room = roomFor(options);
  // A summary that was made for a larger window may have to become shorter.
  const isShort =
    current === undefined ||
    covers === 0 ||
    room.tokens === null ||
    counts.count(current.text) <= room.tokens;
  if (old.length === 0 && isShort) return { summary: current, summarised: 0, ...leftOutOf([]) };
  const state = await folded(context, begun(current), old);
  const { told, ...failed } = await wordedBy(options, state, room, current?.text ?? '', old);
  const stands = Math.max(boundary, covers);
  const last = live.at(-1)?.ordinal ?? state.standsAt;
  const standsAt = last !== null && last <= stands ? last : null;
  const summary = await store.addSummary({
    ...name,
    at: clock(),
    parent: current?.version ?? 0,
    covers: stands,
    by: told === null ? 'extractive' : 'host',
    ...(await finished(context, { ...state, told, standsAt }, room)),
  });
  return { summary, summarised: old.length, ...leftOutOf(old), ...failed };
}

function leftOutOf(messages: readonly MessageRecord[]): Pick<Compacted, 'messages' | 'results'> {
  const [first, last] = [messages[0], messages.at(-1)];
  const parts = messages.flatMap((message) => message.parts);
  return {
    messages: first === undefined || last === undefined ? null : [first.ordinal, last.ordinal],
    results: parts.flatMap((part) => {
      if (part.type !== 'result') return [];
      const { tool, callId, output, status } = part;
      return [{ tool, callId, output, status }];
    }),
  };
}

function begun(current: SummaryRecord | undefined): CompactState {
  if (current === undefined) return NOTHING_YET;
  const state = readState(current.state);
  return current.covers === 0 ? { ...NOTHING_YET, superseded: state.superseded } : state;
}

/** Takes messages in, and keeps what was said in them where it can be fetched. */
async function folded(
  context: SessionContext,
  state: CompactState,
  messages: readonly MessageRecord[],
): Promise<CompactState> {
  const { store, name } = context;
  const [first, last] = [messages[0], messages.at(-1)];
  if (first === undefined || last === undefined) return state;
  const folding = new Folding(state);
  const before = state.transcripts.at(-1)?.output;
  const transcript = before === undefined ? [] : [earlierMessages(before)];
  for (const message of messages) {
    const output = await outputOfLong(context, message);
    folding.add(message, await notesOf(context, message), output);
    const { ordinal, role } = message;
    const kept =
      output === null ? messageText(message) : keptMessage(ordinal, role, charsOf(message), output);
    transcript.push(kept);
  }
  const text = `${transcript.join('\n')}\n`;
  const callId = `messages/${first.ordinal}-${last.ordinal}`;
  const output = await recordOutput(context, 'transcript', { kind: 'text', text }, callId);
  folding.kept(first.ordinal, last.ordinal, output);
  for (const call of folding.state.pending) {
    if (call.preliminary !== null) continue;
    const found = await findKept(store, { ...name, callId: call.callId });
    if (found?.tool === call.tool) folding.found(call, found.id, await noteOf(context, found));
  }
  return folding.state;
}

async function finished(context: SessionContext, state: CompactState, room: Room) {
  const { chars, moved } = fitSummary(state, room, context.counts.count);
  const record = (kind: 'index' | 'summary', text: string) =>
    recordOutput(context, kind, { kind: 'text', text });
  const { told, results } = state;
  const index =
    moved === 0 ? state.index : await record('index', renderIndex(results.slice(0, moved), state.index));
  const rest = told === null || told.length <= chars.narrative ? null : await record('summary', told);
  const kept = indexedIn(state, moved, index);
  return { text: renderSummary(kept, chars, rest), state: kept as unknown as SummaryRecord['state'] };
}

/** Stores what a summary leaves out. The same call again is the same output. */
async function recordOutput(
  { holding, name }: SessionContext,
  kind: keyof typeof COMPACTION_OUTPUTS,
  result: TextResult | BlocksResult,
  callId?: string,
): Promise<ArtifactId> {
  const call = { ...name, tool: COMPACTION_OUTPUTS[kind], ...(callId === undefined ? {} : { callId }) };
  return (await holding.recordOrHold(call, result as TextResult)).record.id;
}

async function outputOfLong(context: SessionContext, message: MessageRecord): Promise<ArtifactId | null> {
  if (message.role !== 'user' || charsOf(message) <= SHORT_CHARS) return null;
  const [first = '', ...others] = textsOf(message);
  const blocks = [first, ...others].map((text) => ({ type: 'text', text }) as const);
  const result =
    others.length === 0 ? ({ kind: 'text', text: first } as const) : ({ kind: 'blocks', blocks } as const);
  return recordOutput(context, 'message', result, `message/${message.id}`);
}

function charsOf(message: MessageRecord): number {
  return textsOf(message).reduce((sum, text) => sum + text.length, 0);
}

async function notesOf(
  context: SessionContext,
  { parts }: MessageRecord,
): Promise<ReadonlyMap<MessageResult, OutputNote>> {
  const notes = new Map<MessageResult, OutputNote>();
  for (const part of parts) {
    if (part.type !== 'result') continue;
    const found = await findKept(context.store, { scope: context.name.scope, id: part.output });
    if (found !== null) notes.set(part, await noteOf(context, found));
  }
  return notes;
}

async function noteOf({ spillway, wait }: SessionContext, output: OutputRecord): Promise<OutputNote> {
  const { outcome, summary, tool } = output;
  const { status, exitCode } = outcome;
  return {
    status: exitCode === undefined ? status : `${status}, exit ${exitCode}`,
    about: summary.startsWith(`${tool}: `) ? summary.slice(tool.length + 2) : '',
    error: await unlessDamaged(() => spillway.firstError(output, wait)),
  };
}

/** A model that cannot be reached, or has nothing to say, must not keep a session from going on. */
async function wordedBy(
  { model, signal }: CompactOptions,
  state: CompactState,
  room: Room,
  previous: string,
  messages: readonly MessageRecord[],
): Promise<{ readonly told: string | null; readonly failure?: unknown }> {
  // What a model said earlier stays as long as nothing was added to it.
  if (messages.length === 0) return { told: state.told };
  if (model === undefined) return { told: null };
  const maxChars = room.chars.narrative;
  const extract = narrative(state, maxChars);
  try {
    const request = { previous, messages, extract, maxChars, ...(signal === undefined ? {} : { signal }) };
    const told: unknown = await untilAborted(model(request), signal);
    if (typeof told === 'string' && told.trim() !== '') return { told };
    const advice = 'The model gave no summary: return a text that is not empty.';
    return { told: null, failure: invalidArgument(advice) };
  } catch (failure) {
    signal?.throwIfAborted();
    return { told: null, failure };
  }
}

/** Makes the previous summary count again, as a new version. */
export async function undoCompaction(context: SessionContext): Promise<SummaryRecord> {
  const { store, name } = context;
  const versions = await allItems((page) => store.summaries({ ...name, ...page }));
  const byVersion = new Map(versions.map((record) => [record.version, record]));
  const real = (record: SummaryRecord | undefined): SummaryRecord | undefined =>
    record?.by === 'undo' ? byVersion.get(record.restores ?? 0) : record;
  const current = real(versions[0]);
  if (current === undefined || versions[0] === undefined)
    throw invalidArgument('There is no summary to undo: the session was not compacted.');
  const before = real(byVersion.get(current.parent));
  const { covers, text, state } = before ?? { covers: 0, text: '', state: {} };
  const version = { parent: versions[0].version, by: 'undo', restores: before?.version ?? 0 } as const;
  return store.addSummary({ ...name, at: context.clock(), covers, text, state, ...version });
}

interface Weighed {
  readonly message: MessageRecord;
  readonly tokens: number;
}

async function boundaryFor(
  context: SessionContext,
  live: readonly MessageRecord[],
  { keepTokens, window, reach }: CompactOptions,
): Promise<number> {
  if (reach === 'all') return live.at(-1)?.ordinal ?? 0;
  const weighed: Weighed[] = [];
  for (const message of live) {
    let tokens = await messageTokens(context, message, {});
    for (const part of message.parts)
      if (part.type === 'result') tokens += await tokensOfResult(context, part);
    weighed.push({ message, tokens });
  }
  return boundaryOf(weighed, keepTokens ?? (window === undefined ? KEEP_TOKENS : window * KEEP_SHARE));
}

/** What was sent of it, or the most that will be. */
async function tokensOfResult(
  context: SessionContext,
  { output, tool, foreign }: MessageResult,
): Promise<number> {
  const { counts, store, spillway, name } = context;
  const { scope, session } = name;
  const found = await findKept(store, { scope, id: output });
  const beside = counts.extras(`result ${output}`, foreign);
  if (found === null) return beside;
  const frozen = await unlessDamaged(() => store.frozen(output, 'model'));
  if (frozen !== null && frozen !== undefined)
    return beside + shownTokens(context, found, frozen.projection, {});
  const chars = found.parts.reduce((sum, part) => sum + (part.role === 'content' ? part.chars : 0), 0);
  const { inlineLimit } = spillway.explain(tool, { session }).policy;
  return beside + Math.ceil(Math.min(chars, inlineLimit) / CHARS_A_TOKEN);
}

/** The place of the last message to be summarised; 0 if everything can stay. */
export function boundaryOf(messages: readonly Weighed[], keepTokens: number): number {
  let kept = 0;
  let wanted = 0;
  for (const { message, tokens } of messages.toReversed()) {
    kept += tokens;
    if (kept <= keepTokens) continue;
    wanted = message.ordinal;
    break;
  }
  const last = messages.at(-1)?.message.ordinal ?? 0;
  // The latest message always stays, and results at the end stay with their calls.
  wanted = Math.min(wanted, last - 1, lastCalls(messages) - 1);
  if (wanted <= 0) return 0;
  const whole = wholePairs(messages).filter((ordinal) => ordinal < last);
  return whole.findLast((ordinal) => ordinal <= wanted) ?? whole[0] ?? wanted;
}

/** The place of the first message whose calls the results at the very end answer. */
function lastCalls(messages: readonly Weighed[]): number {
  const begin = messages.findLastIndex(({ message: { parts } }) =>
    parts.some(({ type }) => type !== 'result'),
  );
  const answered = new Set<string>();
  for (const { message } of messages.slice(begin + 1))
    for (const part of message.parts) if (part.type === 'result') answered.add(part.callId);
  // An older call may be parted from its result, or nothing could ever be summarised.
  const calls = messages[begin]?.message.parts ?? [];
  const isAnswered = calls.some((part) => part.type === 'call' && answered.has(part.callId));
  return isAnswered ? (messages[begin]?.message.ordinal ?? 0) : Number.POSITIVE_INFINITY;
}

/** The places behind which no call waits for a result that comes later. */
function wholePairs(messages: readonly Weighed[]): number[] {
  const results = new Map<string, number>();
  for (const { message } of messages)
    for (const part of message.parts)
      if (part.type === 'result' && part.stage !== 'preliminary' && !results.has(part.callId))
        results.set(part.callId, message.ordinal);
  let open = 0;
  return messages.flatMap(({ message: { parts, ordinal } }) => {
    for (const part of parts) if (part.type === 'call') open = Math.max(open, results.get(part.callId) ?? 0);
    return open <= ordinal ? [ordinal] : [];
  });
}
