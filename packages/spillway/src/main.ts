/**
 * The program. Exit codes: 0 done, 1 it could not be done, 2 wrong usage or configuration (one message on standard error, nothing on
 * standard output). Commands are loaded when they are run.
 */
import { readFileSync } from 'node:fs';
import { nearest, SpillwayError } from '@spillway/core';
import { COMMANDS, commandSpecs } from './commands/table.ts';
import { type CommandSpec, parseCommandLine, usageError } from './flags.ts';
import { keepMemorySmall } from './memory.ts';
import { print, tell } from './output.ts';
import { sentenceFor } from './sentences.ts';
import { columnsOf } from './terminal.ts';
import { visible } from './visible.ts';
import { WARNING } from './warnings.ts';

/** The commands of the program with all they take, for what is made from them. */
export { commandSpecs };

/** Runs the program and returns its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  guardWarnings();
  keepMemorySmall();
  try {
    return await run(argv);
  } catch (error) {
    tell(`spillway: ${sentenceFor(error)}`);
    return error instanceof SpillwayError && error.status === 400 ? 2 : 1;
  }
}

async function run(argv: readonly string[]): Promise<number> {
  const [first = '', second = ''] = argv;
  if (first === '--version' || first === '-v') return printed(`${version()}\n`);
  if (first === 'help' && second !== '') return run([...argv.slice(1), '--help']);
  if (first === '--help' || first === '-h' || first === 'help' || first === '')
    return first === '' ? refuse(argv) : help();
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  if (command === undefined) return refuse(argv);
  const { name, load } = command;
  const { details, run: runCommand } = await load();
  const given = parseCommandLine({ name, ...details }, argv.slice(name.split(' ').length));
  return given.has('help')
    ? help({ ...command, ...details })
    : runCommand(given, { version, specs: commandSpecs });
}

function refuse([first, second]: readonly string[]): never {
  const names = COMMANDS.map(({ name }) => name);
  if (first === undefined) throw usageError(`Say what to do: ${names.join(', ')}.`);
  const group = names.filter((name) => name.startsWith(`${first} `));
  if (group.length > 0)
    throw usageError(
      `${first} ${second === undefined ? 'needs a command' : 'does not have that command'}: ${group.join(', ')}.${meant(second === undefined ? undefined : nearest(`${first} ${second}`, group))}`,
    );
  const near = nearest(second === undefined ? first : `${first} ${second}`, names) ?? nearest(first, names);
  throw usageError(
    `There is no command ${JSON.stringify(first.slice(0, 40))}.${meant(near)} Commands: ${names.join(', ')}.`,
  );
}

function meant(name: string | undefined): string {
  return name === undefined ? '' : ` Did you mean ${name}?`;
}

async function help(command?: CommandSpec): Promise<number> {
  const { commandHelp, programHelp } = await import('./help.ts');
  const columns = columnsOf(1);
  return printed(command === undefined ? programHelp(COMMANDS, columns) : commandHelp(command, columns));
}

async function printed(text: string): Promise<number> {
  await print(text);
  return 0;
}

function version(): string {
  const { version: found } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  return found;
}

/**
 * Warnings of ours are told as everything else is. Node 22 warns that node:sqlite is experimental
 * each time it is loaded; every other warning stays. A warning may name what stands in a file of the
 * workspace: control characters are made visible.
 */
function guardWarnings(): void {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = ((warning: string | Error, ...rest: [string?]) => {
    if (String(warning).includes('SQLite is an experimental feature')) return;
    if (rest[0] === WARNING) return tell(`spillway: ${visible(String(warning))}`);
    emitWarning(typeof warning === 'string' ? visible(warning) : warning, ...(rest as []));
  }) as typeof process.emitWarning;
}
