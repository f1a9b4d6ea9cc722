/**
 * Plain copies of disclosed outputs, for agents that read files:
 * `{session}/{tool}-{call}-{timestamp}.txt` below the artifact folder. Best effort and never read
 * back. The path of a copy is known before it is written; a copy gets its name when it is whole.
 * Each copy is bounded, and so are all of them together (copy-room.ts). Names are sanitised so that
 * a file cannot leave its folder or take a name of the store; links are not followed; everything is
 * for the owner only; only copies are ever removed.
 */
import {
  close as closeCallback,
  constants,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  write as writeCallback,
} from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { promisify } from 'node:util';
import type { OutputRecord } from '@spillway/core';
import type { PlainCopyFolder } from '@spillway/core/plugin';
import type { OutputDraft } from '@spillway/core/store';
import { type FileName, fileName, fileWord, randomBytes } from '@spillway/core/store';
import { AnnouncedCopies, makePrivateFolder } from './announced-copies.ts';
import { type CopyLimits, halfWritten, leavesRoom, makeCopyRoom, removeCopy } from './copy-room.ts';

const write = promisify(writeCallback);
const close = promisify(closeCallback);

/** Plain copies of outputs in a folder of the workspace. */
export class PlainCopies implements PlainCopyFolder {
  readonly #folder: string;
  readonly #limits: CopyLimits;
  readonly #root: string;
  readonly #announced: AnnouncedCopies;

  /** `root`: the folder of the workspace. Paths below it are told from there. */
  constructor(folder: string, limits: CopyLimits, root: string) {
    this.#folder = folder;
    this.#limits = limits;
    this.#root = root;
    this.#announced = new AnnouncedCopies(folder);
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

  /** Marks that a notice is about to name the copy. */
  async announce(output: OutputDraft): Promise<void> {
    const { folder, name } = this.#pathOf(output);
    try {
      this.#announced.announce({ scope: output.scope, id: output.id, path: join(folder, name) });
    } catch {
      // Without a mark a copy is missed only if the process is killed before it is written.
    }
  }

  /** Takes the mark away: the copy is there, or nothing names it. */
  async settle({ id }: Pick<OutputDraft, 'id'>): Promise<void> {
    this.#announced.settle(id);
  }

  /** Outputs whose copies are named and were not written, because their process was killed. */
  async unwritten(): Promise<readonly Pick<OutputDraft, 'scope' | 'id'>[]> {
    return this.#announced.unwritten();
  }

  /** Whether the copy could be written. */
  async write(record: OutputRecord, bytes: AsyncIterable<Uint8Array>): Promise<boolean> {
    const { folder, name } = this.#pathOf(record);
    const aside = join(folder, halfWritten(name, Buffer.from(randomBytes(8)).toString('hex')));
    try {
      makeCopyRoom(this.#folder, copiedBytes(record), this.#limits, Date.now());
      makePrivateFolder(folder);
      await writeAside(aside, bytes);
      giveName(aside, join(folder, name));
      return true;
    } catch {
      // The canonical copy is safe in the store; a plain one that is missing is not named.
      removeCopy(aside, folder);
      return false;
    }
  }

  /** Removes the copy of an output; whether there was one. */
  async remove(record: OutputRecord): Promise<boolean> {
    const { folder, name } = this.#pathOf(record);
    // A folder that was put in place of ours is somebody else's.
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

/** A copy holds the texts of an output, one after the other. */
function copiedBytes({ parts }: OutputRecord): number {
  return parts.reduce(
    (sum, { role, kind, bytes }) => (role === 'content' && kind !== 'binary' ? sum + bytes : sum),
    0,
  );
}

async function writeAside(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for await (const chunk of bytes)
      for (let at = 0; at < chunk.length; ) at += (await write(file, chunk, at)).bytesWritten;
  } finally {
    await close(file);
  }
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
