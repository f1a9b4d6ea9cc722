/** Statistics of a workspace, by tool, from its ledger: how much is cut, what it saved, what was fetched again, what may have been lost, and which limit would have been better. */
import type { Store } from '@spillway/core';
import { type OutputStory, readLedger } from './ledger.ts';
import { isSuspectedLoss } from './losses.ts';
import { type Recommendation, recommendLimit } from './recommend.ts';

/** What is known of one tool, or of all of them. Shares are from 0 to 1. */
export interface ToolStats {
  readonly tool: string;
  readonly outputs: number;
  readonly cut: number;
  readonly truncation_rate: number;
  readonly bytes: number;
  readonly chars: {
    readonly total: number;
    readonly median: number;
    readonly p95: number;
    readonly max: number;
  };
  /** Chars that models were shown, and that they fetched later. */
  readonly shown_chars: number;
  readonly fetched_chars: number;
  /** Full texts less what was shown less what was fetched later, at four chars a token. */
  readonly estimated_tokens_saved: number;
  /** Cut outputs of which something was fetched later. */
  readonly refetched: number;
  readonly refetch_rate: number;
  /** Cuts after which nothing was fetched. */
  readonly unfollowed: number;
  /** Outputs whose call was made again in the same session. */
  readonly reexecuted: number;
  readonly suspected_losses: number;
  readonly not_stored: number;
  readonly recommendation: Recommendation | null;
}

/** Statistics of a workspace. */
export interface Stats {
  readonly since: string | null;
  readonly total: ToolStats;
  readonly tools: readonly ToolStats[];
}

/** Which part of the ledger to look at. */
export interface StatsQuery {
  readonly scope: string;
  /** Only outputs captured at this time or later: milliseconds since 1970. */
  readonly since?: number;
  readonly tool?: string;
}

/** Computes the statistics of a scope from the ledger of its store. */
export async function statsOf(store: Store, query: StatsQuery): Promise<Stats> {
  const { stories, notStored } = await readLedger(store, query);
  const asked = stories.filter(({ tool }) => query.tool === undefined || tool === query.tool);
  const suspected = new Set<OutputStory>();
  for (const story of asked) if (await isSuspectedLoss(store, story)) suspected.add(story);
  const names = new Set([...asked.map(({ tool }) => tool), ...notStored.keys()]);
  const tools = [...names]
    .filter((tool) => query.tool === undefined || tool === query.tool)
    .map((tool) => {
      const own = asked.filter((story) => story.tool === tool);
      return {
        ...numbersOf(tool, own, suspected, notStored.get(tool) ?? 0),
        recommendation: recommendLimit(own),
      };
    })
    .sort((a, b) => b.chars.total - a.chars.total || (a.tool < b.tool ? -1 : 1));
  const missing = tools.reduce((sum, { not_stored }) => sum + not_stored, 0);
  return {
    since: query.since === undefined ? null : new Date(query.since).toISOString(),
    total: { ...numbersOf('all tools', asked, suspected, missing), recommendation: null },
    tools,
  };
}

function numbersOf(
  tool: string,
  stories: readonly OutputStory[],
  suspected: ReadonlySet<OutputStory>,
  notStored: number,
): Omit<ToolStats, 'recommendation'> {
  const cut = stories.filter((story) => story.cut);
  const refetched = cut.filter(({ fetches }) => fetches > 0);
  const sizes = stories.map(({ chars }) => chars).sort((a, b) => a - b);
  const chars = sum(stories, ({ chars: own }) => own);
  const shown = sum(stories, ({ shown: own }) => own ?? 0);
  const fetched = sum(stories, ({ fetchedChars }) => fetchedChars);
  const projectedChars = sum(stories, ({ chars: own, shown: seen }) => (seen === null ? 0 : own));
  return {
    tool,
    outputs: stories.length,
    cut: cut.length,
    truncation_rate: share(cut.length, stories.length),
    bytes: sum(stories, ({ bytes }) => bytes),
    chars: { total: chars, median: at(sizes, 0.5), p95: at(sizes, 0.95), max: at(sizes, 1) },
    shown_chars: shown,
    fetched_chars: fetched,
    estimated_tokens_saved: Math.round((projectedChars - shown - fetched) / 4),
    refetched: refetched.length,
    refetch_rate: share(refetched.length, cut.length),
    unfollowed: cut.length - refetched.length,
    reexecuted: stories.filter(({ madeAgain }) => madeAgain).length,
    suspected_losses: stories.filter((story) => suspected.has(story)).length,
    not_stored: notStored,
  };
}

function sum(stories: readonly OutputStory[], of: (story: OutputStory) => number): number {
  return stories.reduce((total, story) => total + of(story), 0);
}

/** The smallest value that so large a share of them does not exceed. */
function at(sorted: readonly number[], quantile: number): number {
  return sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? 0;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}
