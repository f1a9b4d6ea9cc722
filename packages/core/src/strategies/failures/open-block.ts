/**
 * A JSON value that begins in the rows of a part: followed to its end and kept as a table, in
 * bounded memory. Text beside it on its first and last line belongs to it, and so does the line
 * above if it names the value.
 */
import { type Extent, sum } from '../../model/extent.ts';
import { JsonScan } from '../../table/tree/json-scan.ts';
import { TreeTable } from '../../table/tree/tree-table.ts';
import { decode, measure } from '../../text/utf8.ts';
import { verdictOf } from '../../vocabulary/fields.ts';

export interface RowText {
  /** Its bytes are `from` … `to`. */
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  readonly start: Extent;
  readonly end: Extent;
  readonly first: boolean;
  /** No formatting was removed. */
  readonly isPlain: boolean;
  copy(): RowText;
}

export interface EmbeddedBlock {
  readonly start: Extent;
  readonly end: Extent;
  readonly first: boolean;
  /** Text before and behind the value in its rows, including a line above that names it. */
  readonly lead: Uint8Array;
  readonly trail: Uint8Array;
  readonly from: Extent;
  readonly to: Extent;
  /** Begins with the first byte of the value. */
  readonly table: TreeTable;
  /** The highest score of its lines. */
  readonly strongest: number;
}

/** Smaller values are shown as lines. */
const LEAST_BYTES = 100;
/** Several values stay beside the text, each shown in part. */
const MOST = { rows: 16_384, bytes: 1 << 20, levels: 512 };

interface Read {
  readonly state: 'open' | 'failed' | 'over';
  readonly at: number;
}

const NO_SINK = { open() {}, close() {}, leaf() {} };

/** Reads a value that begins at a place of a row, as far as the row goes. */
export function readInRow(row: RowText, at: number): Read {
  const scan = new JsonScan(NO_SINK, 'one', MOST.levels);
  scan.push(row.bytes.subarray(at, row.to));
  return readSoFar(scan, row, at, 0);
}

/** `before`: bytes of the value that stand before `from`. */
function readSoFar(
  { valueEnd, failure, position }: JsonScan,
  row: RowText,
  from: number,
  before: number,
): Read {
  if (valueEnd >= 0) return { state: 'over', at: from + valueEnd - before };
  if (failure === null) return { state: 'open', at: row.to };
  return { state: 'failed', at: Math.max(from, from + position - before) };
}

export class OpenBlock {
  readonly #first: RowText;
  readonly #before: RowText | null;
  readonly #leadBytes: number;
  readonly #table: TreeTable;
  readonly #scan: JsonScan;
  #bytes = 0;
  #strongest: number;
  #end: Extent;
  #trail: Uint8Array = new Uint8Array(0);

  /** The value begins at `at` in the row, and is not over in it. */
  constructor(row: RowText, at: number, own: number, before: RowText | null, reachChars: number) {
    // A copy, because the table moves its bytes.
    this.#first = row.copy();
    this.#end = row.end;
    this.#before = before?.copy() ?? null;
    this.#leadBytes = at - row.from;
    this.#table = new TreeTable({ verdict: verdictOf, reachChars, most: MOST });
    this.#scan = new JsonScan(this.#table, 'one', MOST.levels);
    this.#strongest = own;
    this.#push(row, at);
  }

  read(row: RowText, own: number): Read {
    if (row.start.bytes !== this.#end.bytes || !row.isPlain) return { state: 'failed', at: row.from };
    const read = this.#push(row, row.from);
    if (read.state === 'failed') return read;
    this.#end = row.end;
    if (own > this.#strongest) this.#strongest = own;
    if (read.state === 'over') this.#trail = new Uint8Array(row.bytes.subarray(read.at, row.to));
    return read;
  }

  /** Null if the value is too small, or is itself a part of something. */
  finish(): EmbeddedBlock | null {
    const { valueEnd } = this.#scan;
    const ownLead = new Uint8Array(bytesOf(this.#first).subarray(0, this.#leadBytes));
    if (valueEnd < LEAST_BYTES || isFragment(ownLead, this.#trail)) return null;
    this.#table.finish();
    const above = this.#above(ownLead);
    const first = above ?? this.#first;
    const from = sum(this.#first.start, measure(ownLead));
    return {
      start: first.start,
      end: this.#end,
      first: first.first,
      lead: above === null ? ownLead : Buffer.concat([bytesOf(above), ownLead]),
      trail: this.#trail,
      from,
      to: sum(from, this.#table.extentAt(valueEnd)),
      table: this.#table,
      strongest: this.#strongest,
    };
  }

  #push(row: RowText, from: number): Read {
    const bytes = row.bytes.subarray(from, row.to);
    this.#table.push(bytes, measure(bytes), this.#scan);
    const read = readSoFar(this.#scan, row, from, this.#bytes);
    this.#bytes += bytes.length;
    return read;
  }

  /** Only if nothing else names the value. */
  #above(lead: Uint8Array): RowText | null {
    const isNext = this.#before?.end.bytes === this.#first.start.bytes;
    if (this.#before === null || !isNext || !isBlank(lead)) return null;
    return saysSomething(decode(bytesOf(this.#before))) ? this.#before : null;
  }
}

/** Words, and not the end of something else. */
function saysSomething(line: string): boolean {
  return /\p{L}/u.test(line) && !/[{[,]$/.test(line.trimEnd());
}

/** A piece of a larger, invalid value. */
function isFragment(lead: Uint8Array, trail: Uint8Array): boolean {
  return /"\s*:\s*$/.test(decode(lead)) || /^\s*,/.test(decode(trail));
}

function bytesOf({ bytes, from, to }: RowText): Uint8Array {
  return bytes.subarray(from, to);
}

export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte <= 0x20);
}
