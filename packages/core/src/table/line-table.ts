/**
 * The lines of one text part as typed columns, one row a line; a long line is several rows. The
 * table holds the cleaned text (formatting left out) in one buffer, and for each row where it lies
 * in the stored part. Rows that were dropped leave a hole: gaps are measured between the rows that
 * are shown, from absolute places, so nothing else has to know. Units: `from`, `to` and `stamp` are
 * bytes of the buffer; `start`, `end` bytes of the stored part; `at`, `after`, `chars` UTF-16 units;
 * `breaks` line ends.
 */
import { type ByteRange, type Extent, NOTHING } from '../model/extent.ts';
import { CONTROL, HIGH, type TableRows } from '../model/table-rows.ts';
import type { Elision } from '../text/cleaner.ts';
import { countWhile } from '../text/count-while.ts';
import { ESC, escapeEnd } from '../text/escapes.ts';
import { decode } from '../text/utf8.ts';
import { tableOf } from './columns.ts';

export {
  AGAIN,
  BLANK,
  CONTINUED,
  CONTROL,
  HIGH,
  OF_RUNNER,
  OPEN,
  WORD,
} from '../model/table-rows.ts';

/** Chars of a row that patterns see. */
const SEEN_CHARS = 600;
const SEEN_BYTES = SEEN_CHARS * 3;

const Columns = tableOf({
  start: Float64Array,
  end: Float64Array,
  at: Float64Array,
  after: Float64Array,
  from: Uint32Array,
  to: Uint32Array,
  breaks: Uint32Array,
  breaksAfter: Uint32Array,
  chars: Uint32Array,
  shape: Uint32Array,
  before: Uint32Array,
  digits: Uint32Array,
  second: Uint32Array,
  stamp: Uint8Array,
  ending: Uint8Array,
  flags: Uint8Array,
  indent: Uint8Array,
  first: Uint8Array,
});

const FIRST_ROWS = 512;
const NO_NUMBERS = new Uint32Array(0);

export type Sums = { -readonly [K in keyof Extent]: number };

/** Including dropped rows. */
class TableTotals {
  readonly stored: Sums = { ...NOTHING };
  readonly clean: Sums = { ...NOTHING };
  rows = 0;
  /** Different shapes; one whose rows were all dropped counts again. */
  kinds = 0;
  formatted = 0;
  isOpen = false;
}

export class LineTable extends Columns implements TableRows {
  rows = 0;
  /** Bytes behind `length` are not in a row yet. */
  bytes: Buffer = Buffer.alloc(0);
  length = 0;
  readonly totals = new TableTotals();
  /** 32-bit words per row. */
  readonly words: number;
  /** Bit `b` of row `r`: a stem of cue `b` occurs in it. */
  stems: Uint32Array = NO_NUMBERS;
  /** From 1; 0 is the shape of blank rows. */
  shapes = 1;
  shapeCounts: Uint32Array = NO_NUMBERS;
  readonly #expected: number;
  #isBorrowed = false;
  #hashes: Uint32Array = NO_NUMBERS;
  #slots: Uint32Array = NO_NUMBERS;
  /** Of all rows. */
  elisions = 0;
  readonly #elisions = new Map<number, Elision[]>();

  /** `words`: 32-bit words of stems per row. `bytes`: the expected size. */
  constructor(words: number, bytes = 0) {
    super();
    this.words = words;
    this.#expected = bytes;
    this.resize(0);
  }

  /** The caller fills its columns. */
  add(): number {
    if (this.rows === this.capacity) {
      if (this.capacity === 0) this.#makeShapes();
      this.resize(Math.max(FIRST_ROWS, this.#expected >> 5, this.capacity * 2));
      this.stems = enlarged(this.stems, this.capacity * this.words);
    }
    return this.rows++;
  }

  /** With the first row: a document may have none. */
  #makeShapes(): void {
    let slots = FIRST_ROWS * 2;
    while (slots < this.#expected >> 5) slots *= 2;
    this.#slots = new Uint32Array(slots);
    this.#hashes = new Uint32Array(slots);
    this.shapeCounts = new Uint32Array(slots);
  }

  /** The first bytes are not copied while nothing is added or moved. */
  append(bytes: Uint8Array): void {
    const needed = this.length + bytes.length;
    if (this.length === 0) {
      this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.length = needed;
      this.#isBorrowed = true;
      return;
    }
    this.#own(needed);
    this.bytes.set(bytes, this.length);
    this.length = needed;
  }

  #own(needed: number): void {
    if (!this.#isBorrowed && needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#expected, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
    this.#isBorrowed = false;
  }

  shapeOf(hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const known = this.#slots[slot] as number;
      if (known === 0) return this.#newShape(hash, slot);
      if (this.#hashes[known] === hash) return known;
    }
  }

  /** Stable when shapes are renumbered. */
  shapeHash(row: number): number {
    return this.#hashes[this.shape[row] as number] as number;
  }

  elide(row: number, elision: Elision): void {
    const known = this.#elisions.get(row);
    this.elisions++;
    if (known === undefined) this.#elisions.set(row, [elision]);
    else known.push(elision);
  }

  elisionsOf(row: number): readonly Elision[] {
    return this.#elisions.get(row) ?? NONE;
  }

  get isFormatted(): boolean {
    return this.totals.formatted > 0;
  }

  get isPruned(): boolean {
    return this.rows < this.totals.rows;
  }

  /** False if rows between them were dropped. */
  isNext(row: number): boolean {
    return this.end[row] === this.start[row + 1];
  }

  /** The first and the last row of each run of rows that follow each other. */
  runsOf(rows: ArrayLike<number>): [first: number, last: number][] {
    const runs: [number, number][] = [];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      const last = runs.at(-1);
      if (last !== undefined && last[1] === row - 1 && this.isNext(row - 1)) last[1] = row;
      else runs.push([row, row]);
    }
    return runs;
  }

  startOf(row: number): Extent {
    if (row >= this.rows) return this.totals.stored;
    return {
      bytes: this.start[row] as number,
      chars: this.at[row] as number,
      breaks: this.breaks[row] as number,
    };
  }

  endOf(row: number): Extent {
    if (row < 0) return NOTHING;
    return {
      bytes: this.end[row] as number,
      chars: this.after[row] as number,
      breaks: this.breaksAfter[row] as number,
    };
  }

  lineOf(row: number): number {
    return (this.breaks[row] as number) + 1;
  }

  /** Without stamp, control sequences and trailing white space. */
  textOf(row: number): string {
    const from = (this.from[row] as number) + (this.stamp[row] as number);
    const to = Math.min((this.to[row] as number) - (this.ending[row] as number), from + SEEN_BYTES);
    const flags = this.flags[row] as number;
    if ((flags & (HIGH | CONTROL)) === 0) {
      let end = Math.min(to, from + SEEN_CHARS);
      while (end > from && (this.bytes[end - 1] as number) <= 0x20) end--;
      return this.bytes.toString('latin1', from, end);
    }
    const bytes = this.bytes.subarray(from, to);
    return (flags & CONTROL ? withoutEscapes(bytes) : decode(bytes)).slice(0, SEEN_CHARS).trimEnd();
  }

  keepOnly(isKept: Uint8Array): void {
    this.#own(this.length);
    let rows = 0;
    let bytes = 0;
    const moved = new Map<number, Elision[]>();
    for (let row = 0; row < this.rows; row++) {
      if (isKept[row] === 0) continue;
      const from = this.from[row] as number;
      const to = this.to[row] as number;
      this.bytes.copyWithin(bytes, from, to);
      this.moveRow(row, rows);
      for (let word = 0; word < this.words; word++)
        this.stems[rows * this.words + word] = this.stems[row * this.words + word] as number;
      this.from[rows] = bytes;
      bytes += to - from;
      this.to[rows] = bytes;
      const elisions = this.#elisions.get(row);
      if (elisions !== undefined) moved.set(rows, elisions);
      rows++;
    }
    this.rows = rows;
    this.#elisions.clear();
    this.elisions = 0;
    for (const [row, elisions] of moved) {
      this.#elisions.set(row, elisions);
      this.elisions += elisions.length;
    }
    this.#renumberShapes();
  }

  moveRest(from: number): number {
    this.#own(this.length);
    const end = this.rows === 0 ? 0 : (this.to[this.rows - 1] as number);
    this.bytes.copyWithin(end, from, this.length);
    this.length = end + this.length - from;
    return end;
  }

  /** By offset in the buffer. */
  rowAt(offset: number): number {
    const { from } = this;
    return Math.max(0, countWhile(this.rows, (row) => (from[row] as number) <= offset) - 1);
  }

  /** By offset in the stored part. */
  rowAtStored(offset: number): number {
    const { start } = this;
    return Math.max(0, countWhile(this.rows, (row) => (start[row] as number) <= offset) - 1);
  }

  range(first: number, last: number): ByteRange {
    return { start: this.from[first] as number, end: this.to[last] as number };
  }

  #newShape(hash: number, slot: number): number {
    const number = this.shapes++;
    this.#slots[slot] = number;
    if (number >= this.#hashes.length) {
      this.#hashes = enlarged(this.#hashes, number * 2);
      this.shapeCounts = enlarged(this.shapeCounts, number * 2);
    }
    this.#hashes[number] = hash;
    this.shapeCounts[number] = 0;
    if (this.shapes * 2 > this.#slots.length) this.#rehash(this.#slots.length * 2);
    return number;
  }

  #rehash(slots: number): void {
    this.#slots = new Uint32Array(slots);
    const mask = slots - 1;
    for (let number = 1; number < this.shapes; number++) {
      let slot = (this.#hashes[number] as number) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number;
    }
  }

  /** Drops unused shapes, so that their number does not grow with the part. */
  #renumberShapes(): void {
    const numbers = new Uint32Array(this.shapes);
    let count = 1;
    for (let row = 0; row < this.rows; row++) {
      const old = this.shape[row] as number;
      if (old === 0) continue;
      if (numbers[old] === 0) numbers[old] = count++;
      this.shape[row] = numbers[old] as number;
    }
    const hashes = new Uint32Array(Math.max(FIRST_ROWS, count));
    const counts = new Uint32Array(hashes.length);
    for (let old = 1; old < this.shapes; old++) {
      const number = numbers[old] as number;
      if (number === 0) continue;
      hashes[number] = this.#hashes[old] as number;
      counts[number] = this.shapeCounts[old] as number;
    }
    this.#hashes = hashes;
    this.shapeCounts = counts;
    this.shapes = count;
    let slots = FIRST_ROWS * 2;
    while (slots < count * 2) slots *= 2;
    this.#rehash(slots);
  }
}

const NONE: readonly Elision[] = [];

function enlarged(column: Uint32Array, length: number): Uint32Array {
  const larger = new Uint32Array(length);
  larger.set(column);
  return larger;
}

function withoutEscapes(bytes: Uint8Array): string {
  let text = '';
  let at = 0;
  for (let found = bytes.indexOf(ESC); found !== -1; found = bytes.indexOf(ESC, at)) {
    text += decode(bytes.subarray(at, found));
    at = escapeEnd(bytes, found);
  }
  return text + decode(bytes.subarray(at));
}
