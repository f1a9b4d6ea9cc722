/**
 * The writer of one output. Pieces are committed in the background; `append` resolves at once while
 * less than a window of them waits, and otherwise only when enough is committed: a producer that
 * awaits it cannot run ahead of the disk.
 */

import type { PartSpec } from '../../model/part.ts';
import type { Piece } from '../../model/piece.ts';
import type { OutputWriter, Seal, SealResult, WaitOptions } from '../../model/store.ts';
import type { Codec } from '../codecs.ts';
import type { Drafting } from '../drafting.ts';
import { unlessAborted } from '../waiting.ts';
import type { Access } from './access.ts';
import { appendPiece } from './drafts.ts';
import { checkEqualContent } from './equal-content.ts';
import { makeRoom } from './evicting.ts';
import { sealDraft } from './sealing.ts';

/** Bytes of one output that may wait to be committed. */
const WINDOW_BYTES = 256 * 1024;

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
    this.#waitingBytes += piece.bytes.length;
    this.#commit(part, piece).then(
      () => this.#settled(piece),
      (error) => {
        this.#failure ??= error;
        this.#settled(piece);
      },
    );
    while (this.#waitingBytes > WINDOW_BYTES)
      await unlessAborted(new Promise<void>((resolve) => this.#wake.push(resolve)), signal);
    this.#mustBeWell();
  }

  async seal(seal: Seal, wait: WaitOptions = {}): Promise<SealResult> {
    wait.signal?.throwIfAborted();
    this.#drafting.finish(seal);
    const { draft, specs } = this.#drafting;
    try {
      this.#mustBeWell();
      await checkEqualContent(
        this.#access,
        seal.parts.map(({ hash }) => hash),
        this.#codec,
      );
      const sealed = await this.#access.write(
        { durable: true, run: (db) => sealDraft(db, { draft, specs, seal }) },
        wait,
      );
      this.#access.sweepBehind();
      return sealed;
    } catch (error) {
      this.#drafting.reopen();
      // A piece that failed in the same commit is the better reason.
      throw this.#failure ?? error;
    }
  }

  async discard(): Promise<void> {
    this.#drafting.finish();
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

  #commit(part: number, piece: Piece): Promise<void> {
    const { owner, clock } = this.#access;
    const maxBytes = this.#maxBytes;
    // Parts declared after the last piece come with the seal.
    const { draft, specs } = this.#drafting;
    return this.#access.append(piece, (db) => {
      const now = clock();
      if (maxBytes !== undefined) makeRoom(db, piece.bytes.length, maxBytes, now);
      appendPiece(db, { draft, specs, part, piece, owner, now });
    });
  }

  #settled(piece: Piece): void {
    this.#waitingBytes -= piece.bytes.length;
    for (const wake of this.#wake.splice(0)) wake();
  }

  #mustBeWell(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
