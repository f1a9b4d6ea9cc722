/**
 * Statistics of a workspace, by tool, from its ledger: how much is cut, what it saved, what was
 * fetched again, what may have been lost, which settings would have been better, and what the
 * histories of its sessions went through.
 */

import { Spillway, type Store, type WaitOptions } from '@spillway/core';
import { withSignal } from '@spillway/core/store';
import { sum } from '../fields.ts';
import { type Gaps, type LimitAdvice, type ReplayAdvice, recommendLimit, replayAdvice } from './advice.ts';
import { type Ledger, type OutputTrail, readLedger, type ShadowCounts, savedChars } from './ledger.ts';
import { type LossReason, type SuspectedLoss, suspectedLoss } from './losses.ts';

/** A setting that would have served the model better, with the evidence. */
export type Recommendation = LimitAdvice | ReplayAdvice;

/** What is known of one tool, or of all of them. Shares are from 0 to 1. */
export interface ToolStats {
  /** Its name; `all tools` for the total. */
  readonly tool: string;
  /** Outputs that were captured. */
  readonly outputs: number;
  /** Outputs of which something was left out. */
  readonly cut: number;
  /** Outputs of which it is known what a model was shown. */
  readonly projected: number;
  /** The share of `projected` that was cut. */
  readonly truncation_rate: number;
  /** Bytes of all outputs. */
  readonly bytes: number;
  /** Chars of an output. */
  readonly chars: {
    readonly total: number;
    readonly median: number;
    readonly p95: number;
    readonly max: number;
  };
  /** Chars that models were shown. */
  readonly shown_chars: number;
  /** Chars that they fetched later. */
  readonly fetched_chars: number;
  /** `savedChars` of all of them, at four chars a token. */
  readonly estimated_tokens_saved: number;
  /** Outputs of which more was shown than the agent would have shown, and how many chars more. */
  readonly shown_more: { readonly outputs: number; readonly chars: number };
  /** Cut outputs of which something was fetched later. */
  readonly refetched: number;
  /** The share of the cut outputs of which something was fetched later. */
  readonly refetch_rate: number;
  /** Cuts after which nothing was fetched. */
  readonly unfollowed: number;
  /** Outputs whose call was made again in the same session. */
  readonly reexecuted: number;
  /** Cuts by which a model may have missed something. */
  readonly suspected_losses: number;
  /** The outputs behind that number. */
  readonly suspected: readonly SuspectedLoss[];
  /** Outputs that could not be stored. */
  readonly not_stored: number;
  /** Outputs under each setting that does not have its default value. */
  readonly settings: Readonly<Record<string, number>>;
  /** Outputs of which plain ends were shown because a strategy failed. */
  readonly strategy_failures: number;
  /** Texts of our own that were offered as results. */
  readonly rendered_writes: number;
  /** Calls without a result when a request was made. */
  readonly missing_results: number;
  /** Settings that would have served better. */
  readonly recommendations: readonly Recommendation[];
}

/** What the histories of the sessions went through. */
export interface HistoryStats {
  /** Outputs that were recorded. */
  readonly canonical_writes: number;
  /** How many of them our own renderer had made. The target is 0. */
  readonly rendered_writes: number;
  /** Calls that had no result when a request was made. */
  readonly missing_results: number;
  /** Their share of all calls. */
  readonly missing_rate: number;
  /** Fetches of what a projection had left out. */
  readonly refetches: number;
  /** Calls that were made again with the same input. */
  readonly reexecutions: number;
  /** Requests that were refused or reduced to fit the window. */
  readonly overflows_avoided: number;
  /** What shadows of an old path compared. */
  readonly shadow: Readonly<ShadowCounts>;
}

/** Statistics of a workspace. */
export interface Stats {
  /** The start of the period, as ISO 8601; null for all of the ledger. */
  readonly since: string | null;
  /** All tools together. */
  readonly total: ToolStats;
  /** Each tool, the one with the most chars first. */
  readonly tools: readonly ToolStats[];
  /** Sessions and their requests. */
  readonly history: HistoryStats;
}

/** Which part of the ledger to look at. */
export interface StatsQuery extends WaitOptions {
  /** Whose outputs. */
  readonly scope: string;
  /** Only outputs captured at this time or later: milliseconds since 1970. */
  readonly since?: number;
  /** Only those of this tool. */
  readonly tool?: string;
  /** Projects stored outputs again for recommendations. Default: one with the built-in settings. */
  readonly spillway?: Spillway;
}

/** Computes the statistics of a scope from the ledger of its store. */
export async function statsOf(given: Store, query: StatsQuery): Promise<Stats> {
  const store = withSignal(given, query.signal);
  return statsOfLedger(store, await readLedger(store, query), query);
}

/**
 * What was worked out for single outputs, which do not change, under settings that have not changed
 * since.
 */
export class KnownOutputs {
  readonly losses = new Map<string, LossReason>();
  readonly gaps = new Map<string, Gaps>();
}

/** The same from a ledger that has been read. */
export async function statsOfLedger(
  store: Store,
  ledger: Ledger,
  query: Omit<StatsQuery, 'scope'>,
  known = new KnownOutputs(),
): Promise<Stats> {
  const wait = query.signal === undefined ? {} : { signal: query.signal };
  const isAsked = (tool: string) => query.tool === undefined || tool === query.tool;
  const trails = ledger.trails.filter(({ tool }) => isAsked(tool));
  const names = new Set([...trails.map(({ tool }) => tool), ...ledger.incidents.keys()]);
  const spillway = query.spillway ?? new Spillway({ store });
  const tools: ToolStats[] = [];
  for (const tool of [...names].filter(isAsked)) {
    const own = trails.filter((trail) => trail.tool === tool);
    const losses = await lossesOf(spillway, own, known);
    const incidents = incidentsOf(ledger, [tool]);
    const { policy } = query.spillway?.explain(tool) ?? {};
    const advice = [
      await replayAdvice({ spillway, store, trails: own, losses, wait, known: known.gaps }),
      recommendLimit(own),
    ]
      .filter((one) => one !== null)
      .filter((one) => !isFollowed(one, policy?.inlineLimit));
    tools.push({ ...numbersOf(tool, own, losses, incidents), recommendations: advice });
  }
  tools.sort((a, b) => b.chars.total - a.chars.total || (a.tool < b.tool ? -1 : 1));
  const incidents = incidentsOf(ledger, [...names].filter(isAsked));
  // Handles begin with the second in which they were made: the oldest come first.
  const losses = tools
    .flatMap(({ suspected }) => suspected)
    .sort((a, b) => (a.artifact_id < b.artifact_id ? -1 : 1));
  return {
    since: query.since === undefined ? null : new Date(query.since).toISOString(),
    total: { ...numbersOf('all tools', trails, losses, incidents), recommendations: [] },
    tools,
    history: historyOf(trails, incidents, ledger),
  };
}

/** Whether the limit in force is what is recommended, or larger. */
function isFollowed({ setting, value }: Recommendation, limit: unknown): boolean {
  return setting === 'inline_limit' && Number(limit ?? 0) >= Number(value);
}

async function lossesOf(
  spillway: Spillway,
  trails: readonly OutputTrail[],
  known: KnownOutputs,
): Promise<SuspectedLoss[]> {
  const losses: SuspectedLoss[] = [];
  for (const trail of trails) {
    const loss = await suspectedLoss(spillway, trail, known.losses);
    if (loss !== null) losses.push(loss);
  }
  return losses;
}

interface Incidents {
  readonly notStored: number;
  readonly renderedWrites: number;
  readonly missing: number;
}

function incidentsOf({ incidents }: Ledger, tools: readonly string[]): Incidents {
  const found = tools.flatMap((tool) => incidents.get(tool) ?? []);
  return {
    notStored: sum(found, ({ notStored }) => notStored),
    renderedWrites: sum(found, ({ renderedWrites }) => renderedWrites),
    missing: sum(found, ({ missing }) => missing.size),
  };
}

function historyOf(
  trails: readonly OutputTrail[],
  { renderedWrites, missing }: Incidents,
  { overflowsAvoided, shadow }: Ledger,
): HistoryStats {
  return {
    canonical_writes: trails.length,
    rendered_writes: renderedWrites,
    missing_results: missing,
    missing_rate: share(missing, trails.length + missing),
    refetches: sum(trails, ({ cut, fetches }) => (cut ? fetches : 0)),
    reexecutions: trails.filter(({ madeAgain }) => madeAgain !== null).length,
    overflows_avoided: overflowsAvoided,
    shadow,
  };
}

function numbersOf(
  tool: string,
  trails: readonly OutputTrail[],
  losses: readonly SuspectedLoss[],
  incidents: Incidents,
): Omit<ToolStats, 'recommendations'> {
  const cut = trails.filter((trail) => trail.cut);
  const refetched = cut.filter(({ fetches }) => fetches > 0);
  const sizes = trails.map(({ chars }) => chars).sort((a, b) => a - b);
  const chars = sum(trails, ({ chars: own }) => own);
  const shown = sum(trails, ({ shown: own }) => own ?? 0);
  const fetched = sum(trails, ({ fetchedChars }) => fetchedChars);
  const more = cut.filter(({ shown: seen, hostChars }) => (seen ?? 0) > hostChars);
  return {
    tool,
    outputs: trails.length,
    cut: cut.length,
    projected: trails.filter(({ shown: seen }) => seen !== null).length,
    truncation_rate: share(cut.length, trails.length),
    bytes: sum(trails, ({ bytes }) => bytes),
    chars: { total: chars, median: at(sizes, 0.5), p95: at(sizes, 0.95), max: at(sizes, 1) },
    shown_chars: shown,
    fetched_chars: fetched,
    estimated_tokens_saved: Math.round(sum(trails, savedChars) / 4),
    shown_more: {
      outputs: more.length,
      chars: sum(more, ({ shown: seen, hostChars }) => (seen ?? 0) - hostChars),
    },
    refetched: refetched.length,
    refetch_rate: share(refetched.length, cut.length),
    unfollowed: cut.length - refetched.length,
    reexecuted: trails.filter(({ madeAgain }) => madeAgain !== null).length,
    suspected_losses: losses.length,
    suspected: losses,
    not_stored: incidents.notStored,
    settings: timesEach(trails.flatMap(({ settings }) => settings)),
    rendered_writes: incidents.renderedWrites,
    missing_results: incidents.missing,
    strategy_failures: trails.filter(({ strategyFailed }) => strategyFailed).length,
  };
}

function timesEach(names: readonly string[]): Record<string, number> {
  const times = new Map<string, number>();
  for (const name of [...names].sort()) times.set(name, (times.get(name) ?? 0) + 1);
  return Object.fromEntries(times);
}

/** The smallest value that so large a share of them does not exceed. */
function at(sorted: readonly number[], quantile: number): number {
  return sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? 0;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}
