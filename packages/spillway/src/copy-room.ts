/**
 * How much room plain copies take: found by looking at their folders, and made smaller by removing
 * the oldest copies first. Looks only at files that have the name, the mode and the owner of a
 * copy; anything else in the folder is left alone, and links are not followed. Also removes what
 * killed processes left half-written. Sizes are bytes, times milliseconds.
 */

import { lstatSync, rmdirSync, rmSync, type Stats, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { found } from './accounts.ts';
import { namesIn } from './store-size.ts';

/** Bounds for the copies of a folder. */
export interface CopyLimits {
  /** Bytes of one copy; larger outputs get none. */
  readonly maxCopyBytes: number;
  /** Bytes of all copies. */
  readonly maxCopiesBytes: number;
}

/**
 * Sane for a checkout: an output of more than 10 MiB (the default of `max_artifact_size`) is no
 * file that an agent reads with a file tool, and 100 MiB hold thousands of typical ones.
 */
export const DEFAULT_COPY_LIMITS: CopyLimits = {
  maxCopyBytes: 10 * 1024 ** 2,
  maxCopiesBytes: 100 * 1024 ** 2,
};

/** More copies than this take longer to look at than they are worth. */
const MOST_COPIES = 2_000;
/** Once over the bound, so much of it is left free: not every output then removes one. */
const KEPT_SHARE = 0.9;
/** What copies leave free on a disk, or half of a small one. */
const ROOM_LEFT_BYTES = 16 * 1024 ** 2;
/** A half-written copy that is older than this belongs to a process that was killed. */
const ABANDONED_MS = 60 * 60 * 1_000;

const COPY = /^[\w.-]{1,255}-[\w.-]{1,255}-\d+\.txt$/;
const HALF_WRITTEN = /^\.[\w.-]+\.txt\.[0-9a-f]{16}$/;

/** The name under which a copy is written before it is whole. */
export function halfWritten(name: string, random: string): string {
  return `.${name}.${random}`;
}

interface Copy {
  readonly folder: string;
  readonly path: string;
  readonly bytes: number;
  readonly at: number;
}

/** Whether a copy would take room that the store may need: the last of a disk is not for copies. */
export function leavesRoom(folder: string, wanted: number): boolean {
  try {
    const { bsize, blocks, bavail } = statfsSync(folder);
    return bavail * bsize - wanted >= Math.min(ROOM_LEFT_BYTES, (blocks * bsize) / 2);
  } catch {
    // The system does not tell: writing it will show.
    return true;
  }
}

/** Removes the oldest copies until `wanted` more bytes fit below the limit. */
export function makeCopyRoom(
  folder: string,
  wanted: number,
  { maxCopiesBytes }: CopyLimits,
  now: number,
): void {
  const copies = copiesBelow(folder, now);
  let bytes = wanted + copies.reduce((sum, copy) => sum + copy.bytes, 0);
  if (bytes <= maxCopiesBytes && copies.length < MOST_COPIES) return;
  let left = copies.length;
  for (const copy of copies.toSorted((a, b) => a.at - b.at)) {
    if (bytes <= maxCopiesBytes * KEPT_SHARE && left < MOST_COPIES * KEPT_SHARE) return;
    removeCopy(copy.path, copy.folder);
    bytes -= copy.bytes;
    left--;
  }
}

/** How many copies there are, and their size. */
export function copyUsage(folder: string): { readonly copies: number; readonly bytes: number } {
  const copies = copiesBelow(folder, 0);
  return { copies: copies.length, bytes: copies.reduce((sum, copy) => sum + copy.bytes, 0) };
}

/** Whether it was there. The folder of its session goes with its last copy. */
export function removeCopy(path: string, folder: string): boolean {
  try {
    rmSync(path);
  } catch {
    return false;
  }
  try {
    rmdirSync(folder);
  } catch {
    // Other copies are in it, and stay.
  }
  return true;
}

function copiesBelow(artifacts: string, now: number): Copy[] {
  const copies: Copy[] = [];
  for (const session of namesIn(artifacts)) {
    const folder = join(artifacts, session);
    if (!found(lstatSync, folder)?.isDirectory()) continue;
    for (const name of namesIn(folder)) {
      const path = join(folder, name);
      const whole = COPY.test(name);
      if (!whole && !HALF_WRITTEN.test(name)) continue;
      const stats = found(lstatSync, path);
      if (stats === undefined || !isOurs(stats)) continue;
      if (whole) copies.push({ folder, path, bytes: stats.size, at: stats.mtimeMs });
      else if (now - stats.mtimeMs > ABANDONED_MS) removeCopy(path, folder);
    }
  }
  return copies;
}

/** As a copy is made: a file with one name, for its owner only. */
function isOurs(stats: Stats): boolean {
  if (!stats.isFile() || stats.nlink > 1) return false;
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o777) === 0o600);
}
