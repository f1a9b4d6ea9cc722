/**
 * The program. Exit codes: 0 done, 1 it could not be done, 2 wrong usage or configuration (one
 * message on standard error, nothing on standard output). Commands are loaded when they are run.
 */
import { readFileSync } from 'node:fs';
import { SpillwayError } from '@spillway/core';
import { nearest } from '@spillway/core/plugin';
import { COMMANDS, commandSpecs } from './commands/table.ts';
import {
  type CommandDetails,
  type CommandEntry,
  type CommandSpec,
  NO_OPERANDS,
  parseCommandLine,
  usageError,
} from './flags.ts';
import { print, tell } from './output.ts';
import { sentenceFor, WARNING } from './sentences.ts';
import { columnsOf } from './terminal.ts';
import { visible } from './visible.ts';

/** The commands of the program with all they take, for what is made from them. */
export { commandSpecs };

export async function main(argv: readonly string[]): Promise<number> {
  guardWarnings();
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
  if (first === 'help' && second === 'advanced') return help('advanced');
  if (first === 'help' && second !== '') return run([...argv.slice(1), '--help']);
  if (first === '') return refuse(argv);
  if (isHelp(first)) return help();
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  if (command === undefined) return runGroup(argv);
  const { name, load } = command;
  const { details, run: runCommand } = await load();
  const spec = { name, operands: NO_OPERANDS, ...details };
  try {
    const given = parseCommandLine(spec, argv.slice(name.split(' ').length));
    if (given.has('help')) return await help(spec);
    const code = await runCommand(given, { version, specs: commandSpecs });
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    if (details.codeWhenRefused === undefined) throw withAssurance(error, details);
    tell(`spillway: ${sentenceFor(error)}`);
    return details.codeWhenRefused;
  }
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h' || word === 'help';
}

/** `artifacts --help`, `artifacts help show`; everything else that is no command is refused. */
async function runGroup([group = '', second = '', ...rest]: readonly string[]): Promise<number> {
  const commands = below(group);
  if (commands.length === 0) return refuse([group, second]);
  if (second === 'help' && rest.length > 0) return run([group, ...rest, '--help']);
  if (!isHelp(second) && !(second.startsWith('-') && rest.some(isHelp)))
    return refuse(second === '' ? [group] : [group, second]);
  const { groupHelp } = await import('./help.ts');
  return printed(groupHelp(group, await commandSpecs(commands), columnsOf(1)));
}

function below(group: string): readonly CommandEntry[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
}

/** Whoever piped something in wants to know what became of it. */
function withAssurance(error: unknown, { whenRefused }: CommandDetails): unknown {
  if (whenRefused === undefined || !(error instanceof SpillwayError) || error.status !== 400) return error;
  const space = error.message.includes('\n') ? '\n' : ' ';
  return new SpillwayError(error.code, `${error.message}${space}${whenRefused}`, { cause: error });
}

function refuse([first, second]: readonly string[]): never {
  const names = COMMANDS.map(({ name }) => name);
  if (first === undefined || first === '') throw usageError(`Say what to do: ${topics(names)}.`);
  const group = below(first).map(({ name }) => name);
  if (group.length > 0)
    throw usageError(
      `${first} ${second === undefined ? 'needs a command' : 'does not have that command'}: ${group.join(', ')}.${meant(second === undefined ? undefined : nearestIn(group, first, second))}`,
      first,
    );
  const near = nearest(second === undefined ? first : `${first} ${second}`, names) ?? nearest(first, names);
  throw usageError(
    `There is no command ${JSON.stringify(first.slice(0, 40))}.${meant(near) || ` Commands: ${topics(names)}.`}`,
  );
}

function topics(names: readonly string[]): string {
  return [...new Set(names.map((name) => name.split(' ')[0]))].join(', ');
}

/** Only the second words are compared: the first is right. */
function nearestIn(names: readonly string[], group: string, typed: string): string | undefined {
  const near = nearest(
    typed,
    names.map((name) => name.slice(group.length + 1)),
  );
  return near === undefined ? undefined : `${group} ${near}`;
}

function meant(name: string | undefined): string {
  return name === undefined ? '' : ` Did you mean ${name}?`;
}

async function help(about?: CommandSpec | 'advanced'): Promise<number> {
  const { advancedHelp, commandHelp, programHelp } = await import('./help.ts');
  const columns = columnsOf(1);
  if (about === undefined) return printed(programHelp(columns));
  if (about === 'advanced') return printed(advancedHelp(await commandSpecs(), columns));
  return printed(commandHelp(about, await commandSpecs(below(about.name)), columns));
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

/** What Node calls experimental and we rely on: its warnings are no news to who runs a command. */
const EXPERIMENTAL = ['SQLite is an experimental feature', 'vm.USE_MAIN_CONTEXT_DEFAULT_LOADER is'];

/**
 * Warnings of ours are told as everything else is; those of Node about what is experimental are
 * left out. A warning may name what stands in a file of the workspace: control characters are made
 * visible.
 */
function guardWarnings(): void {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = ((warning: string | Error, ...rest: [string?]) => {
    if (EXPERIMENTAL.some((known) => String(warning).includes(known))) return;
    if (rest[0] === WARNING) return tell(`spillway: ${visible(String(warning))}`);
    emitWarning(typeof warning === 'string' ? visible(warning) : warning, ...(rest as []));
  }) as typeof process.emitWarning;
}
