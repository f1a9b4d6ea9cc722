/**
 * Commands and their flags as data: parsing, help and the reference page come from these tables. A
 * flag with `value` takes one; one with `many` may be given several times.
 */
import { parseArgs } from 'node:util';
import { SpillwayError } from '@spillway/core';
import { nearest } from '@spillway/core/plugin';

export interface Flag {
  readonly name: string;
  /** What it takes, as shown in the help; absent for a switch. */
  readonly value?: string;
  readonly many?: true;
  /** All values there are, where they are known: listed in the help, and completed. */
  readonly choices?: Choices;
  /** What the workspace has that its value may be, for completion. */
  readonly completes?: Completes;
  readonly doc: string;
}

/** The values of a flag, each in one sentence, from the tables that the program itself reads. */
interface Choices {
  readonly title: string;
  readonly list: () => readonly (readonly [name: string, doc: string])[];
}

/** What is stored in a workspace and has a name. */
export const COMPLETES = ['handles', 'sessions'] as const;
export type Completes = (typeof COMPLETES)[number];

/** What a command takes. */
export interface CommandDetails {
  /** The positional arguments as shown in the help, and how many there may be. */
  readonly operands: {
    readonly usage: string;
    readonly min: number;
    readonly max: number;
    readonly choices?: readonly string[];
    readonly completes?: Completes;
  };
  readonly flags: readonly Flag[];
  readonly examples: readonly string[];
}

/** A command by name, in one sentence. */
export interface CommandName {
  readonly name: string;
  readonly summary: string;
}

export type CommandSpec = CommandName & CommandDetails;

/** A line of the table of commands. */
export interface CommandEntry extends CommandName {
  /** What is true when it refuses to begin, for commands that take something in. */
  readonly whenRefused?: string;
  /** Its exit code for wrong usage, where 2 means something else to who runs it. */
  readonly codeWhenRefused?: number;
  readonly load: () => Promise<{
    readonly details: CommandDetails;
    readonly run: (given: Given, program: Program) => Promise<number>;
  }>;
}

/** The program as its commands may know it. */
export interface Program {
  readonly version: () => string;
  /** All commands with all they take. */
  readonly specs: () => Promise<readonly CommandSpec[]>;
}

/** What was given on the command line, checked against a command's table. */
export class Given {
  readonly operands: readonly string[];
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(operands: readonly string[], values: Readonly<Record<string, unknown>>) {
    this.operands = operands;
    this.#values = values;
  }

  has(flag: string): boolean {
    return this.#values[flag] === true;
  }

  value(flag: string): string | undefined {
    const value = this.#values[flag];
    return typeof value === 'string' ? value : undefined;
  }

  values(flag: string): readonly string[] {
    const value = this.#values[flag];
    return Array.isArray(value) ? value.map(String) : [];
  }
}

export function parseCommandLine(command: Omit<CommandSpec, 'summary'>, argv: readonly string[]): Given {
  const options = Object.fromEntries(
    [...command.flags, HELP].map((flag) => [
      flag.name,
      {
        type: flag.value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: flag.many === true,
        ...(flag.name === 'help' ? { short: 'h' } : {}),
      },
    ]),
  );
  const parsed = attempt(
    () => parseArgs({ args: joined(command, argv), options, allowPositionals: true, strict: true }),
    command,
  );
  const { min, max, usage } = command.operands;
  if (parsed.values.help !== true && (parsed.positionals.length < min || parsed.positionals.length > max)) {
    throw usageError(`${command.name} takes ${usage === '' ? 'no arguments' : usage}.`, command.name);
  }
  return new Given(parsed.positionals, parsed.values);
}

export const HELP: Flag = { name: 'help', doc: 'Show this help.' };

export const JSON_FLAG: Flag = { name: 'json', doc: 'Print JSON.' };

/** Narrows a command to what one session stored. */
export const SESSION_FLAG: Flag = {
  name: 'session',
  value: 'ID',
  completes: 'sessions',
  doc: 'Only outputs of this session.',
};

/** `command` is the name of the command whose help tells more. */
export function usageError(message: string, command?: string): SpillwayError {
  const where = command === undefined ? 'spillway --help' : `spillway ${command} --help`;
  return new SpillwayError('invalid_argument', `${message} See \`${where}\`.`);
}

/**
 * A value may begin with a dash: `--grep -x` is `--grep=-x`. A word with two dashes is a flag, so
 * the value is missing.
 */
function joined({ flags }: Pick<CommandSpec, 'flags'>, argv: readonly string[]): string[] {
  const takesValue = new Set(flags.flatMap(({ name, value }) => (value === undefined ? [] : [`--${name}`])));
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') return [...words, ...argv.slice(at)];
    const next = argv[at + 1];
    if (takesValue.has(word) && next !== undefined && /^-[^-]/.test(next) && next !== '-h') {
      words.push(`${word}=${next}`);
      at += 1;
    } else words.push(word);
  }
  return words;
}

function attempt<T>(parse: () => T, command: Pick<CommandSpec, 'name' | 'flags'>): T {
  try {
    return parse();
  } catch (error) {
    const { message } = error as NodeJS.ErrnoException;
    const [, dashes = '', name = ''] = /'(--?)([^' =]*)/.exec(message) ?? [];
    const flag = [...command.flags, HELP].find((one) => one.name === name);
    throw usageError(problemWith(flag, `${dashes}${name}`, command), command.name);
  }
}

/** The parser refuses a flag that is not there, one without its value, and a switch with one. */
function problemWith(
  flag: Flag | undefined,
  written: string,
  command: Pick<CommandSpec, 'name' | 'flags'>,
): string {
  if (flag === undefined)
    return `${command.name} has no flag ${written.slice(0, 60)}.${adviceOn(written.replace(/^-+/, ''), command)}`;
  return flag.value === undefined ? `${written} takes no value.` : `${written} needs a value: ${flag.value}.`;
}

/** The flag that was probably meant. */
function adviceOn(unknown: string, { name, flags }: Pick<CommandSpec, 'name' | 'flags'>): string {
  const near = nearest(
    unknown,
    [...flags, HELP].map((flag) => flag.name),
  );
  if (near !== undefined) return ` Did you mean --${near}?`;
  return name === 'exec' ? ' If it is a flag of the command, put -- before the command.' : '';
}
