/**
 * Files and folders that a person names: whatever is wrong with one is told in words, never as a
 * code of the system alone.
 */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
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

// Files of settings that belong to another program: one is replaced whole or not at all, where it
// really is, and the file before the change is kept beside it, for its owner only: it may hold
// keys.

const BACKUP = '.backup-';

/** Writes the file anew; returns where the former one is kept, null if there was none. */
export function replaceFile(named: string, text: string, now: Date): string | null {
  if (!existsSync(named)) return created(named, text);
  return rewritten(named, text, (file) => copied(file, now));
}

/**
 * Puts back what was there before us: null removes the file, and the folders above it that are left
 * empty. What was kept of the file goes, once nothing in it is ours.
 */
export function restoreFile(named: string, text: string | null, home: string): void {
  const copies = OURS.test(text ?? '') ? [] : backupFiles(named);
  rewritten(named, text, () => null);
  for (const copy of copies) rmSync(copy, { force: true });
  if (text === null) removeEmptyFolders(dirname(named), home);
}

/** A command of ours in somebody's settings: a line, a list of words, or a program and its arguments. */
const OURS = /(?:spillway|acode)(?:\.js|\.cmd)?["',\s\\]+(?:"?args"?\s*[:=]\s*\[\s*["'])?(?:mcp|hook)\b/;

/** The folders that hold nothing any more, below the home or the project. */
export function removeEmptyFolders(from: string, home: string): void {
  const ends = [home, process.cwd()];
  for (let folder = from; ends.some((end) => folder.startsWith(end + sep)); folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      // Something is in it.
      return;
    }
  }
}

/** Files of settings are often links into a repository: the link stays. */
function rewritten<T>(named: string, text: string | null, keep: (file: string) => T): T {
  return explained(named, cannotWrite, () => {
    const file = realpathSync(named);
    const { mode } = statSync(file);
    if ((mode & 0o200) === 0) throw cannotWrite(named, 'it is read-only');
    const kept = keep(file);
    if (text === null) rmSync(named);
    else writeAnew(file, text, mode, mode);
    return kept;
  });
}

/** What was kept of a file, the newest first. */
export function backupsOf(named: string): string[] {
  return backupFiles(named).map((name) => readFileSync(name, 'utf8'));
}

function backupFiles(named: string): string[] {
  if (!existsSync(named)) return [];
  const file = realpathSync(named);
  const folder = dirname(file);
  const prefix = `${basename(file)}${BACKUP}`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && /^\d{14}(?:-\d+)?$/.test(name.slice(prefix.length)))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => join(folder, name));
}

function created(named: string, text: string): null {
  return explained(named, cannotWrite, () => {
    makeFolder(dirname(named), 0o777);
    writeFileSync(named, text, { flag: 'wx' });
    return null;
  });
}

/** A copy beside the file; a second one in the same second gets a number. */
function copied(file: string, now: Date): string {
  const first = `${file}${BACKUP}${now.toISOString().replace(/\D/g, '').slice(0, 14)}`;
  for (let number = 1; ; number++) {
    const backup = number === 1 ? first : `${first}-${number}`;
    try {
      copyFileSync(file, backup, constants.COPYFILE_EXCL);
      chmodSync(backup, 0o600);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
