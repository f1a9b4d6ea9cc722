/**
 * A JSON value that has begun in the rows of a part: followed to its end, wherever it is cut, and
 * kept as a table, in bounded memory. What stands on its first and
 * last line beside it belongs to it, and so does the line above if that says what it is.
 */

import { newTable } from '../../formats/tree/reader.ts';
import { type Extent, NOTHING, sum } from '../../model/extent.ts';
import { JsonScan } from '../../table/tree/json-scan.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';
import { decode, measure } from '../../text/utf8.ts';

/** A row as a value is followed through it. */
export interface RowText {
  /** Holds its bytes at `from` … `to`. */
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  readonly start: Extent;
  readonly end: Extent;
  /** Whether it begins a line. */
  readonly first: boolean;
  /** Whether no formatting was left out of it. */
  readonly isPlain: boolean;
  /** The same with bytes of its own. */
  copy(): RowText;
}

/** A JSON value in a part, with the rows it lies in. */
export interface EmbeddedBlock {
  /** Where its first row begins and its last one ends. */
  readonly start: Extent;
  readonly end: Extent;
  /** Whether its first row begins a line. */
  readonly first: boolean;
  /**
   * What stands before and behind the value in these rows. The line before it, which may say what
   * it is, is one of them.
   */
  readonly lead: Uint8Array;
  readonly trail: Uint8Array;
  /** Where the value begins and ends. */
  readonly from: Extent;
  readonly to: Extent;
  /** The value, which begins with its first byte. */
  readonly table: TreeTable;
  /** The score of the line in it that speaks of failure most surely. */
  readonly strongest: number;
}

/** A smaller value is as good as its lines. */
const LEAST_BYTES = 100;
/** So much at once is looked at by its grammar. */
const GIVEN_BYTES = 8_192;
/** What is held of a value: several stay beside the text, and each is shown in a part of the room. */
const MOST = { rows: 16_384, bytes: 1 << 20, levels: 4_096 };

/** How far a value was read in a row, and where that ended. */
interface Read {
  readonly state: 'open' | 'failed' | 'over';
  readonly at: number;
}

const NO_SINK = { open() {}, close() {}, leaf() {} };

/** Follows a value to its end, wherever it is cut. */
export class Follower {
  readonly #scan = new JsonScan(NO_SINK, 'one', MOST.levels);
  #read = 0;

  read({ bytes, to }: RowText, from: number): Read {
    const before = this.#read;
    this.#scan.push(bytes.subarray(from, to));
    this.#read += to - from;
    const { valueEnd, failure, position } = this.#scan;
    if (valueEnd >= 0) return { state: 'over', at: from + valueEnd - before };
    if (failure === null) return { state: 'open', at: to };
    return { state: 'failed', at: Math.max(from, from + position - before) };
  }
}

/** A value that has begun, and goes on behind its first row. */
export class OpenBlock {
  readonly #first: RowText;
  readonly #before: RowText | null;
  readonly #leadBytes: number;
  readonly #follower: Follower;
  readonly #table: TreeTable;
  readonly #scan: JsonScan;
  /** Read, and not yet given to the table. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** How much the table was given. */
  #given: Extent = NOTHING;
  #strongest: number;
  #end: Extent;
  #trail: Uint8Array = new Uint8Array(0);

  /** The value begins at `at` in the row, and was followed to its end. */
  constructor(
    row: RowText,
    at: number,
    own: number,
    follower: Follower,
    before: RowText | null,
    reachChars: number,
  ) {
    // The table moves its bytes: what is remembered of it is a copy.
    this.#first = row.copy();
    this.#end = row.end;
    this.#before = before?.copy() ?? null;
    this.#leadBytes = at - row.from;
    this.#follower = follower;
    this.#table = newTable(reachChars, MOST);
    this.#scan = new JsonScan(this.#table, 'one', MOST.levels);
    this.#strongest = own;
    this.#hold(row.bytes.subarray(at, row.to));
  }

  read(row: RowText, own: number): Read {
    if (row.start.bytes !== this.#end.bytes || !row.isPlain) return { state: 'failed', at: row.from };
    const read = this.#follower.read(row, row.from);
    if (read.state === 'failed') return read;
    this.#end = row.end;
    if (own > this.#strongest) this.#strongest = own;
    this.#hold(row.bytes.subarray(row.from, read.at));
    if (read.state === 'over') this.#trail = new Uint8Array(row.bytes.subarray(read.at, row.to));
    return read;
  }

  /** Null if the value is too small, cannot be shown in part, or is itself a part of something. */
  finish(): EmbeddedBlock | null {
    if (this.#given.bytes + this.#heldBytes < LEAST_BYTES) return null;
    this.#give();
    const ownLead = new Uint8Array(bytesOf(this.#first).subarray(0, this.#leadBytes));
    this.#scan.finish();
    if (this.#scan.failure !== null || isFragment(ownLead, this.#trail)) return null;
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
      to: sum(from, this.#given),
      table: this.#table,
      strongest: this.#strongest,
    };
  }

  /** The line before, if it says what the value is: nothing else does. */
  #above(lead: Uint8Array): RowText | null {
    const isNext = this.#before?.end.bytes === this.#first.start.bytes;
    if (this.#before === null || !isNext || !isBlank(lead)) return null;
    return saysSomething(decode(bytesOf(this.#before))) ? this.#before : null;
  }

  #hold(bytes: Uint8Array): void {
    this.#held.push(new Uint8Array(bytes));
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= GIVEN_BYTES) this.#give();
  }

  /** Gives what was read to the table, which copies it. */
  #give(): void {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    const { illFormed: _, ...extent } = measure(bytes);
    this.#table.push(bytes, extent, this.#scan);
    this.#given = sum(this.#given, extent);
  }
}

/** Words, and not the end of something else. */
function saysSomething(line: string): boolean {
  return /\p{L}/u.test(line) && !/[{[,]$/.test(line.trimEnd());
}

/** Behind a key, or before a comma: a piece of a larger value that is not valid as a whole. */
function isFragment(lead: Uint8Array, trail: Uint8Array): boolean {
  return /"\s*:\s*$/.test(decode(lead)) || /^\s*,/.test(decode(trail));
}

function bytesOf({ bytes, from, to }: RowText): Uint8Array {
  return bytes.subarray(from, to);
}

export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte <= 0x20);
}
