/** Whether a text is white space only. A long one counts as not blank without a look. */
import type { Piece } from '../model/piece.ts';
import { decode } from './utf8.ts';

const MOST_BYTES = 1_000;

/** Whether a piece leaves its text blank, if it was blank up to here. */
export function isBlank({ bytes, start }: Pick<Piece, 'bytes' | 'start'>): boolean {
  return start.bytes + bytes.length <= MOST_BYTES && /^\s*$/.test(decode(bytes));
}
