/**
 * One call makes the request: it pairs, projects, compacts as often as needed, and either fits the
 * window or fails with the culprit and the way out named. Each step gives up more than the one
 * before: reads that a later one repeats, older messages, then all but the latest turn, then length
 * of new results, then the latest turn itself. Whatever is given up is named in the summary and can
 * be fetched. Units: tokens.
 */
import { SpillwayError } from '../model/errors.ts';
import type { SummaryRecord } from '../model/summary.ts';
import { impossible } from '../wording/refused-requests.ts';
import { type Compacted, type CompactOptions, compactSession } from './compaction/compact.ts';
import { dropSuperseded } from './compaction/superseded.ts';
import type { SessionContext } from './context.ts';
import { compositionOf, total } from './pricing.ts';
import {
  type PreparedRequest,
  type PrepareOptions,
  planRequest,
  type RequestPlan,
  sendPlan,
} from './request.ts';
import type { CacheMarks } from './shapes/cache-marks.ts';

/** For which window a request is made, and who words summaries. */
export interface RequestOptions extends Omit<PrepareOptions, 'purpose'> {
  /** The window of the model, in tokens. */
  readonly window: number;
  /**
   * Marks what a provider may cache, as Anthropic wants it: the end of the request, which the next
   * one repeats, and the end of the one before. For the shapes `anthropic`, `openai_chat`,
   * `langchain` and `ai_model`. Without it the marks of the messages that an adapter is given are
   * used, at most four.
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

/** How far to compact, as shares of the room for messages, and how full the window may get. */
interface Step {
  readonly keep: number;
  readonly summary: number;
  readonly upTo: 'critical' | 'hard';
}

const STEPS: readonly Step[] = [
  { keep: 0.3, summary: 0.3, upTo: 'critical' },
  { keep: 0.1, summary: 0.2, upTo: 'critical' },
  { keep: 0, summary: 0.15, upTo: 'hard' },
];
/** Of what the window has for messages: what a summary may have that stands for all of them. */
const WHOLE_SUMMARY = 0.8;

/** Makes the next request of a session so that it fits. */
export async function makeRequest(context: SessionContext, options: RequestOptions): Promise<MadeRequest> {
  const attempt = new Attempt(context, options);
  let plan = await attempt.plan();
  if (fits(plan, 'critical')) return attempt.send(plan);
  if (await attempt.dropSuperseded(plan)) {
    plan = await attempt.plan();
    if (fits(plan, 'critical')) return attempt.send(plan);
  }
  for (const { keep, summary, upTo } of STEPS) {
    const room = roomFor(plan);
    if (await attempt.compact({ keepTokens: room * keep, summaryTokens: atLeastOne(room * summary) }))
      plan = await attempt.plan();
    if (fits(plan, upTo)) return attempt.send(plan);
  }
  plan = await attempt.plan('lowest');
  if (fits(plan, 'hard')) return attempt.send(plan);
  await attempt.compact({ reach: 'all', summaryTokens: atLeastOne(roomFor(plan) * WHOLE_SUMMARY) });
  plan = await attempt.plan('lowest');
  if (fits(plan, 'hard')) return attempt.send(plan);
  await context.ledger.overflowAvoided(context.name, plan.numbers, 'refused');
  await context.ledger.prepared(context.name, plan.numbers, 'refused', compositionOf(plan.weights));
  throw new SpillwayError('over_window', impossible(plan.numbers, plan.weights));
}

class Attempt {
  readonly #context: SessionContext;
  readonly #options: RequestOptions;
  readonly #reports: CompactionReport[] = [];
  #version: number | undefined;

  constructor(context: SessionContext, options: RequestOptions) {
    this.#context = context;
    this.#options = options;
  }

  plan(floor?: 'lowest'): Promise<RequestPlan> {
    return planRequest(this.#context, this.#options, floor);
  }

  /** Whether there is a new summary. */
  async compact(how: CompactOptions): Promise<boolean> {
    const { model, signal } = this.#options;
    const given = { ...(model === undefined ? {} : { model }), signal };
    const done = await compactSession(this.#context, { ...how, ...given });
    const { summary, ...left } = done;
    const isNew = summary?.version !== this.#version;
    this.#version = summary?.version;
    if (left.summarised > 0 && summary !== undefined) await this.#tell('summary', summary, left);
    return isNew;
  }

  /** Whether some reads are no longer shown. */
  async dropSuperseded({ draft }: RequestPlan): Promise<boolean> {
    const all = [...draft.resolved.values()].flat();
    const done = await dropSuperseded(this.#context, all);
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
    this.#reports.push(report);
    const { summarised, results, failure } = left;
    const numbers = { version, kind, by, messages: summarised, results: results.length };
    const failed = failure === undefined ? {} : { failed: true };
    await this.#context.ledger.note('compacted', this.#context.name, { data: { ...numbers, ...failed } });
    await this.#options.onCompaction?.(report);
  }

  async send(plan: RequestPlan): Promise<MadeRequest> {
    // What is sent is frozen: whoever gave up in time sends nothing.
    this.#options.signal?.throwIfAborted();
    return {
      ...(await sendPlan(this.#context, plan, this.#options)),
      compactions: this.#reports.length,
      compacted: this.#reports,
    };
  }
}

function fits({ numbers: { tokens, critical, hard } }: RequestPlan, upTo: Step['upTo']): boolean {
  return tokens <= ((upTo === 'hard' ? hard : critical) ?? Number.POSITIVE_INFINITY);
}

/** What the window has for messages and a summary, beside what always stays. */
function roomFor({ numbers: { hard }, weights }: RequestPlan): number {
  const fixed = total(weights.filter(({ kind }) => kind === 'reserve' || kind === 'system'));
  return Math.max(0, (hard ?? 0) - fixed);
}

function atLeastOne(tokens: number): number {
  return Math.max(1, Math.floor(tokens));
}
