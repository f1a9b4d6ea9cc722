/**
 * The part of an output that became large: its next pieces go to a file. Whatever waits is written
 * together, and then its rows are committed, so a row never tells of bytes that were not written.
 * What a killed process had written is there; `flush` makes it survive the loss of power.
 */
import type { Piece } from '../../model/piece.ts';
import { randomBytes } from '../randomness.ts';
import type { Access } from './access.ts';
import type { ContentFile } from './contents.ts';
import type { Connection } from './driver.ts';

interface PartInFileOptions {
  /** Where in the part the file begins. */
  readonly start: number;
  /** Names the file, inside a transaction. */
  readonly begin: (db: Connection, file: ContentFile) => void;
  /** Adds pieces whose bytes are in the file, inside a transaction. */
  readonly append: (db: Connection, pieces: readonly Piece[]) => void;
  /** Called for every write: how many bytes no longer wait, and why they failed. */
  readonly settled: (bytes: number, failure?: unknown) => void;
}

/**
 * So much is gathered for a write, more the longer the part is, and so long: what a process holds
 * when it is killed is lost.
 */
const GATHERED_BYTES = { least: 64 * 1024, most: 256 * 1024 };
const GATHERED_SHARE = 1 / 32;
const GATHERED_MS = 100;

export class PartInFile {
  readonly #access: Access;
  readonly #options: PartInFileOptions;
  readonly #file: ContentFile;
  #waiting: Piece[] = [];
  #waitingBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
  #isMade = false;
  #failed = false;

  constructor(access: Access, options: PartInFileOptions) {
    this.#access = access;
    this.#options = options;
    this.#file = { name: Buffer.from(randomBytes(16)).toString('hex'), start: options.start };
  }

  add(piece: Piece): void {
    this.#waiting.push(piece);
    this.#waitingBytes += piece.bytes.length;
    this.#access.inFiles.add(this);
    if (this.#isEnough) this.#begin();
    else this.#timer ??= setTimeout(this.#begin, GATHERED_MS);
  }

  /** Resolves once all that was added is written. */
  async idle(): Promise<void> {
    while (this.#writing !== undefined || this.#waiting.length > 0) {
      this.#begin();
      await this.#writing;
    }
  }

  /** Resolves once what was added survives the loss of power. */
  async flush(): Promise<void> {
    await this.idle();
    if (this.#isMade) await this.#access.beside(0, 0, (files) => files.flush(this.#file.name));
  }

  get #isEnough(): boolean {
    const { least, most } = GATHERED_BYTES;
    const end = this.#waiting.at(-1)?.start.bytes ?? 0;
    return this.#waitingBytes >= Math.min(most, Math.max(least, end * GATHERED_SHARE));
  }

  readonly #begin = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length > 0) this.#writing ??= this.#drain();
  };

  async #drain(): Promise<void> {
    // Rows are committed while the next bytes are written.
    let committed: Promise<void> = Promise.resolve();
    do {
      const pieces = this.#waiting.splice(0);
      this.#waitingBytes = 0;
      try {
        await this.#write(pieces);
        committed = this.#commit(pieces);
      } catch (error) {
        this.#settle(pieces, error);
      }
    } while (this.#isEnough);
    await committed;
    this.#writing = undefined;
    if (this.#isEnough) this.#begin();
    else if (this.#waiting.length === 0) this.#access.inFiles.delete(this);
  }

  async #write(pieces: readonly Piece[]): Promise<void> {
    const { name, start } = this.#file;
    const at = (pieces[0]?.start.bytes ?? start) - start;
    if (!this.#isMade) {
      const run = (db: Connection) => this.#options.begin(db, this.#file);
      await this.#access.write({ durable: true, run }, { purpose: 'finish' });
      await this.#access.beside(0, 0, (files) => files.make(name));
      this.#isMade = true;
    }
    // Nothing may follow a gap.
    if (this.#failed) throw new Error('An earlier piece could not be written.');
    const bytes = pieces.map((piece) => piece.bytes);
    await this.#access.beside(lengthOf(pieces), start + at, (files) => files.write(name, bytes, at));
  }

  async #commit(pieces: readonly Piece[]): Promise<void> {
    const run = (db: Connection) => this.#options.append(db, pieces);
    await this.#access.write({ durable: false, run }, { purpose: 'finish' }).then(
      () => this.#settle(pieces),
      (error: unknown) => this.#settle(pieces, error),
    );
  }

  #settle(pieces: readonly Piece[], failure?: unknown): void {
    if (failure !== undefined) this.#failed = true;
    this.#options.settled(lengthOf(pieces), failure);
  }
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
