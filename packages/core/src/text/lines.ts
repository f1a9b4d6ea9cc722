/**
 * Splits a stream of pieces into lines (LF, CRLF, CR) and gives each as text, without its line end.
 * A line longer than a window is given window by window, each overlapping the one before a little,
 * so memory stays bounded and little is missed at the seams. Units: bytes for places, UTF-16 chars
 * for lengths, numbers from 1 for lines.
 */
import type { Extent } from '../model/extent.ts';
import { cutBefore } from './cut.ts';
import { decode, measure } from './utf8.ts';

const WINDOW_BYTES = 65_536;
const OVERLAP_BYTES = 1_024;
const LF = 10;
const CR = 13;

/** Where a line stands. */
export interface LinePosition {
  /** From 1. */
  readonly number: number;
  /** Its first byte in the part. */
  readonly byte: number;
}

/** Takes the lines of a text as they are found. */
export interface LineSink {
  /** `skipped`: chars of the line before the text. */
  text(text: string, position: LinePosition, skippedChars: number): void;
  /** The line is over; it had so many chars. */
  end(position: LinePosition, chars: number): void;
}

/** Splits a text into lines while it streams by. */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #overlap: number;
  #line: LinePosition;
  #position: number;
  #held: Uint8Array = new Uint8Array(0);
  #passed = 0;
  #started = false;

  /** `from`: the start of a line. `overlap`: bytes that windows of a long line share. */
  constructor(sink: LineSink, from: Extent, overlap = 0) {
    this.#sink = sink;
    this.#overlap = Math.min(WINDOW_BYTES / 2, Math.max(OVERLAP_BYTES, overlap));
    this.#line = { number: from.breaks + 1, byte: from.bytes };
    this.#position = from.bytes;
  }

  /** Pieces never end between CR and LF. */
  push(piece: Uint8Array): void {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      if (byte !== LF && byte !== CR) continue;
      const end = byte === CR && piece[at + 1] === LF ? at + 2 : at + 1;
      this.#take(piece.subarray(from, at));
      this.#end(this.#position + end);
      from = end;
      at = end - 1;
    }
    this.#take(piece.subarray(from));
    this.#position += piece.length;
  }

  /** Ends the last line if it has no line end. */
  finish(): void {
    if (this.#started) this.#end(this.#position);
  }

  #take(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#started = true;
    this.#held = this.#held.length === 0 ? bytes.slice() : Buffer.concat([this.#held, bytes]);
    while (this.#held.length > WINDOW_BYTES) {
      const end = cutBefore(this.#held, WINDOW_BYTES);
      this.#sink.text(decode(this.#held.subarray(0, end)), this.#line, this.#passed);
      const next = cutBefore(this.#held, end - this.#overlap);
      this.#passed += measure(this.#held, 0, next).chars;
      this.#held = this.#held.subarray(next);
    }
  }

  #end(nextByte: number): void {
    const text = decode(this.#held);
    this.#sink.text(text, this.#line, this.#passed);
    this.#sink.end(this.#line, this.#passed + text.length);
    this.#line = { number: this.#line.number + 1, byte: nextByte };
    this.#held = new Uint8Array(0);
    this.#passed = 0;
    this.#started = false;
  }
}
