/**
 * Plain copies of disclosed outputs, for agents that read files: `{session}/{tool}-{call}-{timestamp}.txt` below the artifact folder. Best
 * effort and never read back. Names are sanitised so that a file cannot leave its folder or take a name of the store; links are not
 * followed; everything is for the owner only; only files of one's own outputs are ever removed.
 */
import {
  close as closeCallback,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  rmSync,
  write as writeCallback,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { OutputRecord } from '@spillway/core';
import { type FileName, fileName, fileWord } from '@spillway/core/stores';

const write = promisify(writeCallback);
const close = promisify(closeCallback);

export class PlainCopies {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The path of the copy, or null if it could not be written. */
  async write(record: OutputRecord, bytes: AsyncIterable<Uint8Array>): Promise<string | null> {
    const path = this.#pathOf(record);
    try {
      makePrivateFolder(dirname(path));
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        for await (const chunk of bytes) await writeWhole(file, chunk);
      } finally {
        await close(file);
      }
      return path;
    } catch {
      // The canonical copy is safe in the store; a missing plain one is said by not being named.
      return null;
    }
  }

  /** Removes the copy of an output; whether there was one. */
  async remove(record: OutputRecord): Promise<boolean> {
    const path = this.#pathOf(record);
    try {
      // A folder that was put in place of ours is somebody else's.
      if (!lstatSync(dirname(path)).isDirectory()) return false;
      rmSync(path);
    } catch {
      return false;
    }
    try {
      rmdirSync(dirname(path));
    } catch {
      // Other copies are in it, and stay.
    }
    return true;
  }

  #pathOf(record: OutputRecord): string {
    const call = record.callId ?? record.id.split('_').at(-1) ?? record.id;
    const name = fileName`${fileWord(record.tool)}-${fileWord(call)}-${Math.floor(record.startedAt / 1000)}.txt`;
    return join(this.#folder, folderWord(record.session), name);
  }
}

async function writeWhole(file: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await write(file, bytes, at)).bytesWritten;
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

/** The folder of a session; never the name of one of the store's own files. */
function folderWord(session: string): FileName {
  const word = fileWord(session);
  return word.startsWith('store.db') ? fileName`_${word}` : word;
}
