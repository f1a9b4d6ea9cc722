/**
 * A piece is how content travels: at most 64 KB of one part, already measured, that can be decoded
 * on its own (it never ends inside a character, nor between CR and LF). Pieces of a part follow
 * each other without gaps. Only capture makes them, and a store's writer takes nothing else: that
 * is why rendered text cannot become canonical.
 */
import type { Extent } from './extent.ts';

declare const canonical: unique symbol;

/** At most 64 KB of a part, measured. */
export interface Piece {
  /** The bytes themselves. */
  readonly bytes: Uint8Array;
  /** Where in its part this piece begins. */
  readonly start: Extent;
  /** How much they are. */
  readonly extent: Extent;
  /** Ill-formed sequences inside, each shown as one U+FFFD. 0 means plain UTF-8. */
  readonly illFormed: number;
  readonly [canonical]: true;
}

/** The most bytes a piece holds; also the distance between two checkpoints of a stored part. */
export const PIECE_BYTES = 65_536;
