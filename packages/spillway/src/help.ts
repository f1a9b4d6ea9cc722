/**
 * Help texts, made from the tables of commands and flags. `columns`: of the terminal, if it is one;
 * where a line does not fit, what is said goes on beside its name, or below it where there is little
 * room.
 */
import { settingName } from '@spillway/core/plugin';
import { CAPTURE_FLAGS } from './config/call-flags.ts';
import { type CommandSpec, type Flag, HELP } from './flags.ts';

/** What a person needs on the first day, in one screen: commands, or the word that several begin with. */
const FIRST_COMMANDS: readonly (readonly [name: string, doc: string])[] = [
  ['exec', 'Run a command, store all it says, print what a model should read.'],
  ['truncate', 'The same for a file or standard input.'],
  ['artifacts', 'List, print, search and export stored outputs.'],
  ['stats', 'What was cut, saved, fetched again and perhaps lost, by tool.'],
  ['discover', 'Errors that your agents cut away so far, from their own histories.'],
  ['inspect', 'Show in a browser what models were given of each output.'],
  ['hook', 'Store and bound the results of agents: hook install --agent NAME.'],
  ['mcp', 'Store and bound the results of MCP servers: mcp install.'],
  ['config', 'Show, explain, change and check settings.'],
  ['doctor', 'Check the installation, and say how to fix what is wrong.'],
];

const FIRST_SETTINGS = (['inlineLimit', 'strategy', 'pageLimit', 'exclude', 'redact'] as const).map(
  settingName,
);

export function programHelp(columns?: number): string {
  return `${[
    ...wrapped('spillway: nothing a tool said is lost, and nothing a model reads is wasted.', '', columns),
    '',
    'Usage: spillway COMMAND [ARGUMENTS]',
    '',
    'Commands:',
    ...rows(FIRST_COMMANDS, columns),
    '',
    ...wrapped(`Settings to begin with: ${FIRST_SETTINGS.join(', ')}.`, '', columns),
    '',
    'Examples:',
    ...EXAMPLES.map((example) => `  ${example}`),
    '',
    ...wrapped(
      'All commands and strategies: spillway help advanced. More: spillway exec --help.',
      '',
      columns,
    ),
  ].join('\n')}\n`;
}

export function advancedHelp(commands: readonly CommandSpec[], columns?: number): string {
  return `${[
    'Usage: spillway COMMAND [ARGUMENTS]',
    '',
    ...commandRows(commands, columns),
    ...choicesOf(CAPTURE_FLAGS, columns),
    '',
    ...wrapped(
      'spillway COMMAND --help tells more about one; spillway --version prints the version.',
      '',
      columns,
    ),
  ].join('\n')}\n`;
}

const EXAMPLES = ['spillway exec -- npm test', 'npm test 2>&1 | spillway truncate --limit 4000'];

/** A word that several commands begin with: `spillway artifacts --help`. */
export function groupHelp(group: string, commands: readonly CommandSpec[], columns?: number): string {
  return `${[
    `Usage: spillway ${group} COMMAND [ARGUMENTS]`,
    '',
    ...commandRows(commands, columns),
    '',
    ...wrapped(`spillway ${group} COMMAND --help tells more about one.`, '', columns),
  ].join('\n')}\n`;
}

/** `below`: commands whose names go on from this one's. */
export function commandHelp(
  command: CommandSpec,
  below: readonly CommandSpec[] = [],
  columns?: number,
): string {
  const flags = [...command.flags, HELP].map((flag) => [spelled(flag), flag.doc] as const);
  const usage = ['spillway', command.name, ...usageOf(command)].filter((word) => word !== '').join(' ');
  const examples =
    command.examples.length === 0
      ? []
      : ['', 'Examples:', ...command.examples.map((example) => `  ${example}`)];
  return `${[
    ...wrapped(command.summary, '', columns),
    '',
    `Usage: ${usage}`,
    '',
    'Flags:',
    ...rows(flags, columns),
    ...choicesOf(command.flags, columns),
    ...(below.length === 0 ? [] : ['', ...commandRows(below, columns)]),
    ...examples,
  ].join('\n')}\n`;
}

/** Flags stand before `--`, which ends them. */
function usageOf({ operands: { usage } }: CommandSpec): string[] {
  return usage.startsWith('-- ') ? ['[FLAGS]', usage] : [usage, '[FLAGS]'];
}

function commandRows(commands: readonly CommandSpec[], columns: number | undefined): string[] {
  const pairs = commands.map(({ name, summary }) => [name, summary] as const);
  return ['Commands:', ...rows(pairs, columns)];
}

/** The values of flags that have few: a section for each. */
function choicesOf(flags: readonly Flag[], columns: number | undefined): string[] {
  return flags.flatMap(({ name, choices }) =>
    choices === undefined ? [] : ['', `${choices.title} (--${name}):`, ...rows(choices.list(), columns)],
  );
}

/** Columns beside a name that are too few for a sentence. */
const NARROW = 40;

function rows(
  pairs: readonly (readonly [name: string, doc: string])[],
  columns: number | undefined,
): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length));
  const beside = ' '.repeat(width + 4);
  const isNarrow = columns !== undefined && columns - beside.length < NARROW;
  return pairs.flatMap(([name, doc]) => {
    const lines = wrapped(doc, isNarrow ? '      ' : beside, columns);
    if (isNarrow) return [`  ${name}`, ...lines];
    return [`  ${name.padEnd(width)}  ${lines[0]?.trimStart() ?? ''}`.trimEnd(), ...lines.slice(1)];
  });
}

function wrapped(text: string, indent: string, columns = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > columns) lines.push(indent + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function spelled(flag: Flag): string {
  return `--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}${flag.many === true ? ' …' : ''}`;
}
