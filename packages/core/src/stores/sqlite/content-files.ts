/**
 * Files for what is large. SQLite writes every byte twice, to its log and to the database, so
 * content that grows beyond a limit goes on in a file of its own, in a folder beside the database.
 * Its pieces stay rows with checkpoint and checksum, but without bytes. Names are random; the table
 * `content_file` says which file belongs to which content, and where in it the file begins.
 *
 * Invariant: a file is made after the row that names it is durable, and removed before that row is.
 * So there is never a file that no row knows, whenever a process is killed or power is lost.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fdatasyncSync,
  lstatSync,
  openSync,
  promises,
  readSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { SpillwayError } from '../../model/errors.ts';
import { PIECE_BYTES } from '../../model/piece.ts';
import { flushNames, makeFolder, mustBeFolder, systemCode } from './folders.ts';

const NOTHING = new Uint8Array();
/** A link is not followed, and a pipe not waited for. */
const NO_SURPRISE = constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** A name from a row becomes part of a path: nothing else is taken for one. */
const NAME = /^[0-9a-f]{32}$/;

export class ContentFiles {
  readonly #folder: string;

  /** `file` is the database. */
  constructor(file: string) {
    this.#folder = `${file}-content`;
  }

  /** Makes an empty file; its row is durable by now. */
  async make(name: string): Promise<void> {
    mustBeFolder(this.#folder);
    makeFolder(this.#folder);
    mustBePrivate(this.#folder);
    const { O_CREAT, O_EXCL, O_WRONLY } = constants;
    const made = await promises.open(this.#path(name), O_CREAT | O_EXCL | O_WRONLY, 0o600);
    await made.close();
  }

  /** Writes bytes at a place, all of them. */
  async write(name: string, chunks: readonly Uint8Array[], at: number): Promise<void> {
    const file = await promises.open(this.#path(name), constants.O_WRONLY | NO_SURPRISE);
    try {
      let { bytesWritten: done } = await file.writev(chunks, at);
      // A disk that is nearly full takes only some of it, and then says why.
      const whole = Buffer.concat(done < total(chunks) ? chunks : []);
      while (done < whole.length)
        done += (await file.write(whole, done, whole.length - done, at + done)).bytesWritten;
    } finally {
      await file.close();
    }
  }

  /** Brings what was written to the disk, and the name with it. */
  async flush(name: string): Promise<void> {
    const file = await promises.open(this.#path(name), constants.O_WRONLY | NO_SURPRISE);
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
    await flushFolder(this.#folder);
  }

  /** The same at once, for what a killed process left. */
  flushNow(name: string): void {
    this.#opened(name, constants.O_WRONLY, fdatasyncSync);
    flushNames(this.#folder);
  }

  /** The bytes of a piece; fewer or none where the file does not have them. */
  read(name: string, at: number, length: number): Uint8Array {
    // A row can be forged.
    if (!(length <= PIECE_BYTES)) return NOTHING;
    const bytes = new Uint8Array(length);
    const read = this.#opened(name, constants.O_RDONLY, (file) => readSync(file, bytes, 0, length, at));
    return bytes.subarray(0, read ?? 0);
  }

  /** Removes a file; whether it is gone. */
  remove(name: string): boolean {
    try {
      rmSync(this.#path(name));
      return true;
    } catch (error) {
      // It was removed before, or never made. Any other is tried again later.
      return isMissing(error);
    }
  }

  /** Undefined where there is no such file. */
  #opened<T>(name: string, flags: number, use: (file: number) => T): T | undefined {
    let file: number;
    try {
      file = openSync(this.#path(name), flags | NO_SURPRISE);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      return use(file);
    } finally {
      closeSync(file);
    }
  }

  /** Nothing is looked for, written or removed through a link in the place of the folder. */
  #path(name: string): string {
    if (lstatSync(this.#folder, { throwIfNoEntry: false })?.isDirectory() === false)
      throw Object.assign(new Error('It is not a folder.'), { code: 'ENOTDIR' });
    if (NAME.test(name)) return join(this.#folder, name);
    throw new SpillwayError(
      'corrupt',
      'A file of the store has a name that is none: restore it from a copy.',
    );
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCode(error));
}

/** Others could put files into a folder that is open to them. */
function mustBePrivate(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  if (process.getuid === undefined) return;
  if (uid === process.getuid()) {
    if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return;
  }
  throw new SpillwayError(
    'store_unavailable',
    `${folder} is not a folder of yours, and large outputs are kept there: move it away.`,
  );
}

/** Not every file system can flush a folder; then it does as much as it can. */
async function flushFolder(folder: string): Promise<void> {
  const opened = await promises.open(folder).catch(() => undefined);
  await opened?.sync().catch(() => undefined);
  await opened?.close();
}

function total(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
