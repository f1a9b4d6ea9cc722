/**
 * Makes folders for the owner only (0700), with their names on the disk before anything is put into
 * them.
 */
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it; whether it had to be made. Not `recursive: true`, which tries
 * for ever where a folder is there but takes no new ones and says ENOENT, as /proc does.
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
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' || code === 'ENOENT') return code;
    throw error;
  }
}

/** A store that survives the loss of power is of no use in a folder that does not. */
export function flushNames(folder: string): void {
  let opened: number | undefined;
  try {
    opened = openSync(folder, 'r');
    fsyncSync(opened);
  } catch {
    // Not every file system can flush a folder; then it does as much as it can.
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
