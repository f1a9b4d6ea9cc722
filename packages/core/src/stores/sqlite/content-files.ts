/**
 * Files for large parts. SQLite writes every byte twice (log and database), so a part beyond a
 * limit continues in a file beside the database. Its pieces stay rows with checkpoint and checksum,
 * without bytes; the table `content_file` maps contents to files. Invariant: a file is created
 * after its row is durable and removed before the row, so no file is ever without a row, whenever a
 * process is killed or power is lost.
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
/** Do not follow links or wait for pipes. */
const NO_SURPRISE = constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Names come from rows and become part of a path, so nothing else is accepted. */
const NAME = /^[0-9a-f]{32}$/;

export class ContentFiles {
  readonly #folder: string;

  constructor(file: string) {
    this.#folder = `${file}-content`;
  }

  async make(name: string): Promise<void> {
    mustBeFolder(this.#folder);
    makeFolder(this.#folder);
    mustBePrivate(this.#folder);
    const { O_CREAT, O_EXCL, O_WRONLY } = constants;
    const made = await promises.open(this.#path(name), O_CREAT | O_EXCL | O_WRONLY, 0o600);
    await made.close();
  }

  async write(name: string, chunks: readonly Uint8Array[], at: number): Promise<void> {
    await this.#writing(name, async (file) => {
      let { bytesWritten: done } = await file.writev(chunks, at);
      // A nearly full disk takes only some of it; the second attempt reports the reason.
      const whole = Buffer.concat(done < total(chunks) ? chunks : []);
      while (done < whole.length)
        done += (await file.write(whole, done, whole.length - done, at + done)).bytesWritten;
    });
  }

  async flush(name: string): Promise<void> {
    await this.#writing(name, (file) => file.datasync());
    await flushFolder(this.#folder);
  }

  flushNow(name: string): void {
    this.#opened(name, constants.O_WRONLY, fdatasyncSync);
    flushNames(this.#folder);
  }

  /** The bytes of a piece; fewer if the file lacks them. */
  read(name: string, at: number, length: number): Uint8Array {
    // The row may be forged.
    if (!(length <= PIECE_BYTES)) return NOTHING;
    const bytes = new Uint8Array(length);
    const read = this.#opened(name, constants.O_RDONLY, (file) => readSync(file, bytes, 0, length, at));
    return bytes.subarray(0, read ?? 0);
  }

  remove(name: string): boolean {
    try {
      rmSync(this.#path(name));
      return true;
    } catch (error) {
      // Already removed, or never created. Any other failure is retried later.
      return isMissing(error);
    }
  }

  async #writing(name: string, use: (file: promises.FileHandle) => Promise<void>): Promise<void> {
    const file = await promises.open(this.#path(name), constants.O_WRONLY | NO_SURPRISE);
    try {
      await use(file);
    } finally {
      await file.close();
    }
  }

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

  /** Never works through a link in place of the folder. */
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

async function flushFolder(folder: string): Promise<void> {
  const opened = await promises.open(folder).catch(() => undefined);
  await opened?.sync().catch(() => undefined);
  await opened?.close();
}

function total(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
