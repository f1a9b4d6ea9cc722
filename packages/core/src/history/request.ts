/**
 * The model projection, made when a request is sent. Invariants: what was sent once is sent again
 * byte for byte (results by their frozen projections, everything else as it was said); over the
 * total only results that were not sent yet get less; nothing that was given is changed, and
 * canonical records are only read. Units: tokens for totals, chars for results.
 */
import type { About } from '../model/about.ts';
import { SpillwayError } from '../model/errors.ts';
import type { MessageResult } from '../model/message.ts';
import type { ProjectionRecord } from '../model/projection.ts';
import type { WaitOptions } from '../model/store.ts';
import { refusal, type Weight } from '../wording/refused-requests.ts';
import { withUniqueCallIds } from './call-ids.ts';
import { forCall, type SessionContext, type SessionSpillway } from './context.ts';
import { type RequestDraft, readDraft, withoutDamaged } from './draft.ts';
import { type DerivedMessage, type Message, wellFormed, withoutEmpty } from './message.ts';
import { compositionOf, shownTokens, total, weighDraft } from './pricing.ts';
import { projectedContent, renderLateResults, renderMessages } from './render-messages.ts';
import { damagedOf, type FreshRoom, projectFresh, type ResolvedCall } from './resolve-calls.ts';
import { withoutExtraMarks } from './shapes/cache-marks.ts';
import { type RequestNumbers, type WindowComposition, weigh } from './thresholds.ts';

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

/** A request that has been worked out and not sent: nothing is frozen yet. */
export interface RequestPlan {
  readonly draft: RequestDraft;
  readonly fresh: Fresh;
  /** Every piece of the request with its tokens. */
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

/** Prepares the next request of a session. */
export async function prepareRequest(context: SessionContext, options: PrepareOptions): Promise<Prepared> {
  const plan = await planRequest(context, options);
  // What is sent is frozen: whoever gave up in time sends nothing.
  options.signal?.throwIfAborted();
  if (plan.numbers.fullness === 'hard') {
    const composition = compositionOf(plan.weights);
    if (options.purpose !== 'look') {
      await context.ledger.overflowAvoided(context.name, plan.numbers, 'refused');
      await context.ledger.prepared(context.name, plan.numbers, 'refused', composition);
    }
    const reason = refusal(plan.numbers, plan.weights);
    return { verdict: 'refused', numbers: plan.numbers, composition, reason };
  }
  return sendPlan(context, plan, options);
}

/** Works out what would be sent. `floor` `lowest`: new results may be as short as possible. */
export async function planRequest(
  session: SessionContext,
  options: PrepareOptions,
  floor: FreshRoom['floor'] = 'usual',
): Promise<RequestPlan> {
  const context = forCall(session, options);
  const { spillway, name } = context;
  const policy = spillway.explain('history', name).policy;
  const { draft, weights, fresh } = await readAndProject(context, options, floor);
  const all = [...weights];
  for (const [{ record, pair }, { projection }] of fresh) {
    if (record === null) continue;
    const tokens = shownTokens(context, record, projection, options);
    all.push({ kind: 'result', name: pair.call.tool, tokens });
  }
  const tokens = total(all) + caution(context, draft, all, options);
  return { draft, fresh, weights: all, numbers: weigh(tokens, options.window ?? null, policy) };
}

/** Of a window: what may be new in a request before its count is doubted. */
const DOUBTED_SHARE = 0.15;

/** Extra tokens where much of a request is new: a factor below 1 was learned from older text. */
function caution(
  { counts }: SessionContext,
  draft: RequestDraft,
  weights: readonly Weight[],
  { window = 0 }: PrepareOptions,
): number {
  const { factor } = counts.calibration;
  const known = counts.calibration.reported(openingId(draft));
  const doubted = messagesIn(weights) / factor - known - window * DOUBTED_SHARE;
  return Math.ceil(Math.max(0, doubted) * Math.max(0, 1 - factor));
}

function openingId({ opening }: RequestDraft): string {
  return opening.at(-1)?.id ?? '';
}

/** Tokens of messages and results, without what is sent beside them. */
function messagesIn(weights: readonly Weight[]): number {
  return total(weights.filter(({ kind }) => kind !== 'reserve'));
}

/** Freezes what a plan shows, and writes it down. */
export async function sendPlan(
  context: SessionContext,
  { draft, fresh, weights, numbers }: RequestPlan,
  options: PrepareOptions,
): Promise<PreparedRequest> {
  const { spillway, ledger, name } = context;
  if (options.purpose !== 'look' && isTight(spillway, fresh))
    await ledger.overflowAvoided(name, numbers, 'reduced');
  const shown = await settle(spillway, fresh, options);
  const contentOf = projectedContent(context, (one) => one.frozen ?? shown.get(one) ?? null);
  const messages: Message[] = [...draft.opening];
  if (draft.late.length > 0) messages.push(await renderLateResults(draft.late, contentOf));
  for (const message of draft.messages)
    messages.push(...(await renderMessages(context, message, draft.resolved.get(message) ?? [], contentOf)));
  const all = [...draft.resolved.values()].flat();
  const verdict = VERDICTS[numbers.fullness];
  const composition = compositionOf(weights);
  const missing = all.filter(({ record, gone }) => record === null && gone === null);
  if (options.purpose !== 'look') {
    const { calibration } = context.counts;
    const messages = messagesIn(weights) / calibration.factor;
    calibration.sent({ messages, beside: options.beside ?? 0, opening: openingId(draft) });
    const recovered = all.filter(({ pair: { result }, record }) => result === null && record !== null);
    await ledger.missing(
      name,
      missing.map(({ pair }) => pair),
    );
    await ledger.prepared(name, numbers, verdict, composition);
    ledger.recovered(
      name,
      recovered.map(({ pair }) => pair),
    );
  }
  return {
    verdict,
    messages: withUniqueCallIds(withoutEmpty(messages).map(wellFormed).map(unmarked)) as DerivedMessage[],
    numbers,
    composition,
    missing: missing.map(({ pair: { call } }) => call.callId),
    orphans: draft.orphans,
  };
}

/** A message without marks for a cache: they belong to the request, and are put on what is written. */
function unmarked(message: Message): Message {
  return { ...withoutExtraMarks(message), parts: message.parts.map(withoutExtraMarks) };
}

/** What cannot be read is found out by reading it; the rest then has the whole window. */
async function readAndProject(context: SessionContext, options: PrepareOptions, floor: FreshRoom['floor']) {
  const { spillway } = context;
  let draft = await readDraft(context);
  for (;;) {
    const weights = await weighDraft(context, draft, options);
    const { window } = options;
    // Results are measured in our own count, and so is what the window has for them.
    const { factor } = context.counts.calibration;
    const room =
      window === undefined ? undefined : { tokens: window / factor, used: total(weights) / factor, floor };
    const all = [...draft.resolved.values()].flat();
    const fresh = await projectFresh(spillway, all, room, options.about);
    if (fresh !== null) return { draft, weights, fresh };
    const damaged = await damagedOf(spillway, all);
    if (damaged.size === 0) throw unreadable();
    draft = withoutDamaged(draft, damaged);
  }
}

/** Whether the window left some result less than its own limit. */
function isTight(spillway: SessionSpillway, fresh: Fresh): boolean {
  return [...fresh].some(([{ record }, { policy, projection }]) => {
    if (record === null || !projection.metadata.was_truncated) return false;
    const own = spillway.explain(record.tool, { session: record.session }).policy.inlineLimit;
    return Number(policy.inlineLimit) < own;
  });
}

/** What is sent is frozen; whoever froze another first has sent it already. */
async function settle(spillway: SessionSpillway, fresh: Fresh, { purpose = 'send' }: PrepareOptions) {
  const shown = new Map<ResolvedCall, ProjectionRecord['projection']>();
  for (const [one, record] of fresh) {
    const sent = purpose === 'send' && one.record !== null;
    const kept = sent ? await spillway.freeze(one.record, record) : record;
    shown.set(one, kept.projection);
  }
  return shown;
}

function unreadable(): SpillwayError {
  return new SpillwayError('corrupt', 'Stored results can be read at times only: check the store.', {
    remedy: 'check_store',
  });
}
