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
import { unlessAborted } from '../waiting.ts';
import type { Access } from './access.ts';
import { appendPiece } from './drafts.ts';
import type { Connection } from './driver.ts';
import { checkEqualContent } from './equal-content.ts';
import { makeRoom } from './evicting.ts';
import { type PartPiece, sealAtOnce, sealDraft } from './sealing.ts';

/** Bytes of one output that may wait to be committed. */
const WINDOW_BYTES = 256 * 1024;
/** So much is held, and so long: what a process holds when it is killed is lost. */
const HELD_BYTES = 128 * 1024;
const HELD_MS = 100;

export interface SqliteWriterOptions {
  /** Asked for by the first who needs one. */
  readonly codec: () => Codec;
  readonly maxBytes: number | undefined;
}

export class SqliteWriter implements OutputWriter {
  readonly #access: Access;
  readonly #drafting: Drafting;
  readonly #codec: () => Codec;
  readonly #maxBytes: number | undefined;
  /** What no transaction has yet; null once pieces are committed as they come. */
  #held: PartPiece[] | null = [];
  #heldBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitingBytes = 0;
  #failure: unknown;
  #wake: (() => void)[] = [];

  constructor(access: Access, drafting: Drafting, { codec, maxBytes }: SqliteWriterOptions) {
    this.#access = access;
    this.#drafting = drafting;
    this.#codec = codec;
    this.#maxBytes = maxBytes;
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
    while (this.#waitingBytes > WINDOW_BYTES)
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
      this.#mustBeWell();
      await checkEqualContent(
        this.#access,
        seal.parts.map(({ hash }) => hash),
        this.#codec,
      );
      const run = (db: Connection) => {
        if (held === null) return sealDraft(db, { draft, specs, seal });
        this.#mustHave(db, held);
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

  #commit(each: PartPiece): void {
    const { length } = each.piece.bytes;
    const settled = () => {
      this.#waitingBytes -= length;
      for (const wake of this.#wake.splice(0)) wake();
    };
    this.#waitingBytes += length;
    this.#access.write({ durable: false, run: this.#appending(each) }).then(settled, (error) => {
      this.#failure ??= error;
      settled();
    });
  }

  /** Adds a piece to the draft, inside a transaction. */
  #appending({ part, piece }: PartPiece): (db: Connection) => void {
    const { owner, clock } = this.#access;
    // Parts declared after the last piece come with the seal.
    const { draft, specs } = this.#drafting;
    return (db) => {
      this.#mustHave(db, [{ part, piece }]);
      appendPiece(db, { draft, specs, part, piece, owner, now: clock() });
    };
  }

  /** Throws if there is no room for these pieces, on the disk or below the limit of the store. */
  #mustHave(db: Connection, pieces: readonly PartPiece[]): void {
    for (const { piece } of pieces) this.#access.mustHold(db, piece);
    if (this.#maxBytes === undefined) return;
    const bytes = pieces.reduce((sum, { piece }) => sum + piece.bytes.length, 0);
    if (bytes > 0) makeRoom(db, bytes, this.#maxBytes, this.#access.clock());
  }

  #mustBeWell(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
