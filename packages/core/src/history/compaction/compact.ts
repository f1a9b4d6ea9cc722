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
import { unlessDamaged } from '../damage.ts';
import { allAbove, latestSummary, type SessionName } from '../reading.ts';
import { boundaryOf } from './boundary.ts';
import { Folding } from './folding.ts';
import { narrative, renderIndex, renderSummary, resultLine } from './render.ts';
import { type CompactState, NOTHING_YET, type OutputNote } from './state.ts';
import { weighAll } from './weighing.ts';

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
const INDEX_TOOL = 'spillway_index';
const MOST_ATTEMPTS = 5;

/** Summarises what is older than what is to be kept. Who is overtaken by another compaction goes on from its summary. */
export async function compactSession(
  context: SessionContext,
  name: SessionName,
  options: CompactOptions,
): Promise<Compacted> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await compactOnce(context, name, options);
    } catch (error) {
      const overtaken = error instanceof SpillwayError && error.code === 'conflict';
      if (!overtaken || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

async function compactOnce(
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

function listChars({ listChars: chars, window }: CompactOptions): number {
  return chars ?? (window === undefined ? LIST_CHARS : Math.floor(window * LIST_CHARS_A_TOKEN));
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
    const found = await unlessDamaged(() => store.find({ scope, id: part.output }));
    if (found === null || found === undefined || 'purgedAt' in found) continue;
    const { status, exitCode } = found.outcome;
    notes.set(part, {
      status: exitCode === undefined ? status : `${status}, exit ${exitCode}`,
      about: found.summary.startsWith(`${found.tool}: `) ? found.summary.slice(found.tool.length + 2) : '',
      error: await unlessDamaged(() => spillway.firstError(found)),
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
