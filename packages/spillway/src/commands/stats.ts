/** `spillway stats`: what the ledger of the workspace tells, by tool, and what it recommends. */
import { nearest } from '@spillway/core/plugin';
import { type CommandDetails, type Given, JSON_FLAG } from '../flags.ts';
import { statsOf } from '../observe/stats.ts';
import { print, tell } from '../output.ts';
import { columnsOf } from '../terminal.ts';
import { withStore } from './artifacts/reading.ts';
import { sinceWhen } from './durations.ts';
import { statsReport } from './stats-report.ts';

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
  const since = sinceWhen(given.value('since'), Date.now(), 'stats');
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
    } else await print(statsReport(stats, columnsOf(1)));
    return 0;
  });
}
