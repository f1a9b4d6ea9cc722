/** `spillway stats`: what the ledger of the workspace tells, by tool, and what it recommends. */

import { didYouMean } from '@spillway/core/plugin';
import { defined } from '../fields.ts';
import { type CommandDetails, type Given, JSON_FLAG, oneOf, usageError } from '../flags.ts';
import { GROUPINGS, type Grouping, gainsOf } from '../observe/gain.ts';
import { readLedger } from '../observe/ledger.ts';
import { statsOf } from '../observe/stats.ts';
import { answer, tell } from '../output.ts';
import { columnsOf } from '../terminal.ts';
import { withStore } from './artifacts/reading.ts';
import { sinceWhen } from './durations.ts';
import { gainReport, statsReport } from './stats-report.ts';

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
