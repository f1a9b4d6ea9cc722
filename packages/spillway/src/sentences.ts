/** What the program says of an error, whoever caught it. */
import { type Remedy, SpillwayError } from '@spillway/core';
import { inWords } from './named-file.ts';

/**
 * Never a stack trace: what went wrong outside is told in words, and nothing that was captured is
 * repeated.
 */
export function sentenceFor(error: unknown): string {
  if (error instanceof SpillwayError) return withCommand(error);
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'uv_cwd') return 'The current folder is no longer there. Change to another one.';
  if (typeof code === 'string')
    return `Cannot ${syscall ?? 'go on'}${path === undefined ? '' : ` ${JSON.stringify(path)}`}: ${inWords(error)}.`;
  return `Something unexpected went wrong (${error instanceof Error ? error.name : typeof error}). Please report it with the command that was run.`;
}

/** The command that does what an error of the library advises. */
const COMMANDS: Readonly<Record<Remedy, string>> = {
  trust_store: 'To check and trust it: `spillway store trust`; SPILLWAY_STORE names another folder.',
  move_store: 'SPILLWAY_STORE names the folder.',
  check_store: 'To look for damage: `spillway doctor`.',
  purge_outputs: 'To purge outputs: `spillway artifacts clean --purge`.',
};

function withCommand({ message, remedy }: SpillwayError): string {
  return remedy === undefined ? message : `${message} ${COMMANDS[remedy]}`;
}

// What a user should know although nothing failed. Each sentence is told once a process, as a
// warning of that process.

/** The name of such warnings, for hosts that listen to `process.on('warning')`. */
export const WARNING = 'SpillwayWarning';

const given = new Set<string>();

let isQuiet = false;

/** For a command that a shell runs while somebody types: other commands tell. */
export function keepQuiet(): void {
  isQuiet = true;
}

export function warnOnce(sentence: string): void {
  if (isQuiet || given.has(sentence)) return;
  given.add(sentence);
  process.emitWarning(sentence, WARNING);
}
