/**
 * What another inline_limit would have done: the ledger is replayed under each limit that could
 * matter, and the one with which the model would have read least is recommended, if it saves
 * enough. Reading counts what was shown, what was fetched later, and the price of each further
 * call. Chars throughout.
 */

import {
  type ArtifactId,
  type OutputRecord,
  type Projection,
  parseSettings,
  type Spillway,
  SpillwayError,
  type Store,
  type WaitOptions,
} from '@spillway/core';
import type { OutputTrail, WantedLines } from './ledger.ts';
import type { SuspectedLoss } from './losses.ts';

/**
 * What a further call costs beside what it returns: a turn of the conversation, some 2,000 tokens
 * of thought, call and context that is read again.
 */
const CALL_CHARS = 8_000;
/** Too few cuts say nothing. */
const LEAST_CUTS = 5;
/** Savings below this share of all that was read are noise. */
const LEAST_SAVING = 0.05;
const STEP = 500;

/** A limit with which models would have read less. */
export interface LimitAdvice {
  readonly setting: 'inline_limit';
  /** The limit that is recommended, in chars. */
  readonly value: number;
  /** The limit that most of the cuts were made under. */
  readonly current: number;
  /** Of the cut outputs that were fetched again, the share that would have been shown whole. */
  readonly avoided_share: number;
  /** The share of the cut outputs of which something was fetched later. */
  readonly refetched_share: number;
  /** Chars that models would have read less, fetches included. */
  readonly chars_saved: number;
  /** The outputs that would have been shown whole, instead of being fetched again. */
  readonly evidence: readonly ArtifactId[];
}

/** What the model would have read, under a limit. */
export function replay(trails: readonly OutputTrail[], limit: number): number {
  return trails.reduce((sum, trail) => {
    const shownWhole = trail.chars <= limit;
    const shown = shownWhole ? trail.chars : trail.cut ? Math.min(trail.chars, limit) : (trail.shown ?? 0);
    return sum + shown + (shownWhole ? 0 : trail.fetchedChars + trail.fetches * CALL_CHARS);
  }, 0);
}

/** A better limit for the outputs of one tool, or null if none is clearly better. */
export function recommendLimit(trails: readonly OutputTrail[]): LimitAdvice | null {
  const projected = trails.filter(({ shown }) => shown !== null);
  const cut = projected.filter((trail) => trail.cut);
  const refetched = cut.filter(({ fetches }) => fetches > 0);
  const current = mostCommon(cut.flatMap(({ limit }) => limit ?? []));
  if (cut.length < LEAST_CUTS || refetched.length === 0 || current === undefined) return null;
  const now = replay(projected, current);
  // Only a limit at the size of some output changes anything.
  const candidates = new Set(cut.map(({ chars }) => Math.ceil(chars / STEP) * STEP));
  let best = { value: current, read: now };
  for (const value of candidates) {
    const read = value > current ? replay(projected, value) : Number.POSITIVE_INFINITY;
    if (read < best.read) best = { value, read };
  }
  if (now - best.read < now * LEAST_SAVING) return null;
  const avoided = refetched.filter(({ chars }) => chars <= best.value);
  return {
    setting: 'inline_limit',
    value: best.value,
    current,
    avoided_share: share(avoided.length, refetched.length),
    refetched_share: share(refetched.length, cut.length),
    chars_saved: now - best.read,
    evidence: avoided.map(({ id }) => id),
  };
}

function mostCommon<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

// What another setting would have shown: the cut outputs of a tool of which something was fetched
// later, or in which a line of failure was left out, are projected again under each candidate, and
// the wanted lines that would then have been shown are counted. The candidate that shows clearly
// more of them than the model saw is recommended. Nothing is frozen by it.

/** Fewer outputs than this say nothing. */
const LEAST_OUTPUTS = 5;
/** Outputs that are projected again, the newest first, and how large each may be. */
const MOST_OUTPUTS = 12;
const MOST_CHARS = 200_000;
/** The share of the wanted lines that a candidate must add. */
const LEAST_GAIN = 0.3;

const STRATEGIES = ['head_tail', 'smart_summary', 'element', 'tail', 'head'];

/** A setting under which models would have seen more of what they turned out to want. */
export interface ReplayAdvice {
  /** The setting to change. */
  readonly setting: 'strategy' | 'preserve_errors';
  /** The value that is recommended. */
  readonly value: string | boolean;
  /** What most of the cuts were made under. */
  readonly current: string | boolean;
  /** Outputs that were projected again. */
  readonly outputs: number;
  /** Line ranges that were fetched later, and failures that were left out. */
  readonly wanted: number;
  /** How many of them the model was shown. */
  readonly shown: number;
  /** How many it would have been shown. */
  readonly would_show: number;
  /** The outputs that were projected again. */
  readonly evidence: readonly ArtifactId[];
}

/** What a projection leaves out, as lines of parts. */
export type Gaps = readonly Pick<
  Projection['metadata']['omitted'][number],
  'name' | 'first_line' | 'last_line'
>[];

export interface Replayed {
  readonly spillway: Spillway;
  readonly store: Store;
  readonly trails: readonly OutputTrail[];
  readonly losses: readonly SuspectedLoss[];
  readonly wait: WaitOptions;
  /** What projections under other settings left out, by output and settings. */
  readonly known: Map<string, Gaps>;
}

/** One output to be projected again, and what was wanted of it. */
interface Sample {
  readonly record: OutputRecord;
  readonly wanted: readonly WantedLines[];
  readonly shown: Projection;
  readonly policy: Readonly<Record<string, unknown>>;
}

/** A better setting for the outputs of one tool, or null if none is clearly better. */
export async function replayAdvice(replayed: Replayed): Promise<ReplayAdvice | null> {
  const samples = await samplesOf(replayed);
  if (samples.length < LEAST_OUTPUTS) return null;
  const wanted = samples.reduce((sum, one) => sum + one.wanted.length, 0);
  const shown = samples.reduce((sum, one) => sum + shownOf(one.wanted, one.shown.metadata.omitted), 0);
  let best: ReplayAdvice | null = null;
  for (const { setting, value, current } of candidates(samples)) {
    const would = await wouldShow(replayed, samples, setting, value);
    if (would - shown < wanted * LEAST_GAIN || would <= (best?.would_show ?? 0)) continue;
    const evidence = samples.map(({ record }) => record.id);
    best = { setting, value, current, outputs: samples.length, wanted, shown, would_show: would, evidence };
  }
  return best;
}

async function samplesOf({ store, trails, losses }: Replayed): Promise<Sample[]> {
  const failures = new Map(losses.map((loss) => [loss.artifact_id, loss]));
  const samples: Sample[] = [];
  for (const trail of trails.toReversed()) {
    if (samples.length >= MOST_OUTPUTS) break;
    const { part, line } = failures.get(trail.id) ?? { part: null, line: null };
    const failure = part === null || line === null ? [] : [{ part, first: line, last: line }];
    const wanted = [...trail.wanted, ...failure];
    if (!trail.cut || wanted.length === 0 || trail.chars > MOST_CHARS) continue;
    const record = await unlessDamaged(store.find({ scope: trail.scope, id: trail.id }));
    const frozen = await unlessDamaged(store.frozen(trail.id, 'model'));
    if (record === undefined || 'purgedAt' in record || frozen === undefined) continue;
    samples.push({ record, wanted, shown: frozen.projection, policy: frozen.policy });
  }
  return samples;
}

function* candidates(
  samples: readonly Sample[],
): Generator<Pick<ReplayAdvice, 'setting' | 'value' | 'current'>> {
  const strategy = mostCommon(samples.map(({ policy }) => String(policy.strategy))) ?? '';
  if (mostCommon(samples.map(({ policy }) => policy.preserveErrors)) === false)
    yield { setting: 'preserve_errors', value: true, current: false };
  for (const value of STRATEGIES)
    if (value !== strategy) yield { setting: 'strategy', value, current: strategy };
}

/** How many wanted ranges would be shown, every output within the limit that it had. */
async function wouldShow(
  { spillway, wait, known }: Replayed,
  samples: readonly Sample[],
  setting: ReplayAdvice['setting'],
  value: string | boolean,
): Promise<number> {
  let sum = 0;
  for (const { record, wanted, policy } of samples) {
    const given = { inline_limit: policy.inlineLimit, [setting]: value };
    const key = JSON.stringify([record.id, given]);
    if (!known.has(key)) {
      const options = { policy: parseSettings(given), ...wait };
      const [projected] = (await unlessDamaged(spillway.projectTogether([record], options))) ?? [];
      if (projected === undefined) continue;
      known.set(key, projected.projection.metadata.omitted);
    }
    sum += shownOf(wanted, known.get(key) ?? []);
  }
  return sum;
}

/** Undefined where what is stored cannot be read. */
async function unlessDamaged<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SpillwayError && error.code === 'corrupt') return undefined;
    throw error;
  }
}

/** How many ranges a projection with these gaps shows in full. */
function shownOf(wanted: readonly WantedLines[], gaps: Gaps): number {
  return wanted.filter(({ part, first, last }) =>
    gaps.every((gap) => gap.name !== part || gap.last_line < first || gap.first_line > last),
  ).length;
}
