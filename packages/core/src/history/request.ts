/**
 * One call makes the request: it pairs, projects, compacts as often as needed, and either fits the
 * window or fails with the culprit and the way out named. Each step gives up more than the one
 * before: reads that a later one repeats, older messages, then all but the latest turn, then length
 * of new results, then the latest turn itself. Whatever is given up is named in the summary and can
 * be fetched. Invariants: what was sent once is sent again byte for byte (results by their frozen
 * projections, everything else as it was said); over the total only results that were not sent yet
 * get less; nothing that was given is changed, and canonical records are only read. Units: tokens
 * for totals, chars for results.
 */
import type { About } from '../model/about.ts';
import { SpillwayError } from '../model/errors.ts';
import type { MessageResult } from '../model/message.ts';
import type { ProjectionRecord } from '../model/projection.ts';
import type { SummaryRecord } from '../model/session.ts';
import type { WaitOptions } from '../model/store.ts';
import { impossible, refusal, type Weight } from '../wording/refused-requests.ts';
import { withUniqueCallIds } from './call-ids.ts';
import { type Compacted, type CompactOptions, compactSession } from './compaction/compact.ts';
import { dropSuperseded } from './compaction/superseded.ts';
import { forCall, type SessionContext } from './context.ts';
import { type RequestDraft, readDraft } from './draft.ts';
import { asDamaged, type ResolvedCall, resultsIn, withResults } from './entries.ts';
import { type DerivedMessage, type Message, wellFormed, withoutEmpty } from './message.ts';
import {
  compositionOf,
  type RequestNumbers,
  shownTokens,
  total,
  type WindowComposition,
  weigh,
  weighEntries,
} from './pricing.ts';
import { unlessDamaged } from './read-session.ts';
import { projectedContent, renderEntry } from './render-messages.ts';
import { type CacheMarks, withoutExtraMarks } from './shapes/cache-marks.ts';

/** For which window a request is prepared. */
export interface PrepareOptions extends WaitOptions {
  /** The window of the model, in tokens. Default: only the limits of each result count. */
  readonly window?: number;
  /** Tokens that the request needs beside its messages: room for the answer, tool definitions. */
  readonly reserve?: number;
  /** Tokens of instructions and tool definitions. Corrected by what the provider reports. */
  readonly beside?: number;
  /** `send` (default) freezes what is shown; `look` only tells what would be sent. */
  readonly purpose?: 'send' | 'look';
  /** What the agent is after: lines of new results that touch it count more. */
  readonly about?: About;
  /** Tokens of each image or file. Default: by kind and size, 1,500 for most images. */
  readonly mediaTokens?: number;
  /** Results are sent as texts: images in them are named, and not counted. Default: as the shape says. */
  readonly textResults?: boolean | undefined;
}

/** A request that may be sent, or the reason why not. */
export type Prepared = PreparedRequest | RefusedRequest;

/** A request within the window. */
export interface PreparedRequest {
  /** Past `warn_at` it is a `warning`, past `compact_at` it `needs_compaction`. */
  readonly verdict: 'fits' | 'warning' | 'needs_compaction';
  /** What to send, oldest first. */
  readonly messages: readonly DerivedMessage[];
  /** Its tokens, beside the window and the thresholds. */
  readonly numbers: RequestNumbers;
  /** What its tokens go to. */
  readonly composition: WindowComposition;
  /** Calls for which no result was recorded: each has a marked stand-in. */
  readonly missing: readonly string[];
  /** Results of calls that nobody made here: kept, and not sent. */
  readonly orphans: readonly MessageResult[];
}

/** A request that is over `hard_at`. There is nothing to send. */
export interface RefusedRequest extends Pick<PreparedRequest, 'numbers' | 'composition'> {
  readonly verdict: 'refused';
  /** The numbers, the largest part and the way out, in a sentence. */
  readonly reason: string;
}

/** For which window a request is made, and who words summaries. */
export interface RequestOptions extends Omit<PrepareOptions, 'purpose'> {
  /** The window of the model, in tokens. */
  readonly window: number;
  /**
   * Marks what a provider may cache, as Anthropic wants it: the end of the request, which the next
   * one repeats, and the end of the one before. For the shapes `anthropic`, `openai_chat`,
   * `langchain` and `ai_model`. Without it, messages of an adapter's host that have a mark put theirs
   * in these places.
   */
  readonly cache?: CacheMarks;
  /** Words the summary where one is needed; see `CompactOptions`. */
  readonly model?: CompactOptions['model'];
  /** Told of every compaction, and awaited: what it throws ends the request. */
  readonly onCompaction?: (report: CompactionReport) => void | Promise<void>;
}

/** What one compaction left out of requests. */
export interface CompactionReport extends Omit<Compacted, 'summary'> {
  /** `summary`: older messages were summarised. `superseded`: reads that a later one repeats. */
  readonly kind: 'summary' | 'superseded';
  /** The version of the summary that counts now. */
  readonly version: number;
  /** Who worded it. */
  readonly by: SummaryRecord['by'];
}

/** A request that fits its window. */
export interface MadeRequest extends PreparedRequest {
  /** How often the session was compacted to make it fit. */
  readonly compactions: number;
  /** What each of them left out. */
  readonly compacted: readonly CompactionReport[];
}

/** `lowest`: new results may be as short as possible. */
type Floor = 'usual' | 'lowest';

interface Step {
  /** Whether there is a reason to look again whether it fits. */
  readonly giveUp: (making: Making, plan: RequestPlan) => Promise<boolean>;
  readonly floor?: Floor;
  readonly upTo: 'critical' | 'hard';
}

/** Shares of the room for messages: of the latest that stay, and of the summary. */
const older =
  (keep: number, summary: number): Step['giveUp'] =>
  (making, plan) =>
    making.compact({ keepTokens: roomFor(plan) * keep, summaryTokens: atLeastOne(roomFor(plan) * summary) });

const STEPS: readonly Step[] = [
  { giveUp: (making, plan) => making.dropSuperseded(plan), upTo: 'critical' },
  { giveUp: older(0.3, 0.3), upTo: 'critical' },
  { giveUp: older(0.1, 0.2), upTo: 'critical' },
  { giveUp: older(0, 0.15), upTo: 'hard' },
  { giveUp: async () => true, floor: 'lowest', upTo: 'hard' },
  {
    giveUp: async (making, plan) => {
      await making.compact({ reach: 'all', summaryTokens: atLeastOne(roomFor(plan) * 0.8) });
      return true;
    },
    floor: 'lowest',
    upTo: 'hard',
  },
];

/** Makes the next request of a session so that it fits. */
export async function makeRequest(context: SessionContext, options: RequestOptions): Promise<MadeRequest> {
  const making = new Making(context, options);
  let plan = await planRequest(context, options);
  let isMade = fits(plan, 'critical');
  for (const { giveUp, floor, upTo } of STEPS) {
    if (isMade) break;
    if (await giveUp(making, plan)) plan = await planRequest(context, options, floor);
    isMade = fits(plan, upTo);
  }
  if (!isMade) {
    await noteRefused(context, plan);
    throw new SpillwayError('over_window', impossible(plan.numbers, plan.weights));
  }
  const sent = await sendPlan(context, plan, options);
  return { ...sent, compactions: making.reports.length, compacted: making.reports };
}

class Making {
  readonly reports: CompactionReport[] = [];
  readonly #context: SessionContext;
  readonly #options: RequestOptions;
  #version: number | undefined;

  constructor(context: SessionContext, options: RequestOptions) {
    this.#context = context;
    this.#options = options;
  }

  async compact(how: CompactOptions): Promise<boolean> {
    const { model, signal } = this.#options;
    const given = { ...(model === undefined ? {} : { model }), signal };
    const { summary, ...left } = await compactSession(this.#context, { ...how, ...given });
    const isNew = summary?.version !== this.#version;
    this.#version = summary?.version;
    if (left.summarised > 0 && summary !== undefined) await this.#tell('summary', summary, left);
    return isNew;
  }

  async dropSuperseded({ draft }: RequestPlan): Promise<boolean> {
    const done = await dropSuperseded(this.#context, resultsIn(draft.entries));
    if (done === null) return false;
    this.#version = done.summary.version;
    await this.#tell('superseded', done.summary, { summarised: 0, messages: null, results: done.results });
    return true;
  }

  async #tell(
    kind: CompactionReport['kind'],
    { version, by }: SummaryRecord,
    left: Omit<Compacted, 'summary'>,
  ): Promise<void> {
    const report = { kind, version, by, ...left };
    this.reports.push(report);
    const { summarised, results, failure } = left;
    const numbers = { version, kind, by, messages: summarised, results: results.length };
    const failed = failure === undefined ? {} : { failed: true };
    await this.#context.ledger.note('compacted', this.#context.name, { data: { ...numbers, ...failed } });
    await this.#options.onCompaction?.(report);
  }
}

function fits({ numbers: { tokens, critical, hard } }: RequestPlan, upTo: Step['upTo']): boolean {
  return tokens <= ((upTo === 'hard' ? hard : critical) ?? Number.POSITIVE_INFINITY);
}

function roomFor({ numbers: { hard }, weights }: RequestPlan): number {
  const fixed = total(weights.filter(({ kind }) => kind === 'reserve' || kind === 'system'));
  return Math.max(0, (hard ?? 0) - fixed);
}

function atLeastOne(tokens: number): number {
  return Math.max(1, Math.floor(tokens));
}

/** A request that has been worked out and not sent: nothing is frozen yet. */
interface RequestPlan {
  readonly draft: RequestDraft;
  readonly fresh: Fresh;
  readonly weights: readonly Weight[];
  readonly numbers: RequestNumbers;
}

type Fresh = ReadonlyMap<ResolvedCall, ProjectionRecord>;

const VERDICTS = {
  normal: 'fits',
  warning: 'warning',
  critical: 'needs_compaction',
  hard: 'needs_compaction',
} as const;

/** Prepares the next request of a session without compacting it. */
export async function prepareRequest(context: SessionContext, options: PrepareOptions): Promise<Prepared> {
  const plan = await planRequest(context, options);
  if (plan.numbers.fullness !== 'hard') return sendPlan(context, plan, options);
  options.signal?.throwIfAborted();
  if (options.purpose !== 'look') await noteRefused(context, plan);
  const { numbers, weights } = plan;
  return {
    verdict: 'refused',
    numbers,
    composition: compositionOf(weights),
    reason: refusal(numbers, weights),
  };
}

async function noteRefused(context: SessionContext, plan: RequestPlan): Promise<void> {
  await noteOverflow(context, plan, 'refused');
  await noteRequest(context, plan, 'refused');
}

/** A request would have been too large: it was `refused`, or new results were `reduced`. */
async function noteOverflow(
  { ledger, name }: SessionContext,
  { numbers: { tokens, window } }: RequestPlan,
  how: 'refused' | 'reduced',
): Promise<void> {
  const data = { how, tokens, window: window ?? 0 };
  await ledger.note('overflow_avoided', name, { data }, 'overflows_avoided');
}

/** How full the window is, and what fills it. */
async function noteRequest(
  { ledger, name }: SessionContext,
  { numbers: { tokens, window }, weights }: RequestPlan,
  verdict: Prepared['verdict'],
): Promise<void> {
  const data = { tokens, window: window ?? 0, verdict, ...compositionOf(weights) };
  await ledger.note('prepared', name, { data });
}

/** Works out what would be sent. What cannot be read is found out by reading it. */
async function planRequest(
  session: SessionContext,
  options: PrepareOptions,
  floor: Floor = 'usual',
): Promise<RequestPlan> {
  const context = forCall(session, options);
  let draft = await readDraft(context);
  for (;;) {
    const weights = [...(await weighEntries(context, draft.entries, options))];
    const fresh = await projectFresh(context, draft, total(weights), options, floor);
    if (fresh === null) {
      draft = await withoutDamaged(context, draft);
      continue;
    }
    for (const [{ record, pair }, { projection }] of fresh)
      if (record !== null)
        weights.push({
          kind: 'result',
          name: pair.call.tool,
          tokens: shownTokens(context, record, projection, options),
        });
    const tokens = total(weights) + caution(context, draft, weights, options);
    const { policy } = context.spillway.explain('history', context.name);
    return { draft, fresh, weights, numbers: weigh(tokens, options.window ?? null, policy) };
  }
}

async function projectFresh(
  { spillway, counts, wait }: SessionContext,
  { entries }: RequestDraft,
  used: number,
  { window, about }: PrepareOptions,
  floor: Floor,
): Promise<Fresh | null> {
  const fresh = resultsIn(entries).filter(isFresh);
  // Results are measured in our own count, and so is what the window has for them.
  const { factor } = counts.calibration;
  const room =
    window === undefined ? {} : { window: { tokens: window / factor, used: used / factor }, floor };
  const records = fresh.flatMap(({ record }) => record ?? []);
  const made = await unlessDamaged(() =>
    spillway.projectTogether(records, { ...(about === undefined ? {} : { about }), ...room, ...wait }),
  );
  return made && new Map(fresh.flatMap((one, i) => (made[i] === undefined ? [] : [[one, made[i]] as const])));
}

function isFresh({ record, frozen, dropped }: ResolvedCall): boolean {
  return record !== null && frozen === null && dropped === undefined;
}

async function withoutDamaged(
  { spillway, wait }: SessionContext,
  draft: RequestDraft,
): Promise<RequestDraft> {
  const damaged = new Set<ResolvedCall>();
  for (const one of resultsIn(draft.entries).filter(isFresh)) {
    const read = await unlessDamaged(() =>
      spillway.projectTogether(one.record === null ? [] : [one.record], wait),
    );
    if (read === null) damaged.add(one);
  }
  if (damaged.size === 0)
    throw new SpillwayError('corrupt', 'Stored results can be read at times only: check the store.', {
      remedy: 'check_store',
    });
  const marked = (one: ResolvedCall) =>
    damaged.has(one) ? asDamaged(one.pair, one.record?.id ?? null) : one;
  return { ...draft, entries: withResults(draft.entries, marked) };
}

/** Of a window: what may be new in a request before its count is doubted. */
const DOUBTED_SHARE = 0.15;

/** Extra tokens where much of a request is new: a factor below 1 was learned from older text. */
function caution(
  { counts }: SessionContext,
  { opening }: RequestDraft,
  weights: readonly Weight[],
  { window = 0 }: PrepareOptions,
): number {
  const { factor } = counts.calibration;
  const known = counts.calibration.reported(opening);
  const doubted = messagesIn(weights) / factor - known - window * DOUBTED_SHARE;
  return Math.ceil(Math.max(0, doubted) * Math.max(0, 1 - factor));
}

function messagesIn(weights: readonly Weight[]): number {
  return total(weights.filter(({ kind }) => kind !== 'reserve'));
}

async function sendPlan(
  context: SessionContext,
  plan: RequestPlan,
  { purpose = 'send', beside = 0, signal }: PrepareOptions,
): Promise<PreparedRequest> {
  // What is sent is frozen: whoever gave up in time sends nothing.
  signal?.throwIfAborted();
  const { draft, fresh, weights, numbers } = plan;
  const { spillway, ledger, name, counts } = context;
  const isSent = purpose === 'send';
  if (isSent && isTight(context, fresh)) await noteOverflow(context, plan, 'reduced');
  const shown = new Map<ResolvedCall, ProjectionRecord['projection']>();
  for (const [one, record] of fresh) {
    // Whoever froze another first has sent it already.
    const kept = isSent && one.record !== null ? await spillway.freeze(one.record, record) : record;
    shown.set(one, kept.projection);
  }
  const contentOf = projectedContent(context, (one) => one.frozen ?? shown.get(one) ?? null);
  const messages: Message[] = [];
  for (const entry of draft.entries) messages.push(...(await renderEntry(context, entry, contentOf)));
  const all = resultsIn(draft.entries);
  const verdict = VERDICTS[numbers.fullness];
  const missing = all.filter(({ record, gone }) => record === null && gone === null).map(({ pair }) => pair);
  if (isSent) {
    const estimate = messagesIn(weights) / counts.calibration.factor;
    counts.calibration.sent({ messages: estimate, beside, opening: draft.opening });
    await ledger.missing(name, missing);
    await noteRequest(context, plan, verdict);
  }
  return {
    verdict,
    messages: withUniqueCallIds(withoutEmpty(messages).map(wellFormed).map(unmarked)) as DerivedMessage[],
    numbers,
    composition: compositionOf(weights),
    missing: missing.map(({ call }) => call.callId),
    orphans: draft.orphans,
  };
}

/** A message without marks for a cache: they belong to the request, and are put on what is written. */
function unmarked(message: Message): Message {
  return { ...withoutExtraMarks(message), parts: message.parts.map(withoutExtraMarks) };
}

/** Whether the window left some result less than its own limit. */
function isTight({ spillway }: SessionContext, fresh: Fresh): boolean {
  return [...fresh].some(([{ record }, { policy, projection }]) => {
    if (record === null || !projection.metadata.was_truncated) return false;
    const own = spillway.explain(record.tool, { session: record.session }).policy.inlineLimit;
    return Number(policy.inlineLimit) < own;
  });
}
