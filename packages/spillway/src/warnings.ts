/**
 * What a user should know although nothing failed. Each sentence is told once a process, as a
 * warning of that process.
 */

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
