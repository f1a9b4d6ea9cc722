/**
 * The range of a part that a request asks for, and where it begins and ends in the bytes that are
 * read. Stored pieces never end inside a character or between CR and LF, so both can be found piece
 * by piece.
 */
import type { Extent } from '../model/extent.ts';
import type { ReadFrom } from '../model/store.ts';
import { advance, characterStart, measure, offsetOfChar } from '../text/utf8.ts';
import type { Want } from './request.ts';

/** Up to which line, char or byte. */
export type Reach = { readonly lines: number } | { readonly chars: number } | { readonly bytes: number };

/** Offsets, not positions: line 1 is 0. */
export function rangeOf(want: Exclude<Want, { kind: 'pattern' | 'structure' }>): {
  from: ReadFrom;
  to: Reach;
} {
  if (want.kind === 'all') return { from: { bytes: 0 }, to: { bytes: Number.MAX_SAFE_INTEGER } };
  if (want.kind === 'cursor') return { from: { bytes: want.cursor.start }, to: { bytes: want.cursor.end } };
  if (want.kind === 'chars') return { from: { chars: want.first - 1 }, to: { chars: want.last } };
  return { from: { breaks: want.first - 1 }, to: { lines: want.last } };
}

/** How many bytes of a piece lie before the place asked for. */
export function startWithin(piece: Uint8Array, at: Extent, from: ReadFrom): number {
  if ('bytes' in from) return Math.min(piece.length, characterStart(piece, from.bytes - at.bytes));
  if ('chars' in from) return offsetOfChar(piece, from.chars - at.chars);
  return advance(piece, 0, Number.POSITIVE_INFINITY, Math.max(0, from.breaks - at.breaks)).bytes;
}

/**
 * The byte of a run before which the range ends; Infinity when it ends behind the run. `start`:
 * where the run begins.
 */
export function endWithin(run: Uint8Array, start: Extent, to: Reach): number {
  const later = Number.POSITIVE_INFINITY;
  if ('bytes' in to) {
    const end = Math.max(0, to.bytes - start.bytes);
    // A cursor of our own making never points into a character.
    return end <= run.length ? characterStart(run, end) : later;
  }
  if ('chars' in to) {
    const end = offsetOfChar(run, Math.max(0, to.chars - start.chars));
    return measure(run, 0, end).chars + start.chars >= to.chars ? end : later;
  }
  const breaks = Math.max(0, to.lines - start.breaks);
  const reached = advance(run, 0, Number.POSITIVE_INFINITY, breaks);
  return reached.breaks === breaks ? reached.bytes : later;
}
