/** Help texts, made from the tables of commands and flags. */
import { type CommandName, type CommandSpec, type Flag, HELP } from './flags.ts';

export function programHelp(commands: readonly CommandName[]): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const rows = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `${[
    'spillway: the tool-output layer for LLM agents. Nothing a tool said is lost, nothing a model reads is wasted.',
    '',
    'Usage: spillway COMMAND [ARGUMENTS]',
    '',
    'Commands:',
    ...rows,
    '',
    'spillway COMMAND --help tells more about one; spillway --version prints the version.',
  ].join('\n')}\n`;
}

export function commandHelp(command: CommandSpec): string {
  const flags = [...command.flags, HELP];
  const width = Math.max(...flags.map((flag) => spelled(flag).length));
  const rows = flags.map((flag) => `  ${spelled(flag).padEnd(width)}  ${flag.doc}`);
  const usage = ['spillway', command.name, command.operands.usage, '[FLAGS]']
    .filter((word) => word !== '')
    .join(' ');
  const examples =
    command.examples.length === 0
      ? []
      : ['', 'Examples:', ...command.examples.map((example) => `  ${example}`)];
  return `${[`${command.summary}`, '', `Usage: ${usage}`, '', 'Flags:', ...rows, ...examples].join('\n')}\n`;
}

function spelled(flag: Flag): string {
  return `--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}${flag.many === true ? ' …' : ''}`;
}
