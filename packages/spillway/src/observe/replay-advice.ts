/**
 * What another setting would have shown: the cut outputs of a tool of which something was fetched
 * later, or in which a line of failure was left out, are projected again under each candidate, and
 * the wanted lines that would then have been shown are counted. The candidate that shows clearly
 * more of them than the model saw is recommended. Nothing is frozen by it.
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
import { mostCommon } from './limit-advice.ts';
import type { SuspectedLoss } from './losses.ts';

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
