/**
 * The writer of one output. Pieces are held until there are enough of them, and written by one
 * statement while the next ones are taken in; a producer that awaits `append` cannot run ahead of
 * the server by more than twice that. What
 * is small waits for the seal and goes with it. Nothing refers to pieces before the seal does.
 * Where the store has a limit, each piece is written as it comes, and counted.
 */
import {
  type Drafting,
  makeRoom,
  type OutputWriter,
  type PartSpec,
  type Piece,
  type Seal,
  type SealResult,
  unlessAborted,
  type WaitOptions,
} from '@spillway/core/store';
import type { Access } from './access.ts';
import { addPieces, dropWritten, type PieceRun, sweepAbandoned } from './contents.ts';
import { postgresDialect } from './dialect.ts';
import { type HeldPiece, sealDraft } from './sealing.ts';

/** Bytes that may wait before they are written. */
const HELD_BYTES = 1_048_576;
/** Pieces of one statement: it has six values each, and a statement at most 65,535. */
const MOST_PIECES = 1_000;
const HOUR_MS = 3_600_000;

export interface Writing {
  readonly access: Access;
  readonly drafting: Drafting;
  readonly maxBytes: number | undefined;
  readonly clock: () => number;
}

/** When each way to a server last removed what dead writers left. */
const sweptAt = new WeakMap<Access, number>();

export class PostgresWriter implements OutputWriter {
  readonly #writing: Writing;
  readonly #written = new Map<number, number>();
  #held: HeldPiece[] = [];
  #heldBytes = 0;
  #last: Promise<void> = Promise.resolve();
  #failure: unknown;
  /** From the first time on, everything is written before the seal. */
  #hasFlushed = false;

  constructor(writing: Writing) {
    this.#writing = writing;
  }

  part(spec: PartSpec): number {
    return this.#writing.drafting.declare(spec);
  }

  async append(part: number, piece: Piece, { signal }: WaitOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#writing.drafting.accept(part, piece);
    // Whoever appends may use its bytes again once this resolves.
    this.#held.push({ part, piece: { ...piece, bytes: Buffer.from(piece.bytes) } });
    this.#heldBytes += piece.bytes.length;
    const { maxBytes } = this.#writing;
    const isFull = this.#heldBytes >= HELD_BYTES || this.#held.length >= MOST_PIECES;
    const before = isFull ? this.#last : undefined;
    if (isFull || maxBytes !== undefined) this.#flush();
    return unlessAborted(this.#settled(maxBytes === undefined ? before : this.#last), signal);
  }

  async seal(seal: Seal, wait: WaitOptions = {}): Promise<SealResult> {
    wait.signal?.throwIfAborted();
    const { access, drafting } = this.#writing;
    drafting.finish(seal);
    try {
      if (this.#hasFlushed) this.#flush();
      await this.#settled(this.#last);
      const { draft, specs } = drafting;
      const sealing = { draft, specs, seal, written: this.#written, pieces: this.#held };
      return await access.call((db) => sealDraft(db, sealing), wait.signal);
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
      this.#held = [];
      const written = [...this.#written.values()];
      if (written.length > 0) await access.read((db) => dropWritten(db, written));
    } catch (error) {
      drafting.reopen();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#writing.drafting.isOver) await this.discard();
  }

  /** Writes what is held, behind what is being written. */
  #flush(): void {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    this.#hasFlushed = true;
    this.#last = this.#last
      .then(async () => {
        if (this.#failure === undefined) await this.#store(held);
      })
      .catch((error: unknown) => {
        this.#failure ??= error;
      });
  }

  async #store(held: readonly HeldPiece[]): Promise<void> {
    for (const [part, all] of Map.groupBy(held, (one) => one.part)) {
      const run = { content: this.#written.get(part), pieces: all.map(({ piece }) => piece) };
      this.#written.set(part, await this.#add(run));
    }
  }

  #add(run: PieceRun): Promise<number> {
    const { access, drafting, maxBytes, clock } = this.#writing;
    const { scope } = drafting.draft;
    if (run.content === undefined) this.#sweep();
    if (maxBytes === undefined) return access.repeatable((db) => addPieces(db, run));
    const wanted = run.pieces.reduce((sum, piece) => sum + piece.bytes.length, 0);
    return access.keepUp(async (db) => {
      await db.ask(makeRoom(postgresDialect, { scope, wanted, maxBytes, at: clock() }));
      return addPieces(db, run);
    });
  }

  /** Only outputs that are too large to go with their seal leave anything behind. */
  #sweep(): void {
    const { access } = this.#writing;
    const now = performance.now();
    if (now - (sweptAt.get(access) ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return;
    sweptAt.set(access, now);
    // Nobody waits for it; the next one tries again.
    access.read(sweepAbandoned).catch(() => sweptAt.delete(access));
  }

  /** Waits for what has been written by then, and fails if something could not be. */
  async #settled(written: Promise<void> | undefined): Promise<void> {
    await written;
    if (this.#failure !== undefined) throw this.#failure;
  }
}
