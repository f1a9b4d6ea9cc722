/**
 * Makes folders for the owner only (0700), with their names on the disk before anything is put into
 * them.
 */
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { SpillwayError } from '../../model/errors.ts';

/**
 * Creates a folder and its parents; returns whether it was created. Not `recursive: true`, which
 * loops for ever where mkdir says ENOENT in an existing folder, as /proc does.
 */
export function makeFolder(folder: string): boolean {
  const first = tryMake(folder);
  if (first !== 'ENOENT') return first === 'made';
  makeFolder(dirname(folder));
  const second = tryMake(folder);
  if (second === 'ENOENT') throw Object.assign(new Error('The folder cannot be made.'), { code: 'ENOENT' });
  return second === 'made';
}

function tryMake(folder: string): 'made' | 'EEXIST' | 'ENOENT' {
  try {
    mkdirSync(folder, 0o700);
    flushNames(dirname(folder));
    return 'made';
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST' || code === 'ENOENT') return code;
    throw error;
  }
}

/** Refuses links to folders: they lead elsewhere. */
export function mustBeFolder(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return;
  throw new SpillwayError(
    'store_unavailable',
    `${path} is not a folder, and outputs are kept there: move it away, or keep the store elsewhere.`,
    { remedy: 'move_store' },
  );
}

/** Flushes all folders above, too: the program that made them may not have done so. */
export function flushPath(folder: string): void {
  flushNames(folder);
  if (dirname(folder) !== folder) flushPath(dirname(folder));
}

export function flushNames(folder: string): void {
  let opened: number | undefined;
  try {
    opened = openSync(folder, 'r');
    fsyncSync(opened);
  } catch {
    // Not every file system can flush a folder.
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
