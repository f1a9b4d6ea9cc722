/**
 * The writer of one output. Each piece is a statement of its own, committed when `append` resolves,
 * one after the other: a producer that awaits it cannot run ahead of the server. Nothing refers to
 * the pieces before the seal does.
 */
import {
  type Drafting,
  type OutputWriter,
  type PartSpec,
  type Piece,
  type Seal,
  type SealResult,
  unlessAborted,
  type WaitOptions,
} from '@spillway/core/store';
import type { Access } from './access.ts';
import { addPiece, dropWritten } from './contents.ts';
import { makeRoom } from './evicting.ts';
import { sealDraft } from './sealing.ts';

export interface Writing {
  readonly access: Access;
  readonly drafting: Drafting;
  readonly maxBytes: number | undefined;
  readonly clock: () => number;
}

export class PostgresWriter implements OutputWriter {
  readonly #writing: Writing;
  readonly #written = new Map<number, string>();
  #last: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(writing: Writing) {
    this.#writing = writing;
  }

  part(spec: PartSpec): number {
    return this.#writing.drafting.declare(spec);
  }

  async append(part: number, piece: Piece, { signal }: WaitOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#writing.drafting.accept(part, piece);
    const stored = this.#last.then(() => this.#store(part, piece));
    this.#last = stored.catch((error: unknown) => {
      this.#failure ??= error;
    });
    return unlessAborted(stored, signal);
  }

  async seal(seal: Seal, wait: WaitOptions = {}): Promise<SealResult> {
    wait.signal?.throwIfAborted();
    const { access, drafting } = this.#writing;
    drafting.finish(seal);
    try {
      await this.#last;
      this.#mustBeWell();
      const { draft, specs } = drafting;
      return await access.write((db) => sealDraft(db, { draft, specs, seal, written: this.#written }), wait);
    } catch (error) {
      drafting.reopen();
      throw error;
    }
  }

  async discard(): Promise<void> {
    const { access, drafting } = this.#writing;
    drafting.finish();
    try {
      await this.#last;
      await access.write((db) => dropWritten(db, [...this.#written.values()]));
    } catch (error) {
      drafting.reopen();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#writing.drafting.isOver) await this.discard();
  }

  async #store(part: number, piece: Piece): Promise<void> {
    this.#mustBeWell();
    const { access, maxBytes, clock } = this.#writing;
    const content = this.#written.get(part);
    const added =
      maxBytes === undefined
        ? access.read((db) => addPiece(db, content, piece))
        : access.write(async (db) => {
            await makeRoom(db, piece.bytes.length, maxBytes, clock());
            return addPiece(db, content, piece);
          });
    this.#written.set(part, await added);
  }

  #mustBeWell(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
