/** `spillway stats`: what the ledger of the workspace tells, by tool, and what it recommends. */

import { didYouMean, formatBytes, formatCount, pluralize } from '@spillway/core/plugin';
import { defined } from '../fields.ts';
import { type CommandDetails, type Given, JSON_FLAG, oneOf, usageError } from '../flags.ts';
import { type Gain, GROUPINGS, type Grouping, gainsOf, readLedger } from '../observe/ledger.ts';
import {
  type HistoryStats,
  type Recommendation,
  type Stats,
  statsOf,
  type ToolStats,
} from '../observe/stats.ts';
import { answer, tell } from '../output.ts';
import { boxTable, fits } from '../table.ts';
import { columnsOf } from '../terminal.ts';
import { withStore } from './artifacts/reading.ts';
import { sinceWhen } from './durations.ts';

export const details: CommandDetails = {
  summary:
    'Show what was cut, saved, fetched again and perhaps lost, by tool, and which limit would be better.',
  flags: [
    {
      name: 'since',
      value: 'WHEN',
      doc: 'Only outputs since then: 90m, 24h, 7d, 2w, or a date such as 2024-05-01.',
    },
    { name: 'tool', value: 'NAME', doc: 'Only this tool.' },
    {
      name: 'by',
      value: 'GROUP',
      choices: {
        title: 'Groups',
        list: () => [
          ['day', 'What was saved on each day, with a graph.'],
          ['week', 'What was saved in each week, from Monday.'],
          ['session', 'What was saved in each session.'],
          ['tool', 'What was saved for each tool.'],
          ['agent', 'What was saved for each agent that a hook names.'],
        ],
      },
      doc: 'What was saved in chars, net of fetches and calls made again, by day, week, session, tool or agent.',
    },
    JSON_FLAG,
  ],
  examples: [
    'spillway stats',
    'spillway stats --since 7d --json',
    'spillway stats --by week',
    'spillway stats --tool search_files',
  ],
};

export async function run(given: Given): Promise<void> {
  const since = sinceWhen(given.value('since'), Date.now(), (takes) => usageError(`--${takes}`, 'stats'));
  const tool = given.value('tool');
  const named = given.value('by');
  const groupings = Object.keys(GROUPINGS) as Grouping[];
  const by = named === undefined ? undefined : oneOf(groupings, named, '--by takes', 'stats');
  return withStore(async ({ spillway, workspace: { scope } }, store) => {
    if (by !== undefined) {
      const { trails } = await readLedger(store, { scope, ...defined({ since }) });
      const gains = gainsOf(
        trails.filter((trail) => tool === undefined || trail.tool === tool),
        by,
      );
      return answer(given, { by, groups: gains }, gainReport(gains, by, columnsOf(1)));
    }
    const stats = await statsOf(store, { scope, spillway, ...defined({ since, tool }) });
    if (stats.tools.length > 0 || given.has('json'))
      return answer(given, stats, statsReport(stats, columnsOf(1)));
    const names = tool === undefined ? [] : (await statsOf(store, { scope })).tools.map((one) => one.tool);
    tell(`Nothing was captured${since === undefined ? '' : ' since then'}.${didYouMean(tool, names)}`);
  });
}

// Statistics as people read them: what happened in two sentences, a table by tool that fits the
// terminal, then what is worth a look, each with the command to follow it up.

/** Suspected losses that are named one by one. */
const MOST_LOSSES = 5;

export function statsReport(stats: Stats, columns: number | undefined): string {
  const lines = [
    ...totalLines(stats),
    '',
    byTool(stats, columns).trimEnd(),
    '',
    historyLine(stats.history),
    ...settingsLines(stats.total),
    ...lossLines(stats.total),
    ...stats.tools.flatMap(({ tool, recommendations }) =>
      recommendations.map((advice) => `${tool}: ${sentenceOf(advice, tool)}`),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** Chars of the longest bar. */
const BAR_CHARS = 24;

/** What was saved by group, with a bar for each; a group that cost more than it saved has `-`. */
export function gainReport(gains: readonly Gain[], by: string, columns: number | undefined): string {
  if (gains.length === 0) return 'Nothing was captured.\n';
  const most = Math.max(...gains.map(({ saved_chars }) => Math.abs(saved_chars)), 1);
  const total = gains.reduce((sum, { saved_chars }) => sum + saved_chars, 0);
  const rows = gains.map(({ group, outputs, cut, saved_chars, fetched_chars, again_chars }) => [
    group,
    formatCount(outputs),
    formatCount(cut),
    formatCount(fetched_chars + again_chars),
    formatCount(saved_chars),
    (saved_chars < 0 ? '-' : '█').repeat(Math.round((Math.abs(saved_chars) / most) * BAR_CHARS)),
  ]);
  const header = [`By ${by}`, 'Outputs', 'Cut', 'Read again', 'Chars saved', ''];
  const verdict =
    total < 0
      ? `Models read ${pluralize(-total, 'char')} more than their agents would have shown: what was fetched or run again cost more than the cuts saved.`
      : `Models read ${pluralize(total, 'char')} less than their agents would have shown, about ${pluralize(Math.round(total / 4), 'token')}, net of what was fetched or run again.`;
  return `${boxTable('What was saved', header, rows, columns, 0)}\n${verdict}\n`;
}

function totalLines({ total, since }: Stats): string[] {
  const { outputs, bytes, cut, truncation_rate, not_stored, chars, shown_chars, fetched_chars } = total;
  const from = since === null ? '' : ` since ${since.slice(0, 16).replace('T', ' ')} UTC`;
  const lost = not_stored === 0 ? '' : `, ${formatCount(not_stored)} not stored`;
  const saved = total.estimated_tokens_saved;
  const effect =
    saved < 0 ? `about ${pluralize(-saved, 'token')} more` : `about ${pluralize(saved, 'token')} saved`;
  const { outputs: longer, chars: added } = total.shown_more;
  const more =
    longer === 0
      ? []
      : [
          `Of ${pluralize(longer, 'output')} models were shown ${formatCount(added)} chars more than their agent shows by itself: errors and both ends, which its own cut leaves out, and the way to the rest.`,
        ];
  return [
    `${pluralize(outputs, 'output')}${from} with ${formatBytes(bytes)}: ${formatCount(cut)} cut (${percent(truncation_rate)})${lost}.`,
    `Models were shown ${formatCount(shown_chars)} of ${formatCount(chars.total)} chars and fetched ${formatCount(fetched_chars)} later: ${effect}.`,
    `Of the cuts ${formatCount(total.unfollowed)} ${total.unfollowed === 1 ? 'was' : 'were'} never followed up; ${pluralize(total.reexecuted, 'call')} ${total.reexecuted === 1 ? 'was' : 'were'} made again.`,
    ...more,
  ];
}

interface Column {
  readonly name: string;
  readonly cell: (stats: ToolStats) => string;
}

/** The first stays in any window; of the others the last go first where there is no room. */
const COLUMNS: readonly Column[] = [
  { name: 'Tool', cell: ({ tool }) => tool },
  { name: 'Outputs', cell: ({ outputs }) => formatCount(outputs) },
  { name: 'Cut', cell: ({ cut, truncation_rate }) => `${formatCount(cut)} (${percent(truncation_rate)})` },
  { name: 'Tokens saved', cell: ({ estimated_tokens_saved }) => formatCount(estimated_tokens_saved) },
  { name: 'Losses?', cell: ({ suspected_losses }) => formatCount(suspected_losses) },
  {
    name: 'Fetched',
    cell: ({ refetched, refetch_rate }) => `${formatCount(refetched)} (${percent(refetch_rate)})`,
  },
  { name: 'Size', cell: ({ bytes }) => formatBytes(bytes) },
];

/** Names of tools begin alike: so much of them is worth a column, down to so few columns. */
const NAME_CHARS = 20;
const FEWEST_FOR_NAME = 3;

function byTool({ tools, total }: Stats, columns: number | undefined): string {
  const rows = tools.length > 1 ? [...tools, total] : tools;
  const cellsOf = (some: readonly Column[]) => rows.map((row) => some.map(({ cell }) => cell(row)));
  const headerOf = (some: readonly Column[]) => some.map(({ name }) => name);
  const fit = (some: readonly Column[], leastName?: number) =>
    fits(headerOf(some), cellsOf(some), columns, 0, leastName);
  let shown = COLUMNS;
  while (shown.length > FEWEST_FOR_NAME && !fit(shown, NAME_CHARS)) shown = shown.slice(0, -1);
  while (shown.length > 2 && !fit(shown)) shown = shown.slice(0, -1);
  return boxTable('By tool', headerOf(shown), cellsOf(shown), columns, 0);
}

/** How often a setting that somebody changed was in force. */
function settingsLines({ settings, outputs }: ToolStats): string[] {
  const listed = Object.entries(settings)
    .sort(([, a], [, b]) => b - a)
    .map(([name, times]) => `${name} ${formatCount(times)} (${percent(times / outputs)})`);
  return listed.length === 0
    ? []
    : [`Outputs under settings that are not the default: ${listed.join(', ')}.`];
}

function historyLine(history: HistoryStats): string {
  const { shadow } = history;
  return [
    `Canonical writes: ${formatCount(history.canonical_writes)}, rendered by Spillway: ${formatCount(history.rendered_writes)}.`,
    `Missing results: ${formatCount(history.missing_results)} (${percent(history.missing_rate)}).`,
    `Refetches: ${formatCount(history.refetches)}.`,
    `Re-executions: ${formatCount(history.reexecutions)}.`,
    `Overflows avoided: ${formatCount(history.overflows_avoided)}.`,
    ...(shadow.results === 0
      ? []
      : [
          `Shadow: ${formatCount(shadow.differing)} of ${pluralize(shadow.results, 'result')} differ; the old texts lack ${pluralize(shadow.lost_chars, 'char')}.`,
        ]),
  ].join(' ');
}

/** The latest suspected losses, each with the command that shows what was missed. */
function lossLines({ suspected }: ToolStats): string[] {
  const lines = suspected.slice(-MOST_LOSSES).map(({ artifact_id, tool, why, part, line }) => {
    const name = `Suspected loss: ${artifact_id} (${tool})`;
    if (why === 'made_again' || line === null)
      return `${name}: it was cut, nothing was fetched, and the same call was made again.`;
    const around = `${Math.max(1, line - 5)}-${line + 5}`;
    const of = part === null || part === '' ? '' : ` --part ${part}`;
    return `${name}: line ${formatCount(line)} speaks of a failure and was left out. See spillway artifacts show ${artifact_id}${of} --lines ${around}`;
  });
  const more = suspected.length - lines.length;
  return more === 0
    ? lines
    : [...lines, `… and ${formatCount(more)} more: spillway stats --json names them.`];
}

function sentenceOf(advice: Recommendation, tool: string): string {
  const { setting, value } = advice;
  return `${reasonOf(advice)}: spillway config set ${setting} ${value} --tool ${tool}`;
}

/** What a recommendation rests on, without the command that follows it. */
export function reasonOf(advice: Recommendation): string {
  if (advice.setting === 'inline_limit')
    return `${percent(advice.refetched_share)} of cut results were fetched again; inline_limit ${formatCount(advice.value)} instead of ${formatCount(advice.current)} would have avoided ${percent(advice.avoided_share)}`;
  const { setting, value, current, wanted, shown, would_show, outputs } = advice;
  return `of ${formatCount(wanted)} places that were fetched later or held a failure, ${formatCount(shown)} had been shown; ${setting} ${value} instead of ${current} would have shown ${formatCount(would_show)} (${formatCount(outputs)} stored outputs replayed)`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
