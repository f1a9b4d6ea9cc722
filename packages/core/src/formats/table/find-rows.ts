/**
 * The rows of a table in one pass, without holding it. A quoted field may hold separators, doubled quotes and line ends; blank lines and lines that
 * only draw are no rows. Rows of data count from 1. Positions are bytes.
 */

import { SpillwayError } from '../../model/errors.ts';
import type { ByteRange } from '../../model/extent.ts';
import type { MatchSink, StoredText } from '../../model/stored-text.ts';
import { type RowLayout, rowLayout } from './row-layout.ts';

const SAMPLE_BYTES = 65_536;
const QUOTE = 0x22;
const LF = 10;
const CR = 13;

export interface RowsFound {
  readonly header: ByteRange;
  /** Rows of data that were passed, whether wanted or not. */
  readonly rows: number;
}

/** `from`: where the row after the first `before` ones begins, if it is known. Rows outside of the range are counted only. */
export async function findRows(
  stored: StoredText,
  range: { readonly first: number; readonly last: number },
  resume: { readonly from: number; readonly before: number },
  matches: MatchSink,
): Promise<RowsFound> {
  const layout = await layoutOf(stored);
  const header = await headerOf(stored, layout);
  const from = Math.max(header.end, resume.from);
  let row = from > header.end ? resume.before : 0;
  const scanner = new RowScanner(layout, from, (start, end) => {
    row++;
    if (row >= range.first && row <= range.last) matches.add(start, end, () => '');
  });
  for await (const piece of stored.from(from)) {
    scanner.push(piece);
    if (matches.enough) return { header, rows: row };
  }
  scanner.finish();
  return { header, rows: row };
}

async function layoutOf(stored: StoredText): Promise<RowLayout> {
  const sample: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stored.from(0)) {
    sample.push(piece);
    size += piece.length;
    if (size >= SAMPLE_BYTES) break;
  }
  const layout = rowLayout(Buffer.concat(sample).subarray(0, SAMPLE_BYTES));
  if (layout === null)
    throw new SpillwayError(
      'invalid_argument',
      'This part does not look like a table (CSV, TSV, aligned or ruled columns), so rows cannot be used. Ask by lines, chars or pattern.',
    );
  return layout;
}

async function headerOf(stored: StoredText, layout: RowLayout): Promise<ByteRange> {
  const found: ByteRange[] = [];
  const scanner = new RowScanner(layout, 0, (start, end) => found.push({ start, end }));
  for await (const piece of stored.from(0)) {
    scanner.push(piece);
    if (found.length > layout.headerRows) break;
  }
  if (found.length <= layout.headerRows) scanner.finish();
  const last = found[Math.min(found.length, layout.headerRows) - 1];
  // The rule below a header belongs to it.
  const behind = layout.ruled ? (found[layout.headerRows]?.start ?? stored.byteLength) : last?.end;
  return { start: 0, end: behind ?? 0 };
}

/** Cuts rows out of bytes in any chunking that does not divide CR and LF. */
class RowScanner {
  readonly #layout: RowLayout;
  readonly #row: (start: number, end: number) => void;
  #position: number;
  #start: number;
  #field: 'start' | 'plain' | 'quoted' | 'closing' = 'start';
  #blank = true;
  /** Whether all of the row so far draws, and whether it has a line. */
  #drawing = true;
  #line = false;
  #before = 0;

  constructor(layout: RowLayout, from: number, row: (start: number, end: number) => void) {
    this.#layout = layout;
    this.#row = row;
    this.#position = from;
    this.#start = from;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if ((byte === LF || byte === CR) && this.#field !== 'quoted') {
        const end = byte === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
        this.#end(this.#position + end);
        at = end - 1;
      } else this.#take(byte);
    }
    this.#position += bytes.length;
  }

  finish(): void {
    if (this.#start < this.#position) this.#end(this.#position);
  }

  #take(byte: number): void {
    if (byte > 0x20) this.#blank = false;
    const { separator, ruled } = this.#layout;
    if (ruled) this.#draw(byte);
    if (separator === null) return;
    if (this.#field === 'quoted') {
      if (byte === QUOTE) this.#field = 'closing';
    } else if (byte === QUOTE && this.#field !== 'plain') this.#field = 'quoted';
    else this.#field = byte === separator ? 'start' : 'plain';
  }

  #draw(byte: number): void {
    const dash = byte === 0x2d || byte === 0x3d;
    // Box drawing is E2 94 80 … E2 95 BF; the lines that lie are E2 94 80, E2 94 81 and E2 95 90.
    const box = byte === 0xe2 || (byte >= 0x80 && byte <= 0xbf);
    if (!dash && !box && byte > 0x20 && byte !== 0x7c && byte !== 0x2b && byte !== 0x3a)
      this.#drawing = false;
    if (dash && this.#before === byte) this.#line = true;
    if (
      (this.#before === 0x94 && (byte === 0x80 || byte === 0x81)) ||
      (this.#before === 0x95 && byte === 0x90)
    )
      this.#line = true;
    this.#before = byte;
  }

  #end(next: number): void {
    const drawn = this.#layout.ruled && this.#drawing && this.#line;
    if (!this.#blank && !drawn) this.#row(this.#start, next);
    this.#start = next;
    this.#field = 'start';
    this.#blank = true;
    this.#drawing = true;
    this.#line = false;
    this.#before = 0;
  }
}
