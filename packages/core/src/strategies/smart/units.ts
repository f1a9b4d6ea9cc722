/**
 * Turns pieces into units, the things salience looks at: lines, and long lines in segments. Each knows its place, which stems of the lexicon it
 * holds, and how many of its first bytes are a time stamp. A line that a carriage return overwrote belongs, hidden, to the one that stands in
 * its place. Any chunking gives the same units. Units of measure: bytes for places.
 */
import { type Extent, NOTHING, sum } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import { stampBytes } from '../../text/clean.ts';
import { measure } from '../../text/utf8.ts';
import { STATE_BITS, type StemTable, stemsIn } from './stems.ts';

export interface Unit {
  readonly index: number;
  /** Where its visible bytes begin and end; what was overwritten lies between `hidden` and `start`. */
  readonly start: Extent;
  readonly end: Extent;
  readonly hidden: Extent | null;
  /** Holds its bytes at `from` … `to`. */
  bytes: Uint8Array;
  from: number;
  to: number;
  /** Bits of the stems it holds. */
  readonly mask: number;
  readonly stamp: number;
  /** Whether it begins a line. */
  readonly first: boolean;
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
/** No stem that begins a line is longer. */
const OPENING_BYTES = 16;

export class UnitFeed {
  readonly #table: StemTable;
  readonly #noCue: number;
  readonly #everywhere: number;
  readonly #sink: (unit: Unit) => void;
  #rest: Uint8Array = new Uint8Array(0);
  /** Where the rest begins, and whether a line does. */
  #at: Extent = NOTHING;
  #first = true;
  #count = 0;
  /** A line that ended with a lone CR waits for what stands in its place. */
  #overwritable: Unit | null = null;
  stamped = 0;
  lines = 0;

  /** `noCue`: the bits that are no cues. */
  constructor({ table, everywhere }: StemFinder, noCue: number, sink: (unit: Unit) => void) {
    this.#table = table;
    this.#everywhere = everywhere;
    this.#noCue = noCue;
    this.#sink = sink;
  }

  push({ bytes, extent, illFormed }: Piece): void {
    const joined = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    // In plain ASCII a byte is a char.
    const ascii =
      extent.bytes === extent.chars &&
      illFormed === 0 &&
      (this.#rest.length === 0 || measure(this.#rest).chars === this.#rest.length);
    const done = this.#scan(joined, ascii);
    this.#rest = joined.subarray(done);
  }

  finish(): void {
    if (this.#rest.length > 0) {
      const bytes = this.#rest;
      const mask = stemsIn(this.#table, bytes, 0, bytes.length, this.#startState());
      this.#give(bytes, 0, bytes.length, mask, measure(bytes));
      this.#rest = new Uint8Array(0);
    }
    if (this.#overwritable !== null) this.#sink(this.#overwritable);
    this.#overwritable = null;
  }

  /** How many units there are. */
  get count(): number {
    return this.#count;
  }

  /** Gives every unit that is complete, and tells where the rest begins. */
  #scan(bytes: Uint8Array, ascii: boolean): number {
    const { classes, next, telling, found, lineStart } = this.#table;
    let from = 0;
    let mask = 0;
    let state = this.#startState();
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) {
        this.#give(bytes, from, at + 1, mask, extentOf(bytes, from, at + 1, ascii));
        from = at + 1;
        mask = 0;
        state = lineStart;
        continue;
      }
      state = next[state + (classes[byte] as number)] as number;
      if (state >= telling) mask |= found[state >>> STATE_BITS] as number;
      if (at - from < WHOLE_BYTES) continue;
      const end = segmentEnd(bytes, from, from + SEGMENT_BYTES);
      const held = stemsIn(this.#table, bytes, from, end, this.#startState());
      this.#give(bytes, from, end, held, extentOf(bytes, from, end, ascii));
      at = end - 1;
      from = end;
      mask = 0;
      state = 0;
    }
    return from;
  }

  /** Stems that begin a line begin it behind a time stamp too. */
  #atTextStart(bytes: Uint8Array, from: number, to: number, stamp: number): number {
    if (stamp === 0) return 0;
    return stemsIn(this.#table, bytes, from, Math.min(to, from + OPENING_BYTES), this.#table.lineStart);
  }

  #startState(): number {
    return this.#first ? this.#table.lineStart : 0;
  }

  #give(bytes: Uint8Array, from: number, to: number, mask: number, extent: Extent): void {
    const start = this.#at;
    const first = this.#first;
    const end = sum(start, extent);
    this.#at = end;
    this.#first = extent.breaks > 0;
    const stamp = first ? stampBytes(bytes, from, to) : 0;
    if (first && extent.chars > 2) this.lines++;
    if (stamp > 0) this.stamped++;
    const before = this.#overwritable;
    this.#overwritable = null;
    const isHidden = before !== null && this.#stands(before, bytes, from, to);
    if (before !== null && !isHidden) this.#sink(before);
    const hidden = isHidden ? (before.hidden ?? before.start) : null;
    const index = isHidden ? before.index : this.#count++;
    const unit: Unit = {
      index,
      start,
      end,
      hidden,
      bytes,
      from,
      to,
      mask: mask | this.#everywhere | this.#atTextStart(bytes, from + stamp, to, stamp),
      stamp,
      first,
    };
    if (bytes[to - 1] === CR) this.#overwritable = unit;
    else this.#sink(unit);
  }

  /** Whether what follows a carriage return stands where the line before it stood: it looks alike, or that line, which says nothing, was erased. */
  #stands(before: Unit, bytes: Uint8Array, from: number, to: number): boolean {
    if (to - from <= 2) return false;
    if (erases(bytes, from) && (before.mask & ~this.#noCue) === 0) return true;
    const shape = shapeOf(bytes, from, to);
    return shape !== null && shape === shapeOf(before.bytes, before.from, before.to);
  }
}

function extentOf(bytes: Uint8Array, from: number, to: number, ascii: boolean): Extent {
  if (!ascii) return measure(bytes, from, to);
  const last = bytes[to - 1];
  return { bytes: to - from, chars: to - from, breaks: last === LF || last === CR ? 1 : 0 };
}

/** A place at or before `at`, behind a space or separator if there is one near, never inside a character. */
function segmentEnd(bytes: Uint8Array, from: number, at: number): number {
  for (let end = at; end > at - SEGMENT_BYTES / 2; end--) {
    const before = bytes[end - 1];
    if (before === 0x20 || before === 0x2c || before === 0x3b || before === 0x3e) return end;
  }
  let end = at;
  while (end > from + 1 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

/** `ESC [ K`, also with a digit, which clears the line. */
function erases(bytes: Uint8Array, from: number): boolean {
  if (bytes[from] !== 0x1b || bytes[from + 1] !== 0x5b) return false;
  const last = bytes[from + 2] === 0x30 || bytes[from + 2] === 0x32 ? bytes[from + 3] : bytes[from + 2];
  return last === 0x4b;
}

/** Bars, boxes and spinners, as bytes. */
const DRAWN = /\xe2(?:[\x94-\x96]|[\xa0-\xa3])[\x80-\xbf]/g;

/** How a line looks without its numbers, signs and bars: a progress line looks like the next one. Without any letters it must at least count. */
function shapeOf(bytes: Uint8Array, from: number, to: number): string | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(to - from, 200)).toString(
    'latin1',
  );
  const letters = text.replaceAll(DRAWN, '').replaceAll(/[^a-z\x80-\xff]+/gi, '');
  if (letters !== '') return letters.slice(0, 24);
  return /\d/.test(text) ? '' : null;
}
