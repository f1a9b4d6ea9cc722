/**
 * JSON in the middle of a log: over several rows, or in a line too long for one row, also behind
 * words on its first line. Each block is validated and kept as `element` keeps a document, in
 * bounded memory; of many blocks those that report a failure and large ones stay. Invalid ones
 * remain text.
 */
import { CONTINUED, type LineTable } from '../../table/line-table.ts';
import { type EmbeddedBlock, OpenBlock, type RowText, readInRow } from './open-block.ts';

const MOST_BLOCKS = 4;
/** What doubling the size adds to the rank of a block. */
const PER_DOUBLING = 0.25;
/** Text in which so many values began and were none is searched no more. */
const MOST_FAILED = 256;

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;

export class EmbeddedJson {
  readonly #table: LineTable;
  readonly #own: (row: number) => number;
  readonly #budget: number;
  #open: OpenBlock | null = null;
  #awaited: Awaited | null = null;
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
    for (; this.#done < this.#table.rows; this.#done++) this.#take(this.#done);
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
    const isUsed = this.#open !== null;
    if (this.#failed === MOST_FAILED) return;
    if (isUsed || this.#awaited !== null || mayGoOn(this.#table, row)) this.#follow(row, own);
    this.#before = own === 0 && !isUsed ? row : -1;
  }

  #follow(row: number, own: number): void {
    const text = rowText(this.#table, row);
    if (this.#awaited !== null) this.#decide(this.#awaited, text);
    const from = this.#open === null ? text.from : this.#continue(this.#open, text, own);
    if (from < text.to && this.#open === null && mayGoOn(this.#table, row)) this.#search(text, from, own);
  }

  /** If the block is invalid, returns where to search the row again. */
  #continue(open: OpenBlock, row: RowText, own: number): number {
    const read = open.read(row, own);
    if (read.state === 'open') return row.to;
    this.#open = null;
    if (read.state === 'failed') {
      this.#failed++;
      return read.at;
    }
    this.#keep(open.finish());
    // The last row is shown with the block.
    return row.to;
  }

  #search(row: RowText, from: number, own: number): void {
    const before = this.#before < 0 ? null : rowText(this.#table, this.#before);
    for (let at = from; at < row.to; at++) {
      const opening = openingAt(row, at);
      if (opening === 'none') continue;
      if (opening === 'last') {
        this.#awaited = { row: row.copy(), at: at - row.from, own, before: before?.copy() ?? null };
        return;
      }
      const read = readInRow(row, at);
      if (read.state === 'open') {
        this.#open = new OpenBlock(row, at, own, before, this.#budget);
        return;
      }
      at = Math.max(at, read.at - 1);
    }
  }

  /** What follows decides whether a trailing bracket opens a value. */
  #decide({ row, at, own, before }: Awaited, next: RowText): void {
    this.#awaited = null;
    let first = next.from;
    while (first < next.to && isSpace(next.bytes[first])) first++;
    if (first === next.to || !mayFollow(row.bytes[row.from + at], next.bytes[first])) return;
    if (readInRow(row, row.from + at).state === 'open')
      this.#open = new OpenBlock(row, row.from + at, own, before, this.#budget);
  }

  #keep(block: EmbeddedBlock | null): void {
    if (block === null) return;
    this.#blocks.push(block);
    if (this.#blocks.length <= MOST_BLOCKS) return;
    const least = this.#blocks.reduce((a, b) => (rankOf(b) <= rankOf(a) ? b : a));
    this.#blocks = this.#blocks.filter((each) => each !== least);
  }
}

interface Awaited {
  readonly row: RowText;
  readonly at: number;
  readonly own: number;
  readonly before: RowText | null;
}

function rowText(table: LineTable, row: number): RowText {
  const text: RowText = {
    bytes: table.bytes,
    from: table.from[row] as number,
    to: table.to[row] as number,
    start: table.startOf(row),
    end: table.endOf(row),
    first: ((table.flags[row] as number) & CONTINUED) === 0,
    isPlain: table.elisionsOf(row).length === 0,
    copy() {
      const bytes = Buffer.from(table.bytes.subarray(text.from, text.to));
      const copied: RowText = { ...text, bytes, from: 0, to: bytes.length, copy: () => copied };
      return copied;
    },
  };
  return text;
}

/** A finished line continues only behind a bracket or a comma. */
function mayGoOn(table: LineTable, row: number): boolean {
  const { bytes } = table;
  const from = table.from[row] as number;
  let at = (table.to[row] as number) - 1;
  if (table.ending[row] === 0) return table.elisionsOf(row).length === 0;
  while (at >= from && isSpace(bytes[at])) at--;
  const byte = bytes[at];
  return byte === 0x7b || byte === 0x5b || byte === 0x2c;
}

/** What follows the bracket may be JSON, or nothing follows in the row. */
function openingAt({ bytes, to }: RowText, at: number): 'none' | 'followed' | 'last' {
  const byte = bytes[at];
  if (byte !== 0x7b && byte !== 0x5b) return 'none';
  let next = at + 1;
  while (next < to && isSpace(bytes[next])) next++;
  if (next >= to) return 'last';
  return mayFollow(byte, bytes[next]) ? 'followed' : 'none';
}

function mayFollow(bracket: number | undefined, byte: number | undefined): boolean {
  return bracket === 0x7b ? byte === 0x22 : BEGINS_ITEM.has(byte ?? 0);
}

/** No words: in many logs they follow a bracket. */
const BEGINS_ITEM: ReadonlySet<number> = new Set(Buffer.from('{["-0123456789'));

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}

function rankOf({ strongest, from, to }: EmbeddedBlock): number {
  return strongest + PER_DOUBLING * Math.log2(to.bytes - from.bytes);
}
