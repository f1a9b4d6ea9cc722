/**
 * Packs small parts into pieces: at most 64 KB each, the parts whole and one behind the other;
 * chars, line ends and ill-formed sequences are added up as each part has them for itself. So what
 * is measured does not depend on what stands beside it.
 */
import { createHash } from 'node:crypto';
import { type Extent, NOTHING, sum } from '../model/extent.ts';
import type { PartTotals } from '../model/part.ts';
import { PIECE_BYTES, type Piece } from '../model/piece.ts';

const NO_BYTES = new Uint8Array(0);

export class PiecePacker {
  readonly #hash = createHash('sha256');
  #buffer = NO_BYTES;
  #start: Extent = NOTHING;
  #held: Extent = NOTHING;
  #heldIllFormed = 0;
  #lines = 0;
  #illFormed = 0;

  /**
   * Takes the pieces of a part, 64 KB at the most together; gives the piece that they complete, if
   * they do.
   */
  push(pieces: readonly Piece[], lines: number): Piece | null {
    const bytes = pieces.reduce((all, piece) => all + piece.bytes.length, 0);
    const full = this.#held.bytes + bytes > PIECE_BYTES ? this.finish() : null;
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(PIECE_BYTES);
    for (const { bytes, extent, illFormed } of pieces) {
      this.#buffer.set(bytes, this.#held.bytes);
      this.#held = sum(this.#held, extent);
      this.#heldIllFormed += illFormed;
    }
    this.#lines += lines;
    return full;
  }

  /** What is held, as a piece; null if that is nothing. */
  finish(): Piece | null {
    const extent = this.#held;
    if (extent.bytes === 0) return null;
    const bytes = this.#buffer.slice(0, extent.bytes);
    const packed = { bytes, start: this.#start, extent, illFormed: this.#heldIllFormed } as Piece;
    this.#hash.update(bytes);
    this.#start = sum(this.#start, extent);
    this.#illFormed += this.#heldIllFormed;
    this.#held = NOTHING;
    this.#heldIllFormed = 0;
    return packed;
  }

  /** What all parts came to; call once, after `finish`. */
  totals(): PartTotals {
    return {
      bytes: this.#start.bytes,
      chars: this.#start.chars,
      lines: this.#lines,
      illFormed: this.#illFormed,
      hash: this.#hash.digest('hex'),
      notes: [],
    };
  }
}
