/**
 * Turns pieces into the units that salience looks at: lines, and long lines in segments, each with its place, its raw bytes and its cleaned
 * text. Whether time stamps are formatting is decided from the first lines. A line that a carriage return overwrites is no unit. Any
 * chunking gives the same units. Units: bytes for places.
 */
import { type Extent, sum } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import { type CleanRange, escapesIn, timestampLength } from '../../text/clean.ts';
import { decode, measure } from '../../text/utf8.ts';

const LF = 10;
const CR = 13;
const DECIDING_LINES = 64;
const STAMPED_SHARE = 0.6;
const LONG_LINE_CHARS = 450;
const SEGMENT_BYTES = 300;
/** A line longer than that is looked at by its beginning and its end. */
const MOST_LINE_BYTES = 32_768;

export interface Line {
  readonly text: string;
  readonly start: Extent;
  readonly end: Extent;
  readonly bytes: Uint8Array;
  /** What of the bytes is formatting. */
  readonly clean: readonly CleanRange[];
  /** Whether it is the first segment of its line. */
  readonly first: boolean;
}

export class LineFeed {
  readonly #sink: (line: Line | null) => void;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #start: Extent = { bytes: 0, chars: 0, breaks: 0 };
  #waiting: { bytes: Uint8Array; start: Extent }[] | null = [];
  #stamped = false;

  /** `sink` gets each unit in order; null stands for something that is none. */
  constructor(sink: (line: Line | null) => void) {
    this.#sink = sink;
  }

  push({ bytes }: Piece): void {
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte !== LF && (byte !== CR || bytes[at + 1] === LF)) continue;
      this.#hold(bytes.subarray(from, at + 1));
      this.#line();
      from = at + 1;
    }
    this.#hold(bytes.subarray(from));
  }

  finish(): void {
    if (this.#heldBytes > 0) this.#line();
    this.#decide();
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #line(): void {
    const [only] = this.#held;
    const bytes = this.#held.length === 1 && only !== undefined ? only : Buffer.concat(this.#held);
    const start = this.#start;
    this.#held = [];
    this.#heldBytes = 0;
    this.#start = sum(start, measure(bytes));
    if (this.#waiting === null) {
      this.#give(bytes, start);
      return;
    }
    this.#waiting.push({ bytes, start });
    if (this.#waiting.length >= DECIDING_LINES) this.#decide();
  }

  #decide(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    const texts = waiting.map(({ bytes }) => decode(bytes)).filter((text) => text.trim() !== '');
    this.#stamped = texts.filter((text) => timestampLength(text) > 0).length > texts.length * STAMPED_SHARE;
    for (const { bytes, start } of waiting) this.#give(bytes, start);
  }

  #give(bytes: Uint8Array, start: Extent): void {
    // The next line begins where this one did, and hides it.
    if (bytes[bytes.length - 1] === CR) {
      this.#sink(null);
      return;
    }
    if (bytes.length <= LONG_LINE_CHARS) {
      this.#unit(bytes, start, true);
      return;
    }
    let at = 0;
    let from = start;
    while (at < bytes.length) {
      if (
        bytes.length > MOST_LINE_BYTES &&
        at >= MOST_LINE_BYTES / 2 &&
        bytes.length - at > MOST_LINE_BYTES / 2 + SEGMENT_BYTES
      ) {
        const skipTo = segmentEnd(bytes, bytes.length - MOST_LINE_BYTES / 2);
        this.#sink(null);
        from = sum(from, measure(bytes, at, skipTo));
        at = skipTo;
        continue;
      }
      const end = bytes.length - at <= LONG_LINE_CHARS ? bytes.length : segmentEnd(bytes, at + SEGMENT_BYTES);
      this.#unit(bytes.subarray(at, end), from, at === 0);
      from = sum(from, measure(bytes, at, end));
      at = end;
    }
  }

  #unit(bytes: Uint8Array, start: Extent, first: boolean): void {
    const escapes = escapesIn(bytes);
    const text = cleaned(bytes, escapes).trimEnd();
    const stamp = this.#stamped && first ? timestampLength(text) : 0;
    // A stamp with escapes inside stays: its bytes cannot be told from its text.
    const stampRange: CleanRange[] =
      stamp > 0 && (escapes[0]?.from ?? stamp) >= stamp ? [{ from: 0, to: stamp, why: 'timestamp' }] : [];
    this.#sink({
      text: stampRange.length > 0 ? text.slice(stamp) : text,
      start,
      end: sum(start, measure(bytes)),
      bytes,
      clean: [...stampRange, ...escapes],
      first,
    });
  }
}

/** A place near `at`, behind a space or separator if there is one, never inside a character. */
function segmentEnd(bytes: Uint8Array, at: number): number {
  for (let end = at; end > at - SEGMENT_BYTES / 2; end--) {
    const before = bytes[end - 1];
    if (before === 0x20 || before === 0x2c || before === 0x3b || before === 0x3e) return end;
  }
  let end = at;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

function cleaned(bytes: Uint8Array, ranges: readonly CleanRange[]): string {
  if (ranges.length === 0) return decode(bytes);
  let text = '';
  let at = 0;
  for (const { from, to } of ranges) {
    text += decode(bytes.subarray(at, from));
    at = to;
  }
  return text + decode(bytes.subarray(at));
}
