/**
 * What an embedded store takes on the disk: the database with its log, and the files of large parts
 * beside it. Sizes are bytes.
 */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface StoreSize {
  readonly database: number;
  readonly largeParts: number;
}

/** `file` is the database; what is not there has no size. */
export function storeSize(file: string): StoreSize {
  const folder = `${file}-content`;
  const names = namesIn(folder);
  return {
    database: sizeOf(file) + sizeOf(`${file}-wal`),
    largeParts: names.reduce((sum, name) => sum + sizeOf(join(folder, name)), 0),
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** What a folder holds; nothing if it is not there, or no folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Bytes that are free on the disk of a folder; null if its file system does not tell. */
export function freeIn(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
