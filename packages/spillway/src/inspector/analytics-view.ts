/** Analytics: the statistics of the ledger, over time, with the outputs behind each number. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { everyItem } from '@spillway/core/store';
import { sentenceOf, totalLines, unreadLines } from '../commands/discover.ts';
import { sinceWhen } from '../commands/durations.ts';
import { reasonOf } from '../commands/stats.ts';
import { type Discovery, discover } from '../discover/discover.ts';
import { folderName, historyBytes, SOURCES } from '../discover/histories.ts';
import { type Ledger, LedgerReading, type OutputTrail, savedChars } from '../observe/ledger.ts';
import { KnownOutputs, type Stats, statsOfLedger, type ToolStats } from '../observe/stats.ts';
import { visibleLine } from '../visible.ts';
import { type ApiRequest, type Lines, orNull, Problem, type Progress, text, withProgress } from './answer.ts';
import type { Inspected } from './inspected.ts';
import { rowsOf } from './store-view.ts';

const HOUR_MS = 3_600_000;
const BUCKETS = [
  [HOUR_MS / 4, '15 minutes'],
  [HOUR_MS, 'hour'],
  [6 * HOUR_MS, '6 hours'],
  [24 * HOUR_MS, 'day'],
  [7 * 24 * HOUR_MS, 'week'],
  [30 * 24 * HOUR_MS, '30 days'],
  [360 * 24 * HOUR_MS, '360 days'],
] as const;
const MOST_BUCKETS = 32;
/** Suspected losses that are listed, the newest first. All of them are counted. */
const MOST_LOSSES = 200;
const LEAST_CUTS = 5;

/** `since`: a span (`90m`, `24h`, `7d`, `2w`), a date, or absent for everything. */
export async function showAnalytics(inspected: Inspected, request: ApiRequest) {
  const now = Date.now();
  const since = sinceAsked(request.text('since'), now);
  const tool = request.text('tool');
  const { index, store, spillway } = inspected;
  const ledger = since === undefined ? index.ledger : await ledgerSince(inspected, since);
  const query = { spillway, signal: request.signal, ...(tool === undefined ? {} : { tool }) };
  const stats = await statsOfLedger(store, ledger, query, knownOutputs(inspected));
  const trails = ledger.trails.filter((trail) => tool === undefined || trail.tool === tool);
  return {
    total: counts(stats.total),
    tools: stats.tools.map(counts),
    history: stats.history,
    ...bucketsOf(trails, since, now),
    losses: await lossRows(inspected, stats),
    ...(await adviceOf(inspected, stats)),
  };
}

let known = { settings: '', outputs: new KnownOutputs() };

/**
 * What was worked out for single outputs under the settings in force: reading what was left out of
 * one, and projecting it again for a recommendation, take long.
 */
export function knownOutputs({ workspace, settingsVersion }: Inspected): KnownOutputs {
  const settings = JSON.stringify([workspace.root, settingsVersion]);
  if (known.settings !== settings) known = { settings, outputs: new KnownOutputs() };
  return known.outputs;
}

function sinceAsked(text: string | undefined, now: number): number | undefined {
  return sinceWhen(text, now, (takes) => new Problem('invalid_argument', takes));
}

/** Only what was noted since: also incidents, which have no output. */
async function ledgerSince(inspected: Inspected, since: number): Promise<Ledger> {
  const reading = new LedgerReading();
  for await (const event of everyItem((page) => inspected.store.events({ since, ...page })))
    if (inspected.owns(event.scope)) reading.take(event);
  return reading.ledger;
}

/** Without the list of losses, which may be as long as the ledger. */
function counts({ suspected: _, ...numbers }: ToolStats): Omit<ToolStats, 'suspected'> {
  return numbers;
}

/** Equal spans of time up to now; outputs count where they were captured. */
function bucketsOf(trails: readonly OutputTrail[], since: number | undefined, now: number) {
  const first = trails.reduce((least, { at }) => Math.min(least, at), since ?? now);
  const span = Math.max(1, now - first);
  const [bucketMs, words] = BUCKETS.find(([ms]) => span / ms <= MOST_BUCKETS) ?? BUCKETS[6];
  const begin = Math.floor(first / bucketMs) * bucketMs;
  const count = Math.max(1, Math.ceil((now + 1 - begin) / bucketMs));
  const buckets = Array.from({ length: count }, (_, i) => ({
    from_at: begin + i * bucketMs,
    outputs: 0,
    cut: 0,
    fetched: 0,
    tokens_saved: 0,
  }));
  for (const trail of trails) {
    const { at, cut, fetches } = trail;
    const bucket = buckets[Math.floor((at - begin) / bucketMs)];
    if (bucket === undefined) continue;
    bucket.outputs++;
    bucket.cut += Number(cut);
    bucket.fetched += Number(cut && fetches > 0);
    bucket.tokens_saved += savedChars(trail) / 4;
  }
  for (const bucket of buckets) bucket.tokens_saved = Math.round(bucket.tokens_saved);
  return { buckets, bucket_ms: bucketMs, bucket: words };
}

async function lossRows({ index, store }: Inspected, { total }: Stats) {
  const rows = [];
  for (const loss of total.suspected.slice(-MOST_LOSSES)) {
    const { artifact_id: id, tool, session, why, part, line } = loss;
    const trail = index.trail(id);
    const found = trail === undefined ? undefined : await store.find({ scope: trail.scope, id });
    const summary = found === undefined || 'purgedAt' in found ? '' : found.summary;
    rows.push({ id, at: trail?.at ?? 0, tool, session, summary, why, part, line });
  }
  return rows.reverse();
}

async function adviceOf(inspected: Inspected, { tools, total }: Stats) {
  const recommendations = [];
  for (const { tool, recommendations: all } of tools)
    for (const advice of all) {
      const { setting, value, current } = advice;
      const evidence = await rowsOf(inspected, advice.evidence);
      const words = sentence(reasonOf(advice));
      recommendations.push({ tool, setting, value, current, sentence: words, evidence });
    }
  if (recommendations.length > 0) return { recommendations, no_advice: null };
  const why =
    total.cut < LEAST_CUTS
      ? 'Fewer than five results were cut, which is too few to tell.'
      : 'Nothing that was read later or left out points to a better setting.';
  return { recommendations, no_advice: why };
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

// What Spillway would have done for the histories that agents keep on this machine: the facts of
// `spillway discover`, when a person asks for them. It reads, stores nothing, and ends with the
// page. Captured lines come redacted, and with their control characters made visible.

/** Missed errors that are listed, the newest first. */
const MOST_MISSED = 200;

const DISCOVER = { since: orNull(text) };

export type DiscoverLine = Progress | ({ readonly type: 'found' } & ReturnType<typeof shown>);

export async function discoverHistories(
  { options }: Inspected,
  request: ApiRequest<typeof DISCOVER>,
): Promise<Lines<DiscoverLine>> {
  const { since } = await request.body(DISCOVER);
  return { jsonLines: lines(options.env, sinceAsked(since ?? undefined, Date.now()) ?? 0, request.signal) };
}

type Env = Inspected['options']['env'];

async function* lines(env: Env, since: number, signal: AbortSignal): AsyncGenerator<DiscoverLine> {
  let read = 0;
  const work = discover({
    env,
    since,
    async onProgress(bytes) {
      read = bytes;
      // Other requests have their turn, and whoever goes away ends the work.
      await nextTurn();
      signal.throwIfAborted();
    },
  });
  const found = yield* withProgress(work, historyBytes(env, since), () => read);
  yield { type: 'found', ...shown(found, env) };
}

function shown(found: Discovery, env: Env) {
  const { total, agents, missed, habits } = found;
  return {
    folders: SOURCES.map((source) => folderName(source, env)),
    total,
    agents: Object.entries(agents).map(([agent, totals]) => ({ agent, ...totals })),
    words: [...totalLines(total), ...unreadLines(found)],
    missed: missed
      .slice(-MOST_MISSED)
      .reverse()
      .map(({ session, command, line, ...one }) => ({
        ...one,
        session: visibleLine(session),
        command: visibleLine(command),
        line: visibleLine(line),
      })),
    habits: habits.map(({ tool, command, ...one }) => ({
      ...one,
      name: visibleLine(`${tool} ${command}`.trim()),
    })),
    sentence: sentenceOf(found),
  };
}
