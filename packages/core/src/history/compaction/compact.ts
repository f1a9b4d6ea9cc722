/**
 * Compaction: the only thing that makes a long history shorter for a model. It reads canonical messages, writes a new version of the summary
 * beside them, and touches nothing else; undoing it writes another version that says what the one before said. Without a model of the
 * host it is extractive and deterministic. Units: tokens for what is kept, chars for the list of results.
 */
import type { Spillway } from '../../index.ts';
import { SpillwayError } from '../../model/errors.ts';
import type { MessageRecord, SaidResult } from '../../model/message.ts';
import type { SummaryRecord } from '../../model/summary.ts';
import type { SessionContext } from '../context.ts';
import { MESSAGE_TOKENS } from '../counting.ts';
import { allAbove, latestSummary, type SessionName } from '../reading.ts';
import { boundaryOf, type Weighed } from './boundary.ts';
import { narrative, renderIndex, renderSummary, resultLine } from './render.ts';
import { type CompactState, Folding, NOTHING_YET, type OutputNote } from './state.ts';

/** How far to compact, and by whom. */
export interface CompactOptions {
  /** The window of the model, in tokens: what is kept follows it. */
  readonly window?: number;
  /** Tokens of the latest messages that stay as they are. Default: 0.3 of the window, or 10,000. */
  readonly keepTokens?: number;
  /** Chars that the list of results may have; older ones move to an index that can be fetched. Default: half a char a token, or 60,000. */
  readonly listChars?: number;
  /** Words the summary; ours is used if it fails. What was left out is listed by us in any case. */
  readonly model?: (request: SummaryRequest) => Promise<string>;
}

/** What a model of the host is given. */
export interface SummaryRequest {
  /** The summary so far; empty the first time. */
  readonly previous: string;
  /** What we would have said. */
  readonly extract: string;
  /** The messages that are summarised now, as they are kept. */
  readonly messages: readonly MessageRecord[];
}

/** What compaction did. */
export interface Compacted {
  /** The summary that counts now; undefined if there is none. */
  readonly summary: SummaryRecord | undefined;
  /** Messages that it stands for and the one before did not. */
  readonly summarised: number;
  /** Why the host's model was not used. */
  readonly failure?: unknown;
}

const KEEP_SHARE = 0.3;
const KEEP_TOKENS = 10_000;
const LIST_CHARS = 60_000;
/** Of a window in tokens, the chars for the list: a quarter of it at two chars a token, since ids are dense. */
const LIST_CHARS_A_TOKEN = 0.5;
/** Rather too many tokens than too few. */
const CHARS_A_TOKEN = 3;
const INDEX_TOOL = 'spillway_index';

/** Summarises what is older than what is to be kept. */
export async function compactSession(
  context: SessionContext,
  name: SessionName,
  options: CompactOptions,
): Promise<Compacted> {
  const { store } = context;
  const current = await latestSummary(store, name);
  const covers = current?.covers ?? 0;
  const live = await allAbove(store, name, covers);
  const keep =
    options.keepTokens ?? (options.window === undefined ? KEEP_TOKENS : options.window * KEEP_SHARE);
  const boundary = boundaryOf(await weighAll(context, name, live), keep);
  const old = live.filter(({ place }) => place <= boundary);
  if (old.length === 0) return { summary: current, summarised: 0 };
  const folding = new Folding(covers === 0 ? NOTHING_YET : (current?.state as unknown as CompactState));
  for (const message of old) folding.add(message, await notesOf(context, name, message));
  const state = await moveToIndex(context, name, folding.state, listChars(options));
  const extract = narrative(state);
  const told = await wordedBy(options.model, { previous: current?.text ?? '', extract, messages: old });
  const summary = await store.addSummary({
    ...name,
    at: context.clock(),
    parent: current?.version ?? 0,
    covers: boundary,
    by: told.by,
    text: renderSummary(state, told.text),
    state: state as unknown as SummaryRecord['state'],
  });
  const done = { summary, summarised: old.length };
  return 'failure' in told ? { ...done, failure: told.failure } : done;
}

/** Makes the summary before the present one count again. Nothing is deleted: it is a new version that says the same. */
export async function undoCompaction(context: SessionContext, name: SessionName): Promise<SummaryRecord> {
  const { store } = context;
  const versions: SummaryRecord[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.summaries({ ...name, limit: 1_000, ...(after === undefined ? {} : { after }) });
    versions.push(...page.items);
    after = page.next;
    if (after === undefined) break;
  }
  const byVersion = new Map(versions.map((record) => [record.version, record]));
  const real = (record: SummaryRecord | undefined): SummaryRecord | undefined =>
    record?.by === 'undo' ? byVersion.get(record.restores ?? 0) : record;
  const current = real(versions[0]);
  if (current === undefined || versions[0] === undefined)
    throw new SpillwayError(
      'invalid_argument',
      'There is no summary to undo: the session was not compacted.',
    );
  const before = real(byVersion.get(current.parent));
  const { covers, text, state } = before ?? { covers: 0, text: '', state: {} };
  const parent = versions[0].version;
  const restores = before?.version ?? 0;
  return store.addSummary({
    ...name,
    at: context.clock(),
    parent,
    covers,
    by: 'undo',
    restores,
    text,
    state,
  });
}

function listChars({ listChars: chars, window }: CompactOptions): number {
  return chars ?? (window === undefined ? LIST_CHARS : Math.floor(window * LIST_CHARS_A_TOKEN));
}

async function weighAll(
  context: SessionContext,
  name: SessionName,
  messages: readonly MessageRecord[],
): Promise<Weighed[]> {
  const { scope, session } = name;
  const weighed: Weighed[] = [];
  for (const message of messages) {
    let tokens = MESSAGE_TOKENS;
    for (const [i, part] of message.parts.entries()) {
      tokens += context.counts.part(JSON.stringify([scope, session, message.id, i]), part);
      if (part.type === 'result') tokens += await tokensOfResult(context, name, part);
    }
    weighed.push({ message, tokens });
  }
  return weighed;
}

/** What was sent of it, or the most that will be. */
async function tokensOfResult(
  { counts, store, spillway }: SessionContext,
  { scope, session }: SessionName,
  { output, tool }: SaidResult,
): Promise<number> {
  const frozen = await store.frozen(output, 'model');
  if (frozen !== undefined) return counts.projection(output, frozen.projection);
  const found = await store.find({ scope, id: output });
  if (found === undefined || 'purgedAt' in found) return 0;
  const chars = found.parts.reduce((sum, part) => sum + (part.role === 'content' ? part.chars : 0), 0);
  const { inlineLimit } = spillway.explain(tool, { session }).policy;
  return Math.ceil(Math.min(chars, inlineLimit) / CHARS_A_TOKEN);
}

/** What is worth knowing of the outputs that a message refers to. */
async function notesOf(
  { store, spillway }: SessionContext,
  { scope }: SessionName,
  { parts }: MessageRecord,
): Promise<ReadonlyMap<SaidResult, OutputNote>> {
  const notes = new Map<SaidResult, OutputNote>();
  for (const part of parts) {
    if (part.type !== 'result') continue;
    const found = await store.find({ scope, id: part.output });
    if (found === undefined || 'purgedAt' in found) continue;
    const { status, exitCode } = found.outcome;
    notes.set(part, {
      status: exitCode === undefined ? status : `${status}, exit ${exitCode}`,
      about: found.summary.startsWith(`${found.tool}: `) ? found.summary.slice(found.tool.length + 2) : '',
      error: await spillway.firstError(found),
    });
  }
  return notes;
}

/** Moves the oldest results out of a list that is too long, into an output that names the one before it. */
async function moveToIndex(
  { spillway }: { readonly spillway: Spillway },
  name: SessionName,
  state: CompactState,
  chars: number,
): Promise<CompactState> {
  let listed = state.results.reduce((sum, line) => sum + resultLine(line).length + 3, 0);
  if (listed <= chars) return state;
  let moved = 0;
  // To half, so that not every compaction has to move something.
  for (const line of state.results) {
    if (listed <= chars / 2) break;
    listed -= resultLine(line).length + 3;
    moved++;
  }
  const text = renderIndex(state.results.slice(0, moved), state.index);
  const { record } = await spillway.record({ ...name, tool: INDEX_TOOL }, { kind: 'text', text });
  return { ...state, results: state.results.slice(moved), indexed: state.indexed + moved, index: record.id };
}

type Worded = { readonly by: 'extractive' | 'host'; readonly text: string; readonly failure?: unknown };

async function wordedBy(model: CompactOptions['model'], request: SummaryRequest): Promise<Worded> {
  if (model === undefined) return { by: 'extractive', text: request.extract };
  try {
    return { by: 'host', text: await model(request) };
  } catch (failure) {
    // A model that cannot be reached must not keep a session from going on.
    return { by: 'extractive', text: request.extract, failure };
  }
}
