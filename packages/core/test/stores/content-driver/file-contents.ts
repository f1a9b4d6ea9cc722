/**
 * A content driver on a folder: an object is a file under its key. It is written beside, made
 * durable and then given its name, which the file system does whole or not at all.
 */
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentDriver, StoredObject } from '../../../src/model/content-driver.ts';
import { SpillwayError } from '../../../src/model/errors.ts';

/** Names that no key has: what is being written. */
const UNFINISHED = '.unfinished-';

export function fileContents(folder: string): ContentDriver {
  let written = 0;
  const described = async (key: string): Promise<StoredObject> => {
    const { size, mtimeMs } = await stat(join(folder, key));
    return { key, bytes: size, writtenAt: mtimeMs };
  };
  return {
    async put(key, chunks, { signal } = {}) {
      await mkdir(folder, { recursive: true });
      const unfinished = join(folder, `${UNFINISHED}${process.pid}-${written++}`);
      try {
        await using file = await open(unfinished, 'wx', 0o600);
        for await (const chunk of chunks) {
          signal?.throwIfAborted();
          await file.write(chunk);
        }
        await file.sync();
        // Unlike a rename, a link does not replace what is there.
        await link(unfinished, join(folder, key)).catch(taken);
        await using directory = await open(folder);
        await directory.sync();
      } finally {
        await rm(unfinished, { force: true });
      }
      return described(key);
    },
    async *read(key, { start, end }, { signal } = {}) {
      const { bytes } = await described(key).catch(missing);
      const last = Math.min(end, bytes) - 1;
      if (start <= last) yield* createReadStream(join(folder, key), { start, end: last, signal });
    },
    async remove(keys) {
      for (const key of keys) await rm(join(folder, key), { force: true });
    },
    async *list({ after = '', signal } = {}) {
      const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.'));
      for (const key of names.sort()) {
        signal?.throwIfAborted();
        if (key > after) yield await described(key);
      }
    },
  };
}

function taken(cause: NodeJS.ErrnoException): never {
  if (cause.code !== 'EEXIST') throw cause;
  throw new SpillwayError('conflict', 'There is an object under this key: make up another one.', { cause });
}

function missing(cause: NodeJS.ErrnoException): never {
  if (cause.code !== 'ENOENT') throw cause;
  throw new SpillwayError('not_found', 'There is no object under this key.', { cause });
}
