/**
 * Stored pieces of a text, measured again as they are read. They were cut when they were captured,
 * so they are neither cut nor hashed a second time: a store gives them back as it took them.
 */
import { type Extent, sum } from '../model/extent.ts';
import type { Piece } from '../model/piece.ts';
import { measure } from './utf8.ts';

/** `at`: where the first of them begins. */
export async function* storedPieces(at: Extent, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let start = at;
  for await (const bytes of pieces) {
    const { illFormed, ...extent } = measure(bytes);
    yield { bytes, start, extent, illFormed } as Piece;
    start = sum(start, extent);
  }
}
