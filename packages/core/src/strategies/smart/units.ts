/**
 * Turns pieces into units, the things salience looks at: lines, and long lines in segments. Each
 * knows its place, which stems of the lexicon it holds, and how many of its first bytes are a time
 * stamp. Any chunking gives the same units. Units of measure: bytes for places.
 */
import { isAscii } from 'node:buffer';
import { type Extent, NOTHING, sum } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import { stampBytes } from '../../text/stamps.ts';
import { measure } from '../../text/utf8.ts';
import type { Features } from './features.ts';
import { LineScan, stemsIn } from './line-scan.ts';
import type { StemTable } from './stems.ts';

export interface Unit {
  readonly index: number;
  readonly start: Extent;
  readonly end: Extent;
  /** Holds its bytes at `from` … `to`. */
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  /** Bits of the stems it holds. */
  readonly mask: number;
  readonly stamp: number;
  /** Whether it begins a line. */
  readonly first: boolean;
  /** Whether it is plain ASCII. */
  readonly ascii: boolean;
  /** What it is like by itself, and whether it surely speaks of a failure: once somebody asked. */
  looks: Features | null;
  sure: boolean | null;
}

/** The same unit with its bytes elsewhere. One literal order: units are made by the million. */
export function movedTo(unit: Unit, bytes: Buffer, from: number, to: number): Unit {
  const { index, start, end, mask, stamp, first, ascii, looks, sure } = unit;
  return { index, start, end, bytes, from, to, mask, stamp, first, ascii, looks, sure };
}

/** Units that do not hold on to the pieces they came in: they get memory of their own, together. */
export function copiesOf(units: readonly Unit[]): Unit[] {
  const bytes = Buffer.allocUnsafeSlow(units.reduce((sum, { from, to }) => sum + to - from, 0));
  let at = 0;
  return units.map((unit) => {
    const start = at;
    at += unit.bytes.copy(bytes, at, unit.from, unit.to);
    return movedTo(unit, bytes, start, at);
  });
}

/** Finds stems by a table; some bits are set in every line. */
interface StemFinder {
  readonly table: StemTable;
  readonly everywhere: number;
}

const LF = 10;
const CR = 13;
/** Longer lines are looked at in segments. */
const WHOLE_BYTES = 450;
const SEGMENT_BYTES = 300;
/** Before every place. */
const UNKNOWN = -1;
/** No stem that begins a line is longer. */
const OPENING_BYTES = 16;

export class UnitFeed {
  readonly #table: StemTable;
  readonly #scan: LineScan;
  readonly #everywhere: number;
  readonly #sink: (unit: Unit) => void;
  #rest: Buffer = Buffer.alloc(0);
  /** Where the rest begins, and whether a line does. */
  #at: Extent = NOTHING;
  #first = true;
  /** Where the next byte stands that is not ASCII. */
  #beyond = UNKNOWN;
  #count = 0;

  constructor({ table, everywhere }: StemFinder, sink: (unit: Unit) => void) {
    this.#table = table;
    this.#scan = new LineScan(table);
    this.#everywhere = everywhere;
    this.#sink = sink;
  }

  push({ bytes, extent, illFormed }: Piece): void {
    const joined = this.#rest.length === 0 ? asBuffer(bytes) : Buffer.concat([this.#rest, bytes]);
    const ascii = extent.bytes === extent.chars && illFormed === 0 && isAscii(this.#rest);
    this.#beyond = ascii ? joined.length : UNKNOWN;
    const done = this.#giveAll(joined);
    this.#rest = joined.subarray(done);
  }

  finish(): void {
    if (this.#rest.length > 0) {
      const bytes = this.#rest;
      const mask = stemsIn(this.#table, bytes, 0, bytes.length, this.#startState());
      this.#beyond = UNKNOWN;
      this.#give(bytes, 0, bytes.length, mask);
      this.#rest = Buffer.alloc(0);
    }
  }

  /** How many units there are. */
  get count(): number {
    return this.#count;
  }

  /** Gives every unit that is complete, and tells where the rest begins. */
  #giveAll(bytes: Buffer): number {
    const { ends, stems } = this.#scan;
    let from = 0;
    for (let found = -1; found !== 0; ) {
      found = this.#scan.find(bytes, from, this.#startState());
      for (let i = 0; i < found; i++) {
        const end = ends[i] as number;
        from = this.#giveLine(bytes, from, end, stems[i] as number);
      }
    }
    while (bytes.length - from > WHOLE_BYTES) from = this.#giveSegment(bytes, from);
    return from;
  }

  #giveLine(bytes: Buffer, from: number, end: number, stems: number): number {
    let at = from;
    while (end - at > WHOLE_BYTES + 1) at = this.#giveSegment(bytes, at);
    this.#give(bytes, at, end, at === from ? stems : stemsIn(this.#table, bytes, at, end, 0));
    return end;
  }

  #giveSegment(bytes: Buffer, from: number): number {
    const end = segmentEnd(bytes, from, from + SEGMENT_BYTES);
    this.#give(bytes, from, end, stemsIn(this.#table, bytes, from, end, this.#startState()));
    return end;
  }

  /** Stems that begin a line begin it behind a time stamp and colours too. */
  #atTextStart(bytes: Uint8Array, from: number, to: number, stamp: number): number {
    const start = afterEscapes(bytes, from + stamp, to);
    if (start === from) return 0;
    const { classes, rows, lineStart } = this.#table;
    const cls = classes[bytes[start] as number] as number;
    if (rows[(lineStart << 2) + cls] === rows[cls]) return 0;
    return stemsIn(this.#table, bytes, start, Math.min(to, start + OPENING_BYTES), lineStart);
  }

  #startState(): number {
    return this.#first ? this.#table.lineStart : 0;
  }

  #give(bytes: Buffer, from: number, to: number, mask: number): void {
    const start = this.#at;
    const first = this.#first;
    if (this.#beyond < from) this.#beyond = beyondAscii(bytes, from);
    const measured = this.#beyond >= to ? null : measure(bytes, from, to);
    const end = measured === null ? asciiEnd(start, bytes, from, to) : sum(start, measured);
    this.#at = end;
    this.#first = end.breaks > start.breaks;
    const stamp = first ? stampBytes(bytes, from, to) : 0;
    this.#sink({
      index: this.#count++,
      start,
      end,
      bytes,
      from,
      to,
      mask: mask | this.#everywhere | (first ? this.#atTextStart(bytes, from, to, stamp) : 0),
      stamp,
      first,
      ascii: measured === null,
      looks: null,
      sure: null,
    });
  }
}

/** The same bytes: all that is scanned is of one type, which is faster. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Where the next byte stands that is not ASCII. */
function beyondAscii(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] as number) < 0x80) at++;
  return at;
}

/** In plain ASCII a byte is a char. */
function asciiEnd(start: Extent, bytes: Uint8Array, from: number, to: number): Extent {
  const last = bytes[to - 1];
  return {
    bytes: start.bytes + to - from,
    chars: start.chars + to - from,
    breaks: start.breaks + (last === LF || last === CR ? 1 : 0),
  };
}

/** Where the text begins behind `ESC [ …` sequences. */
function afterEscapes(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at + 2 < to && bytes[at] === 0x1b && bytes[at + 1] === 0x5b) {
    let end = at + 2;
    while (end < to && (bytes[end] as number) >= 0x20 && (bytes[end] as number) < 0x40) end++;
    if (end >= to) return at;
    at = end + 1;
  }
  return at;
}

/**
 * A place at or before `at`, behind a space or separator if there is one near, never inside a
 * character.
 */
function segmentEnd(bytes: Uint8Array, from: number, at: number): number {
  for (let end = at; end > at - SEGMENT_BYTES / 2; end--) {
    const before = bytes[end - 1];
    if (before === 0x20 || before === 0x2c || before === 0x3b || before === 0x3e) return end;
  }
  let end = at;
  while (end > from + 1 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}
