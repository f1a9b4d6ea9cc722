/** Rows of a stored table, asked for by their numbers below the header. */

import { invalidArgument } from '../../model/errors.ts';
import type { ByteRange } from '../../model/extent.ts';
import type { FormatAddress } from '../../model/format.ts';
import type { MatchSink, StoredText } from '../../model/stored-text.ts';
import { REFUSED_ARGUMENT } from '../../wording/refused-fetches.ts';
import { QuoteTracker } from './cells.ts';
import { type Layout, layoutOfText } from './layout.ts';

/** The same as the selector, so that both see the same table. */
const LOOKED_AT_BYTES = 16_384;
const LF = 10;
const CR = 13;

interface RowsFound {
  readonly header: ByteRange;
  readonly rows: number;
}

/** `from`: where row `before` + 1 begins, if known. Rows outside the range are only counted. */
async function findRows(
  stored: StoredText,
  range: { readonly first: number; readonly last: number },
  resume: { readonly from: number; readonly before: number },
  matches: MatchSink,
): Promise<RowsFound> {
  const layout = await layoutIn(stored);
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

async function layoutIn(stored: StoredText): Promise<Layout> {
  const sample: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stored.from(0)) {
    sample.push(piece);
    size += piece.length;
    if (size >= LOOKED_AT_BYTES) break;
  }
  const first = Buffer.concat(sample).subarray(0, LOOKED_AT_BYTES);
  const layout = layoutOfText(first, stored.byteLength <= LOOKED_AT_BYTES);
  if (layout === null) throw invalidArgument(REFUSED_ARGUMENT.noTable);
  return layout;
}

/** With rules, down to the rule below the header. */
async function headerOf(stored: StoredText, layout: Layout): Promise<ByteRange> {
  let end = 0;
  let count = 0;
  const unit: Layout = layout.hasRules ? { ...layout, hasRules: false } : layout;
  const scanner = new RowScanner(unit, 0, (_start, next) => {
    if (count < layout.headerLines) end = next;
    count++;
  });
  for await (const piece of stored.from(0)) {
    scanner.push(piece);
    if (count >= layout.headerLines) break;
  }
  if (count < layout.headerLines) scanner.finish();
  return { start: 0, end };
}

/** Chunks must not divide CR and LF. */
class RowScanner {
  readonly #layout: Layout;
  readonly #row: (start: number, end: number) => void;
  #position: number;
  #start: number;
  readonly #quotes: QuoteTracker | null;
  #blank = true;
  /** Only drawing so far, and with a horizontal line. */
  #drawing = true;
  #line = false;
  #before = 0;

  constructor(layout: Layout, from: number, row: (start: number, end: number) => void) {
    this.#layout = layout;
    this.#quotes = layout.kind === 'delimited' ? new QuoteTracker(layout.delimiter) : null;
    this.#row = row;
    this.#position = from;
    this.#start = from;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if ((byte === LF || byte === CR) && this.#quotes?.open !== true) {
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
    if (this.#layout.hasRules) this.#draw(byte);
    this.#quotes?.take(byte);
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
    const drawn = this.#layout.hasRules && this.#drawing && this.#line;
    if (!this.#blank && !drawn) this.#row(this.#start, next);
    this.#start = next;
    this.#quotes?.endRow();
    this.#blank = true;
    this.#drawing = true;
    this.#line = false;
    this.#before = 0;
  }
}

export const rowsOfTable: FormatAddress = {
  argument: 'rows',
  value: 'range',
  description: 'For tables: rows wanted, below the header, e.g. "100-200".',
  unit: 'row',
  units: 'rows',
  ending: '',
  async find(stored, { range, resume, sink }) {
    const matches = sink();
    const { header, rows } = await findRows(stored, range, resume, matches);
    return { matches, header, total: rows };
  },
};
