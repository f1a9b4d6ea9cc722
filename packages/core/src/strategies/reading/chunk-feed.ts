/**
 * Cuts a stream of pieces into units, the least that reading shows, and hands them on eight at a
 * time, as chunks. A unit is a line, or in a file a block: up to a blank line, at most six lines. A
 * line over 400 bytes becomes segments of at most 200, cut where a word or a list item ends. The
 * same bytes in other pieces give the same units. Units of measure: bytes, and see `Extent`.
 */
import { type Extent, NOTHING, sum } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import { cutBefore } from '../../text/cut.ts';
import { measure } from '../../text/utf8.ts';
import { isBlank } from './blank.ts';

/** Up to eight units that follow each other. */
export interface Chunk {
  readonly start: Extent;
  readonly end: Extent;
  readonly bytes: Uint8Array;
  /** Whether it begins a line. */
  readonly first: boolean;
  /** Where each unit ends in `bytes`. */
  readonly ends: readonly number[];
}

/** What the least is that is shown together. */
export type UnitShape = 'lines' | 'blocks';

const LF = 10;
const CR = 13;
const WHOLE_BYTES = 400;
const SEGMENT_BYTES = 200;
const BLOCK_LINES = 6;
const CHUNK_UNITS = 8;
const CHUNK_BYTES = 2_048;
const SPACE = 0x20;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;
const LETTER_N = 0x6e;

export class ChunkFeed {
  readonly #shape: UnitShape;
  readonly #sink: (chunk: Chunk) => void;
  /** The bytes of the open chunk and of what follows it. Places below are places in it. */
  #bytes: Uint8Array = new Uint8Array(0);
  #start: Extent = NOTHING;
  #isFirst = true;
  #ends: number[] = [];
  #unitLines = 0;
  /** Where the open line begins, or what is left of it; and up to where it was looked at. */
  #line = 0;
  #isLong = false;
  #seen = 0;

  constructor(shape: UnitShape, sink: (chunk: Chunk) => void) {
    this.#shape = shape;
    this.#sink = sink;
  }

  /** Pieces never end between CR and LF. */
  push({ bytes }: Piece): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    for (let at = this.#seen; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at];
      if (byte !== LF && (byte !== CR || this.#bytes[at + 1] === LF)) continue;
      // What comes before the place may be cut off.
      at = this.#endLine(at + 1) - 1;
    }
    this.#seen = this.#bytes.length;
    while (this.#bytes.length - this.#line > WHOLE_BYTES) this.#endSegment();
  }

  finish(): void {
    if (this.#bytes.length > this.#line) this.#endLine(this.#bytes.length);
    if (this.#unitLines > 0) this.#endUnit(this.#line);
    this.#endChunk();
  }

  /** A line ends at a place; gives where the next one begins. */
  #endLine(offset: number): number {
    let end = offset;
    while (end - this.#line > (this.#isLong ? SEGMENT_BYTES : WHOLE_BYTES)) end -= this.#endSegment();
    const isLast = this.#isLong || this.#shape === 'lines';
    const isEmpty = isBlank(this.#bytes, this.#line, end);
    this.#line = end;
    this.#unitLines++;
    this.#isLong = false;
    if (isLast || isEmpty || this.#unitLines === BLOCK_LINES) end -= this.#endUnit(end);
    return end;
  }

  /** Part of a long line becomes a unit. Gives how far places have moved. */
  #endSegment(): number {
    let moved = this.#unitLines > 0 ? this.#endUnit(this.#line) : 0;
    const end = segmentEnd(this.#bytes, this.#line);
    this.#isLong = true;
    this.#line = end;
    this.#unitLines = 1;
    moved += this.#endUnit(end);
    return moved;
  }

  #endUnit(end: number): number {
    this.#ends.push(end);
    this.#unitLines = 0;
    return this.#ends.length === CHUNK_UNITS || end >= CHUNK_BYTES ? this.#endChunk() : 0;
  }

  #endChunk(): number {
    const length = this.#ends.at(-1);
    if (length === undefined) return 0;
    const end = sum(this.#start, measure(this.#bytes, 0, length));
    const bytes = this.#bytes.slice(0, length);
    this.#sink({ start: this.#start, end, bytes, first: this.#isFirst, ends: this.#ends });
    this.#isFirst = !this.#isLong;
    this.#start = end;
    this.#ends = [];
    this.#bytes = this.#bytes.subarray(length);
    this.#line -= length;
    this.#seen = Math.max(0, this.#seen - length);
    return length;
  }
}

/** Where the first segment of a long line ends: behind the last word or list item that fits. */
function segmentEnd(bytes: Uint8Array, from: number): number {
  for (let end = from + SEGMENT_BYTES; end > from + SEGMENT_BYTES / 2; end--) {
    const last = bytes[end - 1];
    const isEnd = last === SPACE || last === COMMA || last === SEMICOLON;
    const isEscape = last === LETTER_N && bytes[end - 2] === BACKSLASH;
    if ((isEnd || isEscape) && cutBefore(bytes, end) === end) return end;
  }
  const cut = cutBefore(bytes, from + SEGMENT_BYTES);
  return cut > from ? cut : from + SEGMENT_BYTES;
}
