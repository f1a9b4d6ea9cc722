/**
 * Turns what is kept of a table into a selection of the stored part, with the text of each segment.
 * Formatting inside kept text is elided; inside a gap it belongs to the gap. Units: ranges of the
 * table's buffer in, ranges of the stored part out.
 */
import { type ByteRange, type Extent, NOTHING, sum } from '../model/extent.ts';
import type { OmittedThings, Selection } from '../model/selection.ts';
import { CoverBuilder } from '../text/cover.ts';
import { decode, measure } from '../text/utf8.ts';
import { CONTINUED, type LineTable } from './line-table.ts';

/** `stamp`: bytes elided at its beginning. */
export interface KeptSpan extends ByteRange {
  readonly stamp?: number;
  /** Its line number, if it is listed below a marker. */
  readonly listed?: number;
}

/** Written in place of rows, which it covers exactly. */
export interface WrittenSpan extends ByteRange {
  readonly write: (cover: CoverBuilder) => void;
}

/** The label of a gap. */
export type GapThings = (above: ByteRange | null, below: ByteRange | null) => OmittedThings | undefined;

export function coverOf(
  table: LineTable,
  spans: readonly (KeptSpan | WrittenSpan)[],
  thingsAt: GapThings = () => undefined,
): Selection {
  const cover = new CoverBuilder();
  const { stored, clean, isOpen } = table.totals;
  if (clean.bytes === 0 && stored.bytes > 0) {
    cover.elide(NOTHING, stored, 'ansi');
    return cover.finish(isOpen);
  }
  let at: Extent = NOTHING;
  let endsLine = true;
  let above: ByteRange | null = null;
  for (const span of spans) {
    const start = storedAt(table, span.start);
    if (start.bytes > at.bytes) cover.omit(at, start, startsLine(table, span.start), thingsAt(above, span));
    if ('write' in span) span.write(cover);
    else keepSpan(cover, table, span);
    at = storedEnd(table, span.end);
    endsLine = beginsLine(table, span.end);
    above = span;
  }
  if (at.bytes < stored.bytes) cover.omit(at, stored, !isOpen, thingsAt(above, null));
  return cover.finish(isOpen && !(at.bytes === stored.bytes && endsLine && spans.length > 0));
}

/** The rows above and below a gap; -1 and the number of rows at the ends. */
export function rowsAround(
  table: LineTable,
  above: ByteRange | null,
  below: ByteRange | null,
): [above: number, below: number] {
  return [
    above === null ? -1 : table.rowAt(above.end - 1),
    below === null ? table.rows : table.rowAt(below.start),
  ];
}

/** Empty for segments that keep nothing. */
export function textsOf(table: LineTable, selection: Selection): string[] {
  return selection.map(({ kind, start, end }) =>
    kind === 'keep' ? decode(cleanBytes(table, { start, end })) : '',
  );
}

/** Contains no formatting. */
export function cleanBytes(table: LineTable, { start, end }: ByteRange): Uint8Array {
  const row = table.rowAtStored(start);
  const offset = start - (table.start[row] as number);
  let missing = 0;
  for (const elision of table.elisionsOf(row)) {
    if (offset < elision.offset + missing + elision.missing.bytes) break;
    missing += elision.missing.bytes;
  }
  const from = (table.from[row] as number) + offset - missing;
  return table.bytes.subarray(from, from + end - start);
}

export function storedAt(table: LineTable, offset: number): Extent {
  if (table.rows === 0 || offset >= (table.to[table.rows - 1] as number)) return table.totals.stored;
  const row = table.rowAt(offset);
  const from = table.from[row] as number;
  const start = table.startOf(row);
  if (offset === from) return start;
  const inside = measure(table.bytes, from, offset);
  let position = sum(start, inside);
  for (const elision of table.elisionsOf(row)) {
    if (elision.offset >= offset - from) break;
    position = sum(position, elision.missing);
  }
  return position;
}

/** For an end: dropped rows behind it are not part of it. */
function storedEnd(table: LineTable, offset: number): Extent {
  const row = table.rowAt(offset - 1);
  return table.to[row] === offset ? table.endOf(row) : storedAt(table, offset);
}

/** The bytes before a row may be those of another line: rows between them were dropped. */
function startsLine(table: LineTable, offset: number): boolean {
  const row = table.rowAt(offset);
  if (table.from[row] !== offset) return beginsLine(table, offset);
  return ((table.flags[row] as number) & CONTINUED) === 0;
}

function beginsLine(table: LineTable, offset: number): boolean {
  if (offset === 0) return true;
  const last = table.bytes[offset - 1];
  return last === 10 || (last === 13 && (offset >= table.length || table.bytes[offset] !== 10));
}

/** No row may be missing in it; formatting is elided. */
export function keepSpan(
  cover: CoverBuilder,
  table: LineTable,
  { start, end, stamp = 0, listed }: KeptSpan,
): void {
  let at = start;
  if (stamp > 0) {
    const from = storedAt(table, start);
    at = start + stamp;
    cover.elide(from, storedAt(table, at), 'timestamp');
  }
  if (!table.isFormatted) {
    if (end > at) cover.keep(storedAt(table, at), storedEnd(table, end), beginsLine(table, end), listed);
    return;
  }
  for (let row = table.rowAt(at); row < table.rows && (table.from[row] as number) < end; row++) {
    const base = table.from[row] as number;
    const isLast = row === table.rows - 1;
    const to = Math.min(end, table.to[row] as number);
    let position = at > base ? storedAt(table, at) : table.startOf(row);
    let from = Math.max(at, base);
    for (const { offset, missing } of table.elisionsOf(row)) {
      const stands = base + offset;
      if (stands < from || stands > to || (stands === to && !(isLast && to === table.to[row]))) continue;
      const behind = sum(position, measure(table.bytes, from, stands));
      if (stands > from) cover.keep(position, behind, beginsLine(table, stands), listed);
      position = sum(behind, missing);
      cover.elide(behind, position, missing.breaks > 0 ? 'overwritten' : 'ansi');
      from = stands;
    }
    if (to > from)
      cover.keep(position, sum(position, measure(table.bytes, from, to)), beginsLine(table, to), listed);
  }
}
