/** `spillway discover`: what the default would have done for the sessions that agents keep on disk. */

import { formatBytes, formatCount, pluralize } from '@spillway/core/plugin';
import { type AgentTotals, type Discovery, discover } from '../discover/discover.ts';
import { folderName, SOURCES } from '../discover/histories.ts';
import { defined } from '../fields.ts';
import { type CommandDetails, type Given, JSON_FLAG, oneOf, usageError } from '../flags.ts';
import { answer, tell } from '../output.ts';
import { withProgress } from '../progress.ts';
import { boxTable } from '../table.ts';
import { columnsOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { sinceWhen } from './durations.ts';
import { percent } from './stats.ts';

export const details: CommandDetails = {
  summary: 'Read the histories that agents keep on this machine, and say what they missed and what it cost.',
  flags: [
    {
      name: 'since',
      value: 'WHEN',
      doc: 'Only results since then: 90m, 24h, 7d, 2w, or a date such as 2024-05-01.',
    },
    {
      name: 'agent',
      value: 'NAME',
      choices: {
        title: 'Agents',
        list: () => SOURCES.map((source) => [source.agent, `${source.title}: ${folderName(source, {})}`]),
      },
      doc: 'Only the history of this agent.',
    },
    JSON_FLAG,
  ],
  examples: ['spillway discover', 'spillway discover --since 30d --agent claude-code'],
};

/** Missed errors that are printed one by one. */
const MOST_MISSED = 10;

export async function run(given: Given): Promise<void> {
  const since =
    sinceWhen(given.value('since'), Date.now(), (takes) => usageError(`--${takes}`, 'discover')) ?? 0;
  const agent = given.value('agent');
  const names = SOURCES.map((source) => source.agent);
  if (agent !== undefined) oneOf<string>(names, agent, '--agent takes', 'discover');
  let bytes = 0;
  const found = await withProgress(
    { line: () => `${formatBytes(bytes)} of histories read`, quiet: given.has('json') },
    (progress) =>
      discover({
        env: process.env,
        since,
        ...defined({ agent }),
        onProgress(read) {
          bytes = read;
          progress.step();
        },
      }),
  );
  if (found.total.results > 0 || given.has('json'))
    return answer(given, { ...found, sentence: sentenceOf(found) }, report(found, columnsOf(1)));
  const asked = SOURCES.filter((one) => agent === undefined || one.agent === agent);
  const folders = asked.map((source) => folderName(source, process.env)).join(', ');
  const nothing = `No results of tools were found${since === 0 ? '' : ' since then'}. Looked in ${folders}.`;
  tell([nothing, ...unreadLines(found)].join('\n'));
}

function report(found: Discovery, columns: number | undefined): string {
  const { total } = found;
  return `${[
    byAgent(found, columns).trimEnd(),
    '',
    ...totalLines(total),
    ...unreadLines(found),
    '',
    ...missedLines(found),
    'Where the chars went:',
    ...found.habits.map(
      ({ agent, tool, command, results, shown_chars, default_chars }) =>
        `  ${formatCount(shown_chars)} chars in ${pluralize(results, 'result')}, by default ${formatCount(default_chars)}: ${visibleLine([agent, tool, command].filter((word) => word !== '').join(' '))}`,
    ),
    '',
    `To share: ${sentenceOf(found)}`,
  ].join('\n')}\n`;
}

function byAgent({ agents }: Discovery, columns: number | undefined): string {
  const rows = Object.entries(agents).map(([agent, totals]) => [
    agent,
    formatCount(totals.sessions),
    formatCount(totals.results),
    formatCount(totals.shown_tokens),
    formatCount(totals.cut),
    formatCount(totals.missed_results),
    formatCount(totals.default_tokens),
  ]);
  const header = ['Agent', 'Sessions', 'Results', 'Tokens read', 'Cut', 'Errors missed', 'Tokens by default'];
  return boxTable('Histories on this machine', header, rows, columns, 0);
}

export function totalLines(total: AgentTotals): string[] {
  const share = total.shown_chars / Math.max(1, total.shown_chars + total.other_chars);
  const fetches = total.fetched + total.run_again;
  return [
    `Results of tools were ${percent(share)} of what the models read: about ${pluralize(total.shown_tokens, 'token')}.`,
    `The agents cut ${pluralize(total.cut, 'result')}${total.cut_unknown === 0 ? '' : ` (of ${formatCount(total.cut_unknown)} the whole text is not kept, so what they lost is not known)`}; ${formatCount(fetches)} of them ${fetches === 1 ? 'was' : 'were'} fetched or run again, for ${pluralize(total.again_chars, 'char')}.`,
    `Spillway's default would have shown ${comparison(total)}, with the same fetches and runs.`,
  ];
}

/** What of the histories could not be read. */
export function unreadLines({ unreadable_lines: lines, unreadable_files: files }: Discovery): string[] {
  const some = files.length > 3 ? [...files.slice(0, 3), '…'] : files;
  const counts = [
    ...(lines === 0 ? [] : [pluralize(lines, 'line')]),
    ...(files.length === 0
      ? []
      : [`${pluralize(files.length, 'file')} (${some.map(visibleLine).join(', ')})`]),
  ];
  return counts.length === 0 ? [] : [`Not readable: ${counts.join(' and ')}.`];
}

/** More or fewer chars than the agents showed. */
function comparison(total: AgentTotals): string {
  const { shown_chars: theirs, default_chars: ours } = total;
  if (sameChars(total)) return 'as many chars';
  const share = Math.abs(ours - theirs) / theirs;
  // Rounding must not claim 100 % fewer.
  return `${ours < theirs && share > 0.99 ? 'more than 99 %' : percent(share)} ${ours < theirs ? 'fewer' : 'more'} chars`;
}

function sameChars({ shown_chars: theirs, default_chars: ours }: AgentTotals): boolean {
  return Math.abs(ours - theirs) <= 0.005 * theirs;
}

function missedLines({ missed, total }: Discovery): string[] {
  if (missed.length === 0) return ['No error was found that an agent was not shown.', ''];
  const more = missed.length - MOST_MISSED;
  return [
    `In ${pluralize(missed.length, 'result')} the cut of the agent removed an error that it was never shown; Spillway's default shows ${formatCount(total.missed_shown_by_default)} of them:`,
    ...missed
      .slice(-MOST_MISSED)
      .flatMap(({ agent, session, command, line, line_number, lines }) => [
        `  ${visibleLine(`${agent} ${session}: ${command}`)}`,
        `    line ${formatCount(line_number)}: ${visibleLine(line)}${lines === 1 ? '' : ` (and ${formatCount(lines - 1)} more)`}`,
      ]),
    ...(more > 0 ? [`  … and ${formatCount(more)} earlier ones: --json has all.`] : []),
    '',
  ];
}

/** Numbers only: nothing of what was said. */
export function sentenceOf({ total }: Discovery): string {
  const { sessions, results, missed_results, missed_shown_by_default } = total;
  const where = `In ${pluralize(sessions, 'session')} with ${pluralize(results, 'tool result')}`;
  return missed_results === 0
    ? `${where} Spillway's default would have shown ${comparison(total)} ${sameChars(total) ? 'as' : 'than'} my agents did.`
    : `${where} my agents cut away errors in ${pluralize(missed_results, 'result')} that they were never shown; Spillway's default shows ${formatCount(missed_shown_by_default)} of them, in ${comparison(total)}.`;
}
