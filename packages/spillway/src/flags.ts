/**
 * Commands and their flags as data: parsing, help and the reference page come from these tables. A
 * flag with `value` takes one; one with `many` may be given several times.
 */
import { SpillwayError } from '@spillway/core';
import { didYouMean, nearest } from '@spillway/core/plugin';

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

export type Completes = 'handles' | 'sessions';

export interface CommandDetails {
  readonly summary: string;
  /** What is true when it refuses to begin, for commands that take something in. */
  readonly whenRefused?: string;
  /** Its exit code for wrong usage, for callers to whom 2 means something else. */
  readonly codeWhenRefused?: number;
  /** The positional arguments as shown in the help, and how many there may be. Default: none. */
  readonly operands?: {
    readonly usage: string;
    readonly min: number;
    readonly max: number;
    readonly choices?: readonly string[];
    readonly completes?: Completes;
  };
  readonly flags: readonly Flag[];
  readonly examples: readonly string[];
}

export type CommandSpec = CommandDetails &
  Required<Pick<CommandDetails, 'operands'>> & { readonly name: string };

export const NO_OPERANDS: CommandSpec['operands'] = { usage: '', min: 0, max: 0 };

export interface CommandEntry {
  readonly name: string;
  readonly load: () => Promise<Command>;
}

export interface Command {
  readonly details: CommandDetails;
  /** Answers the exit code if it is not 0. */
  readonly run: (given: Given, program: Program) => Promise<number> | Promise<void>;
}

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

export function parseCommandLine(
  command: Pick<CommandSpec, 'name' | 'flags'> & Pick<CommandDetails, 'operands'>,
  argv: readonly string[],
): Given {
  const { positionals, values } = wordsOf(command, argv);
  const { min, max, usage } = command.operands ?? NO_OPERANDS;
  if (values.help !== true && (positionals.length < min || positionals.length > max)) {
    throw usageError(`${command.name} takes ${usage === '' ? 'no arguments' : usage}.`, command.name);
  }
  return new Given(positionals, values);
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

/** One of these names; if it is none, `takes` begins the sentence that lists them. */
export function oneOf<T extends string>(
  names: readonly T[],
  typed: string | undefined,
  takes: string,
  command: string,
): T {
  const found = names.find((name) => name === typed);
  if (found !== undefined) return found;
  throw usageError(`${takes} ${names.join(', ')}.${didYouMean(typed, names)}`, command);
}

type Flagged = Pick<CommandSpec, 'name' | 'flags'>;

/**
 * Flags and what else was given, by the rules of Node's `parseArgs`: that one takes longer to load
 * than everything else that is read before a command begins.
 */
function wordsOf(command: Flagged, words: readonly string[]) {
  const values: Record<string, string | boolean | string[]> = {};
  const positionals: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return { values, positionals: [...positionals, ...words.slice(at + 1)] };
    if (word === '-' || !word.startsWith('-')) positionals.push(word);
    else if (word.startsWith('--')) {
      const { name, value, many, inline } = flagOf(command, word);
      const given = value === undefined ? true : (inline ?? words[++at]);
      // A value may begin with a dash (`--grep -x`), but two dashes begin a flag.
      if (given === undefined || (inline === undefined && /^(?:--|-h$)/.test(String(given))))
        refuse(command, word);
      if (many === true) values[name] = [...((values[name] as string[] | undefined) ?? []), String(given)];
      else values[name] = given;
    } else {
      for (const letter of word.slice(1)) if (letter !== 'h') refuse(command, `-${letter}`);
      values.help = true;
    }
  }
  return { values, positionals };
}

/** The flag that a word names, and the value behind its `=`. */
function flagOf(command: Flagged, word: string): Flag & { readonly inline?: string } {
  const equals = word.indexOf('=', 3);
  const flag = knownFlag(command, equals < 0 ? word : word.slice(0, equals));
  if (flag === undefined || (flag.value === undefined && equals >= 0)) return refuse(command, word);
  return equals < 0 ? flag : { ...flag, inline: word.slice(equals + 1) };
}

function knownFlag({ flags }: Flagged, written: string): Flag | undefined {
  return [...flags, HELP].find(({ name }) => written === `--${name}`);
}

function refuse(command: Flagged, word: string): never {
  const [written = ''] = /^--?[^' =]*/.exec(word) ?? [];
  throw usageError(problemWith(knownFlag(command, written), written, command), command.name);
}

/** The parser refuses a flag that is not there, one without its value, and a switch with one. */
function problemWith(flag: Flag | undefined, written: string, command: Flagged): string {
  if (flag === undefined)
    return `${command.name} has no flag ${written.slice(0, 60)}.${adviceOn(written.replace(/^-+/, ''), command)}`;
  return flag.value === undefined ? `${written} takes no value.` : `${written} needs a value: ${flag.value}.`;
}

function adviceOn(unknown: string, { name, flags }: Flagged): string {
  const near = nearest(
    unknown,
    [...flags, HELP].map((flag) => flag.name),
  );
  if (near !== undefined) return ` Did you mean --${near}?`;
  return name === 'exec' ? ' If it is a flag of the command, put -- before the command.' : '';
}
