/** `spillway stats`: what the ledger of the workspace tells, by tool, and what it recommends. */
import { bytesForPeople, count, nearest } from '@spillway/core';
import { type CommandDetails, type Given, JSON_FLAG, usageError } from '../flags.ts';
import { type HistoryStats, type Recommendation, statsOf, type ToolStats } from '../observe/stats.ts';
import { print, tell } from '../output.ts';
import { boxTable } from '../table.ts';
import { columnsOf } from '../terminal.ts';
import { withStore } from './artifacts/reading.ts';
import { spanOf } from './durations.ts';

/** Suspected losses that are named one by one. */
const MOST_LOSSES = 5;

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [
    {
      name: 'since',
      value: 'WHEN',
      doc: 'Only outputs since then: 90m, 24h, 7d, 2w, or a date such as 2024-05-01.',
    },
    { name: 'tool', value: 'NAME', doc: 'Only this tool.' },
    JSON_FLAG,
  ],
  examples: ['spillway stats', 'spillway stats --since 7d --json', 'spillway stats --tool search_files'],
};

export async function run(given: Given): Promise<number> {
  const since = sinceWhen(given.value('since'), Date.now());
  const tool = given.value('tool');
  return withStore(async ({ spillway, workspace: { scope } }, store) => {
    const stats = await statsOf(store, {
      scope,
      spillway,
      ...(since === undefined ? {} : { since }),
      ...(tool === undefined ? {} : { tool }),
    });
    if (given.has('json')) await print(`${JSON.stringify(stats)}\n`);
    else if (stats.tools.length === 0) {
      const near =
        tool === undefined
          ? undefined
          : nearest(
              tool,
              (await statsOf(store, { scope })).tools.map((one) => one.tool),
            );
      tell(
        `Nothing was captured${since === undefined ? '' : ' since then'}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
      );
    } else {
      const rows = stats.tools.length > 1 ? [...stats.tools, stats.total] : stats.tools;
      await print(boxTable('Statistics', HEADER, rows.map(row), columnsOf(1)));
      await print(`${historyLine(stats.history)}\n`);
      for (const line of lossLines(stats.total)) await print(`${line}\n`);
      for (const { tool: name, recommendations } of stats.tools)
        for (const advice of recommendations) await print(`${name}: ${sentenceOf(advice, name)}\n`);
    }
    return 0;
  });
}

const HEADER = [
  'Outputs',
  'Size',
  'Cut',
  'Fetched again',
  'Unfollowed',
  'Made again',
  'Losses?',
  'Tokens saved',
  'Tool',
];

function row(stats: ToolStats): string[] {
  return [
    count(stats.outputs),
    bytesForPeople(stats.bytes),
    `${count(stats.cut)} (${percent(stats.truncation_rate)})`,
    `${count(stats.refetched)} (${percent(stats.refetch_rate)})`,
    count(stats.unfollowed),
    count(stats.reexecuted),
    count(stats.suspected_losses),
    count(stats.estimated_tokens_saved),
    stats.tool,
  ];
}

function historyLine(history: HistoryStats): string {
  return [
    `Canonical writes: ${count(history.canonical_writes)}, rendered by Spillway: ${count(history.rendered_writes)}.`,
    `Missing results: ${count(history.missing_results)} (${percent(history.missing_rate)}).`,
    `Refetches: ${count(history.refetches)}.`,
    `Re-executions: ${count(history.reexecutions)}.`,
    `Overflows avoided: ${count(history.overflows_avoided)}.`,
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
    return `${name}: line ${count(line)} speaks of a failure and was left out. See spillway artifacts show ${artifact_id}${of} --lines ${around}`;
  });
  const more = suspected.length - lines.length;
  return more === 0 ? lines : [...lines, `… and ${count(more)} more: spillway stats --json names them.`];
}

function sentenceOf(advice: Recommendation, tool: string): string {
  const { setting, value, current } = advice;
  const command = `spillway config set ${setting} ${value} --tool ${tool}`;
  if (advice.setting === 'inline_limit')
    return `${percent(advice.refetched_share)} of cut results were fetched again; inline_limit ${count(advice.value)} instead of ${count(advice.current)} would have avoided ${percent(advice.avoided_share)}: ${command}`;
  const { wanted, shown, would_show, outputs } = advice;
  return `of ${count(wanted)} places that were fetched later or held a failure, ${count(shown)} had been shown; ${setting} ${value} instead of ${current} would have shown ${count(would_show)} (${count(outputs)} stored outputs replayed): ${command}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function sinceWhen(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const span = spanOf(text);
  if (span !== undefined) return now - span;
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw usageError('--since takes 90m, 24h, 7d, 2w, or a date such as 2024-05-01.', 'stats');
  return at;
}
