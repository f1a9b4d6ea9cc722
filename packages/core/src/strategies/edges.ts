/**
 * Where a beginning may stop and an end may start. `line`: at a line end within the slack, else
 * inside the line; `word`: inside a line at a word end; `exact`: anywhere; `whole_line`: only at a
 * line end. A cut never splits a grapheme. Positions are bytes of a run.
 */
import { type Extent, sum } from '../model/extent.ts';
import {
  cutAfter,
  cutBefore,
  isLineStart,
  lineEndBefore,
  lineStartAfter,
  wordEndBefore,
} from '../text/cut.ts';
import type { Ruler } from '../text/ruler.ts';
import { advance } from '../text/utf8.ts';

export interface Run {
  readonly start: Extent;
  readonly bytes: Uint8Array;
  readonly base: number;
  readonly ruler: Ruler;
}

export type Edge = 'line' | 'exact' | 'word' | 'whole_line';

export interface Room {
  readonly chars: number;
  readonly lines: number;
}

/** As an extent from the start of the part, with the number of lines touched. */
export function fitHead(
  run: Run,
  room: Room,
  edge: Edge,
  slack: number,
): Extent & { readonly lines: number } {
  const end = headEnd(run, run.ruler.reach(room.chars, room.lines), edge, slack);
  const extent = run.ruler.to(end);
  const open = end > 0 && !isLineStart(run.bytes, end);
  return { bytes: end, chars: extent.chars, breaks: extent.breaks, lines: extent.breaks + (open ? 1 : 0) };
}

function headEnd({ bytes, ruler }: Run, reached: Extent, edge: Edge, slack: number): number {
  const at = reached.bytes;
  if (at >= bytes.length || isLineStart(bytes, at)) return at;
  if (edge === 'whole_line') return lineEndBefore(bytes, 0, at) ?? 0;
  if (edge === 'exact') return cutBefore(bytes, at);
  const nearest = ruler.reach(Math.max(0, reached.chars - slack)).bytes;
  const lineEnd = lineEndBefore(bytes, nearest, at);
  if (lineEnd !== undefined) return lineEnd;
  const wordEnd = edge === 'word' ? wordEndBefore(bytes, nearest, at) : undefined;
  return cutBefore(bytes, wordEnd ?? at);
}

/** As an extent from the start of the part; `total` if nothing fits. */
export function fitTail(
  run: Run,
  total: Extent,
  room: Room,
  edge: Edge,
  slack: number,
): Extent & { readonly insideLine: boolean } {
  const byChars = run.ruler.offsetOfChar(Math.max(0, total.chars - room.chars - run.start.chars));
  const firstLine = total.breaks + (endsOpen(run) ? 1 : 0) - room.lines - run.start.breaks;
  const byLines = run.ruler.reach(Number.POSITIVE_INFINITY, Math.max(0, firstLine)).bytes;
  const start = tailStart(run.bytes, Math.max(byChars, byLines), edge, slack);
  const extent = sum(run.start, run.ruler.to(start));
  const insideLine = start > 0 && start < run.bytes.length && !isLineStart(run.bytes, start);
  return { ...extent, insideLine };
}

function tailStart(bytes: Uint8Array, at: number, edge: Edge, slack: number): number {
  if (at === 0 || at >= bytes.length || isLineStart(bytes, at)) return at;
  if (edge === 'whole_line') return lineStartAfter(bytes, at, bytes.length) ?? bytes.length;
  if (edge === 'exact') return cutAfter(bytes, at);
  return lineStartAfter(bytes, at, at + advance(bytes, at, slack).bytes) ?? cutAfter(bytes, at);
}

function endsOpen({ bytes }: Run): boolean {
  return bytes.length > 0 && !isLineStart(bytes, bytes.length);
}
