/**
 * JSON in the middle of a log: over several rows, or in a line too long for one row, also behind
 * words on its first line. Each value is followed to its end, validated and kept as a table, in
 * bounded memory; text beside it on its first and last line belongs to it, and so does the line
 * above if it names it. Of many values those that report a failure and large ones stay. Invalid
 * ones remain text.
 */
import { type Extent, sum } from '../../model/extent.ts';
import { CONTINUED, type LineTable } from '../../table/line-table.ts';
import { JsonScan, readValue } from '../../table/tree/json-scan.ts';
import { isSpace } from '../../table/tree/tree-sink.ts';
import { TreeTable } from '../../table/tree/tree-table.ts';
import { decode, measure } from '../../text/utf8.ts';
import { verdictOf } from '../../vocabulary/fields.ts';

/** Text before a value: of its own row, or the row above. */
interface Lead {
  readonly start: Extent;
  readonly first: boolean;
  readonly bytes: Buffer;
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

const MOST_BLOCKS = 4;
/** What doubling the size adds to the rank of a block. */
const PER_DOUBLING = 0.25;
/** Text in which so many values began and were none is searched no more. */
const MOST_FAILED = 256;
/** Smaller values are shown as lines. */
const LEAST_BYTES = 100;
/** Several values stay beside the text, each shown in part. */
const MOST = { rows: 16_384, bytes: 1 << 20, levels: 512 };

export class EmbeddedJson {
  readonly #table: LineTable;
  readonly #own: (row: number) => number;
  readonly #budget: number;
  #open: OpenValue | null = null;
  /** The row before, unless it stands out by itself. */
  #before = -1;
  #blocks: EmbeddedBlock[] = [];
  #failed = 0;
  #done = 0;

  /** `own`: the score of a row. */
  constructor(table: LineTable, budget: number, own: (row: number) => number) {
    this.#table = table;
    this.#own = own;
    this.#budget = budget;
  }

  update(): void {
    for (; this.#done < this.#table.rows && this.#failed < MOST_FAILED; this.#done++) this.#take(this.#done);
    this.#done = this.#table.rows;
  }

  /** Rows move when others are dropped. */
  keepOnly(isKept: Uint8Array): void {
    let rows = 0;
    for (let row = 0; row < this.#done; row++) rows += isKept[row] as number;
    this.#done = rows;
    this.#before = -1;
  }

  get blocks(): readonly EmbeddedBlock[] {
    return this.#blocks.toSorted((a, b) => a.start.bytes - b.start.bytes);
  }

  #take(row: number): void {
    const own = this.#own(row);
    const isUsed = this.#open?.isRead === true;
    const from = this.#open === null ? 0 : this.#continue(this.#open, row, own);
    if (this.#open === null && mayGoOn(this.#table, row)) this.#search(row, from, own);
    this.#before = own === 0 && !isUsed ? row : -1;
  }

  /** Returns where in the row to search for another value. */
  #continue(open: OpenValue, row: number, own: number): number {
    const bytes = bytesOf(this.#table, row);
    const isNext = this.#table.startOf(row).bytes === open.end.bytes && isPlain(this.#table, row);
    const read = isNext ? open.read(bytes, this.#table.endOf(row), own) : FAILED;
    if (read.state === 'open') return bytes.length;
    this.#open = null;
    if (read.state === 'failed') {
      if (open.isRead) this.#failed++;
      return read.at;
    }
    this.#keep(open.block(Buffer.from(bytes.subarray(read.at))));
    // The last row is shown with the block.
    return bytes.length;
  }

  #search(row: number, from: number, own: number): void {
    const bytes = bytesOf(this.#table, row);
    for (let at = from; at < bytes.length; at++) {
      const opening = openingAt(bytes, at);
      if (opening === 'none') continue;
      const read = progress(readValue(bytes.subarray(at), MOST.levels), 0, bytes.length - at);
      if (read.state === 'open') {
        this.#open = new OpenValue(
          this.#leadOf(row, at),
          this.#above(row),
          this.#table.endOf(row),
          this.#budget,
        );
        this.#open.begin(bytes.subarray(at), own, opening === 'followed');
        return;
      }
      at += Math.max(0, read.at - 1);
    }
  }

  #leadOf(row: number, bytes: number): Lead {
    const first = ((this.#table.flags[row] as number) & CONTINUED) === 0;
    const copy = Buffer.from(bytesOf(this.#table, row).subarray(0, bytes));
    return { start: this.#table.startOf(row), first, bytes: copy };
  }

  /** The line above, if it names a value: it has words, and is not the end of something else. */
  #above(row: number): Lead | null {
    const before = this.#before;
    if (before < 0 || this.#table.endOf(before).bytes !== this.#table.startOf(row).bytes) return null;
    const line = decode(bytesOf(this.#table, before));
    const isName = /\p{L}/u.test(line) && !/[{[,]$/.test(line.trimEnd());
    return isName ? this.#leadOf(before, Number.POSITIVE_INFINITY) : null;
  }

  #keep(block: EmbeddedBlock | null): void {
    if (block === null) return;
    this.#blocks.push(block);
    if (this.#blocks.length <= MOST_BLOCKS) return;
    const least = this.#blocks.reduce((a, b) => (rankOf(b) <= rankOf(a) ? b : a));
    this.#blocks = this.#blocks.filter((each) => each !== least);
  }
}

interface Read {
  readonly state: 'open' | 'failed' | 'over';
  /** In the bytes that were read last: where it failed, or where the value is over. */
  readonly at: number;
}

const FAILED: Read = { state: 'failed', at: 0 };

/** A value that began, and is not over yet. */
class OpenValue {
  readonly #lead: Lead;
  readonly #above: Lead | null;
  readonly #budget: number;
  /** A bracket at the end of a row, until the next row tells whether it opens a value. */
  #opening: Buffer | null = null;
  #tree: { readonly table: TreeTable; readonly scan: JsonScan } | null = null;
  #bytes = 0;
  #strongest = 0;
  end: Extent;

  constructor(lead: Lead, above: Lead | null, end: Extent, budget: number) {
    this.#lead = lead;
    this.#above = above;
    this.end = end;
    this.#budget = budget;
  }

  get isRead(): boolean {
    return this.#tree !== null;
  }

  begin(bytes: Buffer, own: number, isFollowed: boolean): void {
    this.#strongest = own;
    if (isFollowed) this.#push(bytes);
    else this.#opening = Buffer.from(bytes);
  }

  read(bytes: Buffer, end: Extent, own: number): Read {
    const opening = this.#opening;
    if (opening !== null) {
      const first = bytes.find((byte) => !isSpace(byte));
      if (first === undefined || !mayFollow(opening[0], first)) return FAILED;
      this.#opening = null;
      this.#push(opening);
    }
    const read = this.#push(bytes);
    if (read.state === 'failed') return read;
    this.end = end;
    this.#strongest = Math.max(this.#strongest, own);
    return read;
  }

  /** Null if the value is too small, or is itself a part of something. */
  block(trail: Buffer): EmbeddedBlock | null {
    const tree = this.#tree;
    const { start, bytes } = this.#lead;
    const isPiece = /"\s*:\s*$/.test(decode(bytes)) || /^\s*,/.test(decode(trail));
    if (tree === null || tree.scan.valueEnd < LEAST_BYTES || isPiece) return null;
    tree.table.finish();
    const above = isBlank(bytes) ? this.#above : null;
    const from = sum(start, measure(bytes));
    return {
      start: (above ?? this.#lead).start,
      end: this.end,
      first: (above ?? this.#lead).first,
      lead: above === null ? bytes : Buffer.concat([above.bytes, bytes]),
      trail,
      from,
      to: sum(from, tree.table.extentAt(tree.scan.valueEnd)),
      table: tree.table,
      strongest: this.#strongest,
    };
  }

  #push(bytes: Buffer): Read {
    if (this.#tree === null) {
      const table = new TreeTable({ verdict: verdictOf, reachChars: this.#budget, most: MOST });
      this.#tree = { table, scan: new JsonScan(table, 'one', MOST.levels) };
    }
    const { table, scan } = this.#tree;
    table.push(bytes, scan);
    this.#bytes += bytes.length;
    return progress(scan, this.#bytes - bytes.length, bytes.length);
  }
}

function progress({ valueEnd, failure, position }: JsonScan, before: number, size: number): Read {
  if (valueEnd >= 0) return { state: 'over', at: valueEnd - before };
  return failure === null
    ? { state: 'open', at: size }
    : { state: 'failed', at: Math.max(0, position - before) };
}

function bytesOf({ bytes, from, to }: LineTable, row: number): Buffer {
  return bytes.subarray(from[row], to[row]);
}

/** No formatting was removed from it. */
function isPlain(table: LineTable, row: number): boolean {
  return table.elisionsOf(row).length === 0;
}

/** A finished line continues only behind a bracket or a comma. */
function mayGoOn(table: LineTable, row: number): boolean {
  if (table.ending[row] === 0) return isPlain(table, row);
  let at = (table.to[row] as number) - 1;
  while (at >= (table.from[row] as number) && isSpace(table.bytes[at] as number)) at--;
  const byte = table.bytes[at];
  return byte === 0x7b || byte === 0x5b || byte === 0x2c;
}

/** What follows the bracket may be JSON, or nothing follows in the row. */
function openingAt(bytes: Uint8Array, at: number): 'none' | 'followed' | 'last' {
  const byte = bytes[at];
  if (byte !== 0x7b && byte !== 0x5b) return 'none';
  let next = at + 1;
  while (next < bytes.length && isSpace(bytes[next] as number)) next++;
  if (next === bytes.length) return 'last';
  return mayFollow(byte, bytes[next]) ? 'followed' : 'none';
}

/** No words: in many logs they follow a bracket. */
function mayFollow(bracket: number | undefined, byte: number | undefined): boolean {
  return bracket === 0x7b ? byte === 0x22 : BEGINS_ITEM.has(byte ?? 0);
}

const BEGINS_ITEM: ReadonlySet<number> = new Set(Buffer.from('{["-0123456789'));

export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte <= 0x20);
}

function rankOf({ strongest, from, to }: EmbeddedBlock): number {
  return strongest + PER_DOUBLING * Math.log2(to.bytes - from.bytes);
}
