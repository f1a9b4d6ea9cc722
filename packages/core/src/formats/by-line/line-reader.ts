/**
 * Gives a stream of pieces line by line (LF, CRLF, CR), as bytes and with exact places, without
 * making strings. The same `Line` object is used for every line: a reader of it takes what it needs
 * at once. Of a line longer than LOOK_BYTES only the beginning can be looked at; whoever must see
 * all of it gets it through `open` and `more`. Units: bytes of the part, UTF-16 chars, numbers from
 * 1.
 */
import type { Piece } from '../../model/piece.ts';
import { measure } from '../../text/utf8.ts';

/**
 * The most of a line that is given for looking at: as much as the largest piece, so that pieces
 * leave no trace.
 */
const LOOK_BYTES = 65_536;
const LF = 10;
const CR = 13;

/** A line of a text, with its range. */
export interface Line {
  /** The content lies in `bytes` from `from` up to `to`; its line end is not included. */
  bytes: Uint8Array;
  from: number;
  to: number;
  /** Where the line begins in the part. */
  start: number;
  startChar: number;
  number: number;
  /** Line end included. */
  size: number;
  chars: number;
  /** Whether `bytes` holds all of the content. */
  whole: boolean;
}

export interface LineSink {
  line(line: Line): void;
  /** A line turned out to be longer than LOOK_BYTES: this is how it begins. */
  open?(bytes: Uint8Array): void;
  /** More of that line. */
  more?(bytes: Uint8Array): void;
}

export class LineReader {
  readonly #sink: LineSink;
  readonly #line: Line = {
    bytes: new Uint8Array(0),
    from: 0,
    to: 0,
    start: 0,
    startChar: 0,
    number: 0,
    size: 0,
    chars: 0,
    whole: true,
  };
  /** The beginning of a line that has not ended, and how long it is so far. */
  #carried: Uint8Array[] = [];
  #carriedBytes = 0;
  #openBytes = 0;
  #openChars = 0;
  #position = 0;
  #char = 0;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  /** Bytes of the line that has not ended. */
  get openBytes(): number {
    return this.#openBytes;
  }

  push({ bytes, extent }: Piece): void {
    // Chars and bytes are as many only if each char is one byte: then places in both units are the
    // same everywhere.
    const flat = extent.chars === extent.bytes;
    const length = bytes.length;
    let from = 0;
    for (let at = 0; at < length; at++) {
      const byte = bytes[at];
      if (byte !== LF && byte !== CR) continue;
      const end = byte === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
      const chars = flat ? end - from : measure(bytes, from, end).chars;
      if (this.#openBytes === 0) this.#give(bytes, from, at, end - from, chars);
      else this.#close(bytes.subarray(from, at), end - from, chars);
      from = end;
      at = end - 1;
    }
    if (from === length) return;
    this.#carry(bytes.subarray(from));
    this.#openBytes += length - from;
    this.#openChars += flat ? length - from : measure(bytes, from, length).chars;
  }

  /** Gives the last line if it has no line end. */
  finish(): void {
    if (this.#openBytes > 0) this.#close(new Uint8Array(0), 0, 0);
  }

  #give(bytes: Uint8Array, from: number, to: number, size: number, chars: number): void {
    const line = this.#line;
    line.bytes = bytes;
    line.from = from;
    line.to = to;
    line.start = this.#position;
    line.startChar = this.#char;
    line.number++;
    line.size = size;
    line.chars = chars;
    this.#sink.line(line);
    this.#position += size;
    this.#char += chars;
  }

  #close(rest: Uint8Array, size: number, chars: number): void {
    this.#carry(rest);
    const content = this.#openBytes + rest.length;
    const bytes = Buffer.concat(this.#carried, Math.min(this.#carriedBytes, LOOK_BYTES));
    const line = this.#line;
    line.whole = content <= LOOK_BYTES;
    const total = { size: this.#openBytes + size, chars: this.#openChars + chars };
    this.#carried = [];
    this.#carriedBytes = 0;
    this.#openBytes = 0;
    this.#openChars = 0;
    this.#give(bytes, 0, bytes.length, total.size, total.chars);
    line.whole = true;
  }

  /** Remembers what may be looked at; passes on what is beyond. */
  #carry(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const before = this.#carriedBytes;
    if (before > LOOK_BYTES) {
      this.#sink.more?.(bytes);
      return;
    }
    this.#carried.push(bytes);
    this.#carriedBytes += bytes.length;
    if (this.#carriedBytes <= LOOK_BYTES) return;
    const all = Buffer.concat(this.#carried);
    this.#carried = [all.subarray(0, LOOK_BYTES)];
    this.#sink.open?.(all.subarray(0, LOOK_BYTES));
    this.#sink.more?.(all.subarray(LOOK_BYTES));
  }
}

/**
 * Content of the first lines of a text, for telling its shape: whole lines, and the last one only
 * if the text ends with it.
 */
export function linesOfSample(sample: Uint8Array, complete: boolean, most: number): string[] {
  const lines = Buffer.from(sample.buffer, sample.byteOffset, sample.byteLength)
    .toString('utf8')
    .split(/\r\n|\r|\n/, most + 1);
  if (lines.length <= most && !complete && lines.length > 1) lines.pop();
  if (lines.at(-1) === '') lines.pop();
  return lines.slice(0, most);
}
