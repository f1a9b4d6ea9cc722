/**
 * Plain copies of disclosed outputs, for agents that read files: `{session}/{tool}-{call}-{timestamp}.txt` below the artifact folder. Best
 * effort and never read back. Names are sanitised so that a file cannot leave its folder; folders that are links are not followed;
 * everything is for the owner only.
 */
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OutputRecord } from '@spillway/core';

const COPY_NAME = /^[\w.-]+-\d+\.txt$/;
const NAME_CHARS = 60;

export class PlainCopies {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The path of the copy, or null if it could not be written. */
  async write(record: OutputRecord, bytes: AsyncIterable<Uint8Array>): Promise<string | null> {
    const call = record.callId ?? record.id.split('_').at(-1) ?? record.id;
    const name = `${fileWord(record.tool)}-${fileWord(call)}-${Math.floor(record.startedAt / 1000)}.txt`;
    const path = join(this.#folder, fileWord(record.session), name);
    try {
      await makePrivateFolder(this.#folder);
      await ignoreInGit(this.#folder);
      await makePrivateFolder(dirname(path));
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        for await (const chunk of bytes) await file.writeFile(chunk);
      } finally {
        await file.close();
      }
      return path;
    } catch {
      // The canonical copy is safe in the store; a missing plain one is said by not being named.
      return null;
    }
  }

  /** Removes all copies; returns how many there were. */
  async removeAll(): Promise<number> {
    let removed = 0;
    for (const session of await listFolder(this.#folder)) {
      const folder = join(this.#folder, session);
      if (!(await isFolder(folder))) continue;
      for (const name of await listFolder(folder)) {
        if (!COPY_NAME.test(name)) continue;
        await rm(join(folder, name), { force: true });
        removed++;
      }
      if ((await listFolder(folder)).length === 0) await rm(folder, { recursive: true, force: true });
    }
    return removed;
  }
}

/** Keeps the artifact folder out of version control. */
async function ignoreInGit(folder: string): Promise<void> {
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
}

async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await isFolder(folder))) throw new Error('not a folder');
  await chmod(folder, 0o700);
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path)).isDirectory();
}

async function listFolder(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** A word that is safe in a file name on every system. */
function fileWord(text: string): string {
  const word = text
    .replace(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(0, NAME_CHARS);
  return word === '' ? '_' : word;
}
