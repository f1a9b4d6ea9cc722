/**
 * The writer of one output, for every engine. Pieces are gathered, and written once there are enough of
 * them; what is small goes with the seal, in one transaction. `append` resolves at once while less than
 * a window waits, and otherwise when enough is written, so a producer that awaits it cannot run ahead
 * of the disk. Sizes are bytes.
 */
import type { PartSpec } from '../../model/part.ts';
import type { Piece } from '../../model/piece.ts';
import type { OutputWriter, Seal, SealResult, WaitOptions } from '../../model/store.ts';
import type { Drafting } from '../drafting.ts';
import { closed } from '../refusals.ts';
import { unlessAborted } from '../waiting.ts';

/** What a piece takes in memory beside its bytes. */
const PIECE_OVERHEAD = 64;

/** A piece of one of the parts. */
export interface PartPiece {
  /** Index of the part. */
  readonly part: number;
  /** The next one of it. */
  readonly piece: Piece;
}

/** Where an engine puts one output. */
export interface OutputTarget {
  /** How many bytes may wait behind this piece before `append` blocks. */
  window(last: Piece): number;
  /** Whether so many bytes are to be written; `isFirst`: nothing was so far. */
  isEnough(bytes: number, last: Piece, isFirst: boolean): boolean;
  /**
   * After this many milliseconds the rest is written as well, to survive the process. Undefined: it
   * waits for the seal.
   */
  readonly holdMs?: number;
  /** Writes pieces, in one transaction. */
  write(pieces: readonly PartPiece[]): Promise<void>;
  /** `pieces`: all of the output, where nothing was written; else null. */
  seal(seal: Seal, pieces: readonly PartPiece[] | null, wait: WaitOptions): Promise<SealResult>;
  /** Forgets what was written. */
  discard(): Promise<void>;
}

export class SqlWriter implements OutputWriter {
  readonly #drafting: Drafting;
  readonly #target: OutputTarget;
  readonly #holding: Set<SqlWriter>;
  #gathered: PartPiece[] = [];
  #gatheredBytes = 0;
  /** Bytes that are gathered or being written. */
  #waitingBytes = 0;
  #hasWritten = false;
  #isEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void)[] = [];

  /** `holding`: the writers to `end` before their store is closed. */
  constructor(drafting: Drafting, target: OutputTarget, holding: Set<SqlWriter>) {
    this.#drafting = drafting;
    this.#target = target;
    this.#holding = holding;
  }

  part(spec: PartSpec): number {
    return this.#drafting.declare(spec);
  }

  async append(part: number, piece: Piece, { signal }: WaitOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#drafting.accept(part, piece);
    this.#mustBeWell();
    if (this.#isEnded) throw closed();
    this.#gathered.push({ part, piece });
    this.#gatheredBytes += piece.bytes.length + PIECE_OVERHEAD;
    this.#waitingBytes += piece.bytes.length + PIECE_OVERHEAD;
    if (this.#isEnough) this.#begin();
    else this.#hold();
    const window = this.#target.window(piece);
    while (this.#waitingBytes > window)
      await unlessAborted(new Promise<void>((resolve) => this.#wake.push(resolve)), signal);
    this.#mustBeWell();
  }

  async seal(seal: Seal, wait: WaitOptions = {}): Promise<SealResult> {
    wait.signal?.throwIfAborted();
    this.#drafting.finish(seal);
    this.#letGo();
    try {
      if (this.#hasWritten) await this.#idle();
      this.#mustBeWell();
      return await this.#target.seal(seal, this.#hasWritten ? null : this.#gathered, wait);
    } catch (error) {
      this.#drafting.reopen();
      if (this.#gathered.length > 0) this.#hold();
      // A piece that failed in the same commit is the better reason.
      throw this.#failure?.error ?? error;
    }
  }

  async discard(): Promise<void> {
    this.#drafting.finish();
    this.#letGo();
    this.#gathered = [];
    try {
      await this.#writing;
      await this.#target.discard();
    } catch (error) {
      this.#drafting.reopen();
      // The gathered pieces are gone, so the output can only be discarded.
      this.#failure ??= { error };
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#drafting.isOver) await this.discard();
  }

  /** Called before the store closes: writes what was appended and refuses more. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#idle();
  }

  get #isEnough(): boolean {
    const last = this.#gathered.at(-1);
    if (last === undefined) return false;
    return this.#target.isEnough(this.#gatheredBytes, last.piece, !this.#hasWritten);
  }

  #hold(): void {
    const { holdMs } = this.#target;
    if (holdMs === undefined) return;
    this.#timer ??= setTimeout(this.#begin, holdMs);
    this.#holding.add(this);
  }

  #letGo(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#holding.delete(this);
  }

  readonly #begin = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#gathered.length === 0) return;
    this.#hasWritten = true;
    if (this.#target.holdMs !== undefined) this.#holding.add(this);
    this.#writing ??= this.#write();
  };

  async #write(): Promise<void> {
    do {
      const pieces = this.#gathered;
      const bytes = this.#gatheredBytes;
      this.#gathered = [];
      this.#gatheredBytes = 0;
      try {
        // After a failure nothing may follow the gap. Always await, so that `#writing` is set
        // before it is cleared.
        await (this.#failure === undefined ? this.#target.write(pieces) : undefined);
      } catch (error) {
        this.#failure ??= { error };
      }
      this.#waitingBytes -= bytes;
      for (const wake of this.#wake.splice(0)) wake();
    } while (this.#isEnough);
    this.#writing = undefined;
    if (this.#gathered.length > 0) this.#hold();
    else this.#holding.delete(this);
  }

  async #idle(): Promise<void> {
    while (this.#writing !== undefined || this.#gathered.length > 0) {
      this.#begin();
      await this.#writing;
    }
  }

  #mustBeWell(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
