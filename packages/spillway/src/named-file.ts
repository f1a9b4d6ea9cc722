/**
 * Files and folders that a person names: whatever is wrong with one is told in words, never as a
 * code of the system alone.
 */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SpillwayError } from '@spillway/core';
import { formatBytes } from '@spillway/core/plugin';

/** A file for a program is written by hand or by another program; none comes near to this. */
const MOST_BYTES = 64_000_000;

/** The text of a file; an error that says why it cannot be read. */
export function readNamedFile(path: string): string {
  return explained(path, cannotRead, () => {
    const found = statSync(path);
    if (found.isDirectory()) throw cannotRead(path, 'it is a folder');
    if (found.size > MOST_BYTES)
      throw cannotRead(path, `it has ${formatBytes(found.size)}, more than ${formatBytes(MOST_BYTES)}`);
    return readFileSync(path, 'utf8');
  });
}

/** Does something with a file; what the system refuses is told in words. */
export function explained<T>(
  path: string,
  refusal: (path: string, why: string) => SpillwayError,
  work: () => T,
): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof SpillwayError ? error : refusal(path, inWords(error));
  }
}

/** A file to be read in pieces: throws unless it is there and can be read. */
export function mustBeReadable(path: string): void {
  explained(path, cannotRead, () => {
    if (statSync(path).isDirectory()) throw cannotRead(path, 'it is a folder');
    accessSync(path, constants.R_OK);
  });
}

/**
 * Makes a folder and those above it, for its owner only unless `mode` says otherwise. Not with
 * Node's own way to do so, which never returns where the system lets nobody make folders (/proc).
 */
export function makeFolder(path: string, mode = 0o700): void {
  explained(path, cannotWrite, () => {
    const missing: string[] = [];
    for (let at = path; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at))
      missing.unshift(at);
    for (const folder of missing) mkdirSync(folder, mode);
    if (!statSync(path).isDirectory()) throw cannotWrite(path, 'it is not a folder');
  });
}

/**
 * Writes a file as a whole or not at all: beside it, flushed and renamed, so that a reader sees the
 * old or the new one. `kept`: the permissions that an earlier file had.
 */
export function writeAnew(file: string, text: string, mode: number, kept?: number): void {
  const aside = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(aside, text, { flag: 'wx', flush: true, mode });
    if (kept !== undefined) chmodSync(aside, kept);
    renameSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}

export function cannotWrite(path: string, why: string): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    `Cannot write to ${JSON.stringify(path.slice(0, 300))}: ${why}.`,
  );
}

export function cannotRead(path: string, why: string): SpillwayError {
  return new SpillwayError('invalid_argument', `Cannot read ${JSON.stringify(path.slice(0, 300))}: ${why}.`);
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it is there already',
  EACCES: 'you may not do that there',
  EPERM: 'you may not do that there',
  EROFS: 'it cannot be written to',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is full',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** What the system's code means. */
export function inWords(error: unknown): string {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return WORDS[code] ?? `the system refused (${code})`;
}
