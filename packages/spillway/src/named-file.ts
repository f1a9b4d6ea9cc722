/** Files that a person names: whatever is wrong with one is told in words, never as a code of the system alone. */
import { readFileSync, statSync } from 'node:fs';
import { bytesForPeople, SpillwayError } from '@spillway/core';

/** A file for a program is written by hand or by another program; none comes near to this. */
const MOST_BYTES = 64_000_000;

/** The text of a file; an error that says why it cannot be read. */
export function readNamedFile(path: string): string {
  try {
    const found = statSync(path);
    if (found.isDirectory()) throw cannotRead(path, 'it is a folder');
    if (found.size > MOST_BYTES)
      throw cannotRead(path, `it has ${bytesForPeople(found.size)}, more than ${bytesForPeople(MOST_BYTES)}`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw error instanceof SpillwayError ? error : cannotRead(path, inWords(error));
  }
}

export function cannotRead(path: string, why: string): SpillwayError {
  return new SpillwayError('invalid_argument', `Cannot read ${JSON.stringify(path.slice(0, 300))}: ${why}.`);
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** What the system's code means. */
export function inWords(error: unknown): string {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return WORDS[code] ?? `the system refused (${code})`;
}
