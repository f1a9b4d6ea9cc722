/** `spillway stats`: what the ledger of the workspace tells, by tool, and what it recommends. */
import { bytesForPeople, count, nearest } from '@spillway/core';
import { type CommandDetails, type Given, JSON_FLAG, usageError } from '../flags.ts';
import { statsOf, type ToolStats } from '../observe/stats.ts';
import { print, tell } from '../output.ts';
import { boxTable } from '../table.ts';
import { columnsOf } from '../terminal.ts';
import { withStore } from './artifacts/reading.ts';
import { spanOf } from './durations.ts';

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
  return withStore(async ({ workspace: { scope } }, store) => {
    const stats = await statsOf(store, {
      scope,
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
      for (const { tool: name, recommendation } of stats.tools) {
        if (recommendation === null) continue;
        const { refetched_share, value, avoided_share, current } = recommendation;
        await print(
          `${name}: ${percent(refetched_share)} of cut results were fetched again; inline_limit ${count(value)} instead of ${count(current)} would have avoided ${percent(avoided_share)}: spillway config set inline_limit ${value} --tool ${name}\n`,
        );
      }
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
