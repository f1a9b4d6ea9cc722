/**
 * The writer of one output. A short output that is sealed soon is held, and committed with its seal
 * in one transaction. Of any other, pieces are committed in the background; `append` resolves at
 * once while less than a window of them waits, and otherwise only when enough is committed: a
 * producer that awaits it cannot run ahead of the disk.
 */

import type { PartSpec } from '../../model/part.ts';
import type { Piece } from '../../model/piece.ts';
import type { OutputWriter, Seal, SealResult, WaitOptions } from '../../model/store.ts';
import type { Codec } from '../codecs.ts';
import type { Drafting } from '../drafting.ts';
import { randomBytes } from '../randomness.ts';
import { makeRoom } from '../sql/retiring.ts';
import { unlessAborted } from '../waiting.ts';
import type { Access } from './access.ts';
import type { ContentFile } from './contents.ts';
import { ask } from './dialect.ts';
import { type Appending, appendPieces, continueInFile } from './drafts.ts';
import type { Connection } from './driver.ts';
import { checkEqualContent } from './equal-content.ts';
import { type PartPiece, sealAtOnce, sealDraft } from './sealing.ts';

/**
 * The part of an output that became large: its next pieces go to a file. Whatever waits is written
 * together, and then its rows are committed, so a row never tells of bytes that were not written.
 * What a killed process had written is there; `flush` makes it survive the loss of power.
 */
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

class PartInFile {
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

/**
 * Bytes of one output that may wait to be committed: of a large part an eighth, so that a file is
 * written in few steps, and of any at most a megabyte.
 */
const WINDOW_BYTES = { least: 256 * 1024, most: 1024 * 1024 };
const WINDOW_SHARE = 1 / 8;
/** A part that has so many bytes goes on in a file, unless the store is told otherwise. */
const LARGE_PART_BYTES = 1024 * 1024;
/** So much is held, and so long: what a process holds when it is killed is lost. */
const HELD_BYTES = 128 * 1024;
const HELD_MS = 100;

export interface SqliteWriterOptions {
  /** Asked for by the first who needs one. */
  readonly codec: () => Codec;
  readonly maxBytes: number | undefined;
  readonly largePartBytes: number | undefined;
}

export class SqliteWriter implements OutputWriter {
  readonly #access: Access;
  readonly #drafting: Drafting;
  readonly #codec: () => Codec;
  readonly #maxBytes: number | undefined;
  readonly #largePartBytes: number;
  /** Parts that go on in a file, by their index. */
  readonly #inFiles = new Map<number, PartInFile>();
  /** What no transaction has yet; null once pieces are committed as they come. */
  #held: PartPiece[] | null = [];
  #heldBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitingBytes = 0;
  #failure: unknown;
  #wake: (() => void)[] = [];

  constructor(access: Access, drafting: Drafting, options: SqliteWriterOptions) {
    this.#access = access;
    this.#drafting = drafting;
    this.#codec = options.codec;
    this.#maxBytes = options.maxBytes;
    this.#largePartBytes = options.largePartBytes ?? LARGE_PART_BYTES;
  }

  part(spec: PartSpec): number {
    return this.#drafting.declare(spec);
  }

  async append(part: number, piece: Piece, { signal }: WaitOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#drafting.accept(part, piece);
    this.#mustBeWell();
    if (this.#held === null) this.#commit({ part, piece });
    else this.#hold(this.#held, { part, piece });
    const { least, most } = WINDOW_BYTES;
    const window = Math.min(most, Math.max(least, piece.start.bytes * WINDOW_SHARE));
    while (this.#waitingBytes > window)
      await unlessAborted(new Promise<void>((resolve) => this.#wake.push(resolve)), signal);
    this.#mustBeWell();
  }

  async seal(seal: Seal, wait: WaitOptions = {}): Promise<SealResult> {
    wait.signal?.throwIfAborted();
    this.#drafting.finish(seal);
    const { draft, specs } = this.#drafting;
    const held = this.#held;
    this.#endHold();
    try {
      for (const part of this.#inFiles.values()) await (this.#access.flushes ? part.flush() : part.idle());
      this.#mustBeWell();
      await checkEqualContent(
        this.#access,
        seal.parts.map(({ hash }) => hash),
        this.#codec,
      );
      const run = (db: Connection) => {
        if (held === null) return sealDraft(db, { draft, specs, seal });
        const pieces = held.map(({ piece }) => piece);
        for (const piece of pieces) this.#access.mustHold(db, piece);
        this.#mustBeBelowLimit(db, pieces);
        return sealAtOnce(db, { draft, specs, seal }, held);
      };
      const sealed = await this.#access.write({ durable: true, run }, wait);
      this.#access.sweepBehind();
      return sealed;
    } catch (error) {
      this.#drafting.reopen();
      if (held !== null && held.length > 0) this.#beginHold();
      // A piece that failed in the same commit is the better reason.
      throw this.#failure ?? error;
    }
  }

  async discard(): Promise<void> {
    this.#drafting.finish();
    this.#endHold();
    const { id } = this.#drafting.draft;
    try {
      for (const part of this.#inFiles.values()) await part.idle();
      await this.#access.discard(id);
      this.#access.sweepBehind();
    } catch (error) {
      this.#drafting.reopen();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#drafting.isOver) await this.discard();
  }

  #hold(held: PartPiece[], each: PartPiece): void {
    held.push(each);
    this.#heldBytes += each.piece.bytes.length;
    if (this.#heldBytes >= HELD_BYTES) this.#spill();
    else this.#beginHold();
  }

  #beginHold(): void {
    this.#timer ??= setTimeout(this.#spill, HELD_MS);
    this.#access.holds.add(this.#spill);
  }

  #endHold(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#access.holds.delete(this.#spill);
  }

  /** It became long, or nobody seals it, or the store is about to be closed. */
  readonly #spill = (): void => {
    this.#endHold();
    const held = this.#held ?? [];
    this.#held = null;
    for (const each of held) this.#commit(each);
  };

  #commit({ part, piece }: PartPiece): void {
    const { length } = piece.bytes;
    this.#waitingBytes += length;
    if (piece.start.bytes >= this.#largePartBytes) {
      this.#inFile(part, piece.start.bytes).add(piece);
      return;
    }
    this.#access.write({ durable: false, run: (db) => this.#append(db, part, [piece], 'in rows') }).then(
      () => this.#settled(length),
      (error: unknown) => this.#settled(length, error),
    );
  }

  #inFile(part: number, start: number): PartInFile {
    const known = this.#inFiles.get(part);
    if (known !== undefined) return known;
    const opened = new PartInFile(this.#access, {
      start,
      begin: (db, file) => continueInFile(db, this.#appending(part), file),
      append: (db, pieces) => this.#append(db, part, pieces, 'in file'),
      settled: (bytes, failure) => this.#settled(bytes, failure),
    });
    this.#inFiles.set(part, opened);
    return opened;
  }

  #settled(bytes: number, failure?: unknown): void {
    this.#failure ??= failure;
    this.#waitingBytes -= bytes;
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** Adds pieces to the draft, inside a transaction. */
  #append(db: Connection, part: number, pieces: readonly Piece[], where: 'in rows' | 'in file'): void {
    if (where === 'in rows') for (const piece of pieces) this.#access.mustHold(db, piece);
    this.#mustBeBelowLimit(db, pieces);
    appendPieces(db, this.#appending(part), pieces, where);
  }

  #appending(part: number): Appending {
    const { owner, clock } = this.#access;
    // Parts declared after the last piece come with the seal.
    const { draft, specs } = this.#drafting;
    return { draft, specs, part, owner, now: clock() };
  }

  /** Throws if there is no room for these pieces below the limit of the store. */
  #mustBeBelowLimit(db: Connection, pieces: readonly Piece[]): void {
    const bytes = pieces.reduce((sum, piece) => sum + piece.bytes.length, 0);
    if (this.#maxBytes === undefined || bytes === 0) return;
    const room = { wanted: bytes, maxBytes: this.#maxBytes, at: this.#access.clock() };
    ask(db, (d) => makeRoom(d, room));
  }

  #mustBeWell(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
