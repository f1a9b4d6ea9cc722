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
import { sealDraft } from './sealing.ts';

/** Bytes of one output that may wait to be committed. */
const WINDOW_BYTES = 256 * 1024;
/** So much is held, and so long: what a process holds when it is killed is lost. */
const HELD_BYTES = 64 * 1024;
const HELD_MS = 100;

export interface SqliteWriterOptions {
  /** Asked for by the first who needs one. */
  readonly codec: () => Codec;
  readonly maxBytes: number | undefined;
}

interface HeldPiece {
  readonly part: number;
  readonly piece: Piece;
}

export class SqliteWriter implements OutputWriter {
  readonly #access: Access;
  readonly #drafting: Drafting;
  readonly #codec: () => Codec;
  readonly #maxBytes: number | undefined;
  /** What no transaction has yet; null once pieces are committed as they come. */
  #held: HeldPiece[] | null = [];
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
    const held = this.#held?.map((each) => this.#appending(each)) ?? [];
    this.#endHold();
    try {
      this.#mustBeWell();
      await checkEqualContent(
        this.#access,
        seal.parts.map(({ hash }) => hash),
        this.#codec,
      );
      const run = (db: Connection) => {
        for (const append of held) append(db);
        return sealDraft(db, { draft, specs, seal });
      };
      const sealed = await this.#access.write({ durable: true, run }, wait);
      this.#access.sweepBehind();
      return sealed;
    } catch (error) {
      this.#drafting.reopen();
      if (held.length > 0) this.#beginHold();
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

  #hold(held: HeldPiece[], each: HeldPiece): void {
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

  #commit(each: HeldPiece): void {
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
  #appending({ part, piece }: HeldPiece): (db: Connection) => void {
    const { owner, clock } = this.#access;
    const maxBytes = this.#maxBytes;
    // Parts declared after the last piece come with the seal.
    const { draft, specs } = this.#drafting;
    return (db) => {
      const now = clock();
      this.#access.mustHold(db, piece);
      if (maxBytes !== undefined) makeRoom(db, piece.bytes.length, maxBytes, now);
      appendPiece(db, { draft, specs, part, piece, owner, now });
    };
  }

  #mustBeWell(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
