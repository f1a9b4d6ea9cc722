/** What the program says of an error, whoever caught it. */
import { SpillwayError } from '@spillway/core';

/** Never a stack trace: what went wrong outside is told by its code, and nothing that was captured is repeated. */
export function sentenceFor(error: unknown): string {
  if (error instanceof SpillwayError) return error.message;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code === 'string')
    return `The system refused${syscall === undefined ? '' : ` to ${syscall}`} (${code}). Check the file, folder or pipe that was given.`;
  return `Something unexpected went wrong (${error instanceof Error ? error.name : typeof error}). Please report it with the command that was run.`;
}
