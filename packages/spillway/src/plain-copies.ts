/**
 * Plain copies of disclosed outputs, for agents that read files:
 * `{session}/{tool}-{call}-{timestamp}.txt` below the artifact folder. Best effort and never read
 * back. A copy is written while its output is captured, and gets its name when it is whole.
 * Each copy is bounded, and so are all of them together (below). Names are sanitised so that
 * a file cannot leave its folder or take a name of the store; links are not followed; everything is
 * for the owner only; only copies are ever removed.
 */

import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  read,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statfsSync,
  write,
} from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { promisify } from 'node:util';
import type { OutputRecord } from '@spillway/core';
import type { PlainCopy, PlainCopyFolder } from '@spillway/core/plugin';
import type { OutputDraft } from '@spillway/core/store';
import { type FileName, fileName, fileWord, randomBytes } from '@spillway/core/store';
import { found } from './accounts.ts';
import { namesIn } from './store-size.ts';

/** Plain copies of outputs in a folder of the workspace. */
export class PlainCopies implements PlainCopyFolder {
  readonly #folder: string;
  readonly #limits: CopyLimits;
  readonly #root: string;

  /** `root`: the folder of the workspace. Paths below it are told from there. */
  constructor(folder: string, limits: CopyLimits, root: string) {
    this.#folder = folder;
    this.#limits = limits;
    this.#root = root;
  }

  /**
   * The path that a copy will have, as it is told; null if it is too large, or something has the
   * name already.
   */
  path(output: OutputDraft, byteLength: number): string | null {
    if (byteLength > Math.min(this.#limits.maxCopyBytes, this.#limits.maxCopiesBytes)) return null;
    if (!leavesRoom(this.#folder, byteLength)) return null;
    const { folder, name } = this.#pathOf(output);
    const path = join(folder, name);
    try {
      return isTaken(path) ? null : this.#pathToName(path);
    } catch {
      // A folder that cannot be looked into cannot be written to either.
      return null;
    }
  }

  /** Begins a copy; it appears under its name when it is finished. */
  begin(output: OutputDraft): PlainCopy {
    return new CopyWriter(this.#folder, this.#pathOf(output), this.#limits);
  }

  /** Removes the copy of an output; whether there was one. */
  async remove(record: OutputRecord): Promise<boolean> {
    const { folder, name } = this.#pathOf(record);
    // A link or file in place of the folder is not ours.
    return (
      lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true &&
      removeCopy(join(folder, name), folder)
    );
  }

  #pathToName(path: string): string {
    const inside = relative(this.#root, path);
    return inside.startsWith('..') || isAbsolute(inside) ? path : inside;
  }

  #pathOf(output: OutputDraft): { readonly folder: string; readonly name: FileName } {
    const call = output.callId ?? output.id.split('_').at(-1) ?? output.id;
    const name = fileName`${fileWord(output.tool)}-${fileWord(call)}-${Math.floor(output.startedAt / 1000)}.txt`;
    return { folder: join(this.#folder, folderWord(output.session)), name };
  }
}

/** Parts from this index on come one after the other. */
const IN_ORDER = 1_000;

/**
 * Writes bytes as they arrive into a file aside. Where parts took turns, `finish` puts the bytes of
 * each part together. After the first failure nothing more is written, and the copy is removed.
 */
class CopyWriter implements PlainCopy {
  readonly #artifacts: string;
  readonly #folder: string;
  readonly #path: string;
  readonly #aside: string;
  readonly #limits: CopyLimits;
  /** Runs of bytes of one part, in the order of arrival. */
  readonly #runs: { readonly part: number; bytes: number }[] = [];
  #file: number | null = null;
  #bytes = 0;
  #state: 'open' | 'finished' | 'failed' = 'open';
  #last: Promise<void> = Promise.resolve();

  constructor(
    artifacts: string,
    { folder, name }: { readonly folder: string; readonly name: FileName },
    limits: CopyLimits,
  ) {
    this.#artifacts = artifacts;
    this.#folder = folder;
    this.#path = join(folder, name);
    this.#aside = join(folder, halfWritten(name, Buffer.from(randomBytes(8)).toString('hex')));
    this.#limits = limits;
  }

  /** One write at a time: parts may be captured at the same time. */
  write(part: number, bytes: Uint8Array): Promise<void> {
    this.#last = this.#last.then(() => this.#tried(() => this.#append(Math.min(part, IN_ORDER), bytes)));
    return this.#last;
  }

  async finish(): Promise<boolean> {
    await this.#last;
    await this.#tried(async () => {
      makeCopyRoom(this.#artifacts, this.#bytes, this.#limits, Date.now());
      const isInOrder = this.#runs.every(({ part }, i) => part >= (this.#runs[i - 1]?.part ?? 0));
      if (!isInOrder) await this.#sort();
      this.#close();
      giveName(this.#aside, this.#path);
      this.#state = 'finished';
    });
    return this.#state === 'finished';
  }

  async remove(): Promise<void> {
    await this.#last;
    if (this.#state === 'finished') removeCopy(this.#path, this.#folder);
    else this.#fail();
  }

  async #tried(work: () => Promise<void>): Promise<void> {
    if (this.#state !== 'open') return;
    try {
      await work();
    } catch {
      // The canonical output is safe in the store; a copy that is missing is not named.
      this.#fail();
    }
  }

  async #append(part: number, bytes: Uint8Array): Promise<void> {
    const { maxCopyBytes, maxCopiesBytes } = this.#limits;
    this.#bytes += bytes.length;
    const isTooLarge = this.#bytes > Math.min(maxCopyBytes, maxCopiesBytes);
    if (isTooLarge || !leavesRoom(this.#artifacts, bytes.length)) throw new Error('no room for a copy');
    if (this.#file === null) {
      makePrivateFolder(this.#folder);
      this.#file = openNew(this.#aside);
    }
    await append(this.#file, bytes);
    const last = this.#runs.at(-1);
    if (last?.part === part) last.bytes += bytes.length;
    else this.#runs.push({ part, bytes: bytes.length });
  }

  /** Writes the bytes again, part by part. */
  async #sort(): Promise<void> {
    const from = this.#file as number;
    let at = 0;
    const runs = this.#runs.map(({ part, bytes }) => {
      at += bytes;
      return { part, start: at - bytes, end: at };
    });
    rmSync(this.#aside);
    this.#file = openNew(this.#aside);
    const buffer = Buffer.alloc(65_536);
    try {
      for (const { start, end } of runs.sort((a, b) => a.part - b.part || a.start - b.start))
        for (let next = start; next < end; ) {
          const { bytesRead } = await promisify(read)(
            from,
            buffer,
            0,
            Math.min(buffer.length, end - next),
            next,
          );
          if (bytesRead === 0) throw new Error('the copy was cut meanwhile');
          await append(this.#file, buffer.subarray(0, bytesRead));
          next += bytesRead;
        }
    } finally {
      closeSync(from);
    }
  }

  #fail(): void {
    this.#state = 'failed';
    try {
      this.#close();
    } catch {
      // It goes in any case.
    }
    removeCopy(this.#aside, this.#folder);
  }

  #close(): void {
    const file = this.#file;
    this.#file = null;
    if (file !== null) closeSync(file);
  }
}

/** Not `fs.promises`: a short-lived program would load it for this alone. */
async function append(file: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await promisify(write)(file, bytes, at)).bytesWritten;
}

function openNew(path: string): number {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

/** The folder above is the store's and is there by now. */
function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (!lstatSync(folder).isDirectory()) throw new Error('not a folder');
}

function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Whatever has the name already keeps it: a rename alone would replace it. */
function giveName(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch (error) {
    // Some file systems know no second names.
    if (isTaken(path)) throw error;
    renameSync(aside, path);
    return;
  }
  rmSync(aside);
}

/** The folder of a session; never the name of one of the store's own files. */
function folderWord(session: string): FileName {
  const word = fileWord(session);
  return word.startsWith('store.db') ? fileName`_${word}` : word;
}

// How much room plain copies take: found by looking at their folders, and made smaller by removing
// the oldest copies first. Looks only at files that have the name, the mode and the owner of a
// copy; anything else in the folder is left alone, and links are not followed. Also removes what
// killed processes left half-written. Sizes are bytes, times milliseconds.

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
function halfWritten(name: string, random: string): string {
  return `.${name}.${random}`;
}

interface Copy {
  readonly folder: string;
  readonly path: string;
  readonly bytes: number;
  readonly at: number;
}

/** Whether a copy would take room that the store may need: the last of a disk is not for copies. */
function leavesRoom(folder: string, wanted: number): boolean {
  try {
    const { bsize, blocks, bavail } = statfsSync(folder);
    return bavail * bsize - wanted >= Math.min(ROOM_LEFT_BYTES, (blocks * bsize) / 2);
  } catch {
    // The system does not tell: writing it will show.
    return true;
  }
}

/** Removes the oldest copies until `wanted` more bytes fit below the limit. */
function makeCopyRoom(folder: string, wanted: number, { maxCopiesBytes }: CopyLimits, now: number): void {
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
function removeCopy(path: string, folder: string): boolean {
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
