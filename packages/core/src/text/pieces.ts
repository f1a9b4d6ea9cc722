/**
 * Cuts a stream of bytes into pieces (see model/piece.ts): at most 64 KB each, measured, never
 * ending inside a character or between CR and LF. Bytes are copied, so the caller may reuse its
 * buffer, unless it says that they last. How the stream was chunked on arrival leaves no trace in
 * the totals. Binary parts are cut anywhere and not measured.
 */

import { type Extent, NOTHING, sum } from '../model/extent.ts';
import type { PartKind, PartTotals } from '../model/part.ts';
import { PIECE_BYTES, type Piece } from '../model/piece.ts';
import { Sha256 } from './digest.ts';
import { byte, decode, measure, step } from './utf8.ts';

const FIRST_BUFFER_BYTES = 4_096;
const EMPTY = new Uint8Array(0);
const NO_PIECES: readonly Piece[] = [];
const UNMEASURED = { ...NOTHING, illFormed: 0 };
const CR = 13;
const LF = 10;

export class PieceCutter {
  readonly #kind: PartKind;
  readonly #hash = new Sha256();
  #buffer: Uint8Array = EMPTY;
  #filled = 0;
  #end: Extent = NOTHING;
  #illFormed = 0;
  #lastByte = LF;

  constructor(kind: PartKind) {
    this.#kind = kind;
  }

  /** Returns the pieces they complete. */
  push(bytes: Uint8Array): Iterable<Piece> {
    if (this.#filled + bytes.length >= PIECE_BYTES) return this.#pieces(bytes);
    if (bytes.length === 0) return NO_PIECES;
    this.#makeRoom(bytes.length);
    this.#buffer.set(bytes, this.#filled);
    this.#filled += bytes.length;
    return NO_PIECES;
  }

  /** For bytes that will not change: used without a copy where possible. */
  pushLasting(bytes: Uint8Array): Iterable<Piece> {
    if (this.#filled + bytes.length >= PIECE_BYTES) return this.#lastingPieces(bytes);
    if (this.#filled > 0 || bytes.length === 0) return this.push(bytes);
    this.#buffer = bytes;
    this.#filled = bytes.length;
    return NO_PIECES;
  }

  *#lastingPieces(bytes: Uint8Array): Generator<Piece> {
    // A started piece is completed with a copy.
    const missing = this.#filled === 0 ? 0 : PIECE_BYTES - this.#filled;
    yield* this.#pieces(bytes.subarray(0, missing));
    if (this.#filled > 0) return yield* this.#pieces(bytes.subarray(missing));
    for (let from = missing; from < bytes.length; ) {
      this.#buffer = bytes.subarray(from, from + PIECE_BYTES);
      this.#filled = this.#buffer.length;
      if (this.#filled < PIECE_BYTES) return;
      const end = this.#safeEnd();
      from += end;
      yield this.#measured(this.#buffer.subarray(0, end));
    }
    this.#buffer = EMPTY;
    this.#filled = 0;
  }

  *#pieces(bytes: Uint8Array): Generator<Piece> {
    let taken = 0;
    while (taken < bytes.length) {
      const room = this.#makeRoom(bytes.length - taken);
      this.#buffer.set(bytes.subarray(taken, taken + room), this.#filled);
      this.#filled += room;
      taken += room;
      if (this.#filled === PIECE_BYTES) yield* this.#emit(this.#safeEnd());
    }
  }

  /** Without waiting for a full piece. */
  flush(): Iterable<Piece> {
    return this.#emit(this.#safeEnd());
  }

  finish(): Iterable<Piece> {
    return this.#emit(this.#filled);
  }

  /** What the part came to; call once, after `finish`. */
  totals(notes: readonly string[] = []): PartTotals {
    const open = this.#kind !== 'binary' && this.#lastByte !== LF && this.#lastByte !== CR;
    return {
      bytes: this.#end.bytes,
      chars: this.#end.chars,
      lines: this.#end.breaks + (open ? 1 : 0),
      illFormed: this.#illFormed,
      hash: this.#hash.digest(),
      notes,
    };
  }

  #makeRoom(wanted: number): number {
    const size = Math.min(PIECE_BYTES, Math.max(FIRST_BUFFER_BYTES, this.#filled + wanted));
    if (this.#buffer.length < size) {
      const larger = new Uint8Array(Math.min(PIECE_BYTES, Math.max(size, this.#buffer.length * 2)));
      larger.set(this.#buffer.subarray(0, this.#filled));
      this.#buffer = larger;
    }
    return Math.min(wanted, this.#buffer.length - this.#filled);
  }

  #safeEnd(): number {
    if (this.#kind === 'binary') return this.#filled;
    let end = this.#filled;
    for (let back = 1; back <= 3 && back <= this.#filled; back++) {
      const at = this.#filled - back;
      if (byte(this.#buffer, at) < 0xc0) continue;
      if (step(this.#buffer, at, this.#filled) === 0) end = at;
      break;
    }
    return this.#buffer[end - 1] === CR ? end - 1 : end;
  }

  #emit(end: number): Iterable<Piece> {
    return end === 0 ? NO_PIECES : [this.#measured(this.#take(end))];
  }

  #measured(bytes: Uint8Array): Piece {
    const { length } = bytes;
    const { chars, breaks, illFormed } = this.#kind === 'binary' ? UNMEASURED : measure(bytes);
    const extent = { bytes: length, chars, breaks };
    const piece = { bytes, start: this.#end, extent, illFormed } as Piece;
    this.#hash.updateLasting(bytes);
    this.#end = sum(this.#end, extent);
    this.#illFormed += illFormed;
    this.#lastByte = bytes[length - 1] ?? LF;
    return piece;
  }

  /** Copied to their own buffer, so that a large one is not retained. */
  #take(end: number): Uint8Array {
    const buffer = this.#buffer;
    const rest = this.#filled === end ? EMPTY : buffer.slice(end, this.#filled);
    this.#buffer = rest;
    this.#filled = rest.length;
    return end * 2 < buffer.length ? buffer.slice(0, end) : buffer.subarray(0, end);
  }
}

const MOST_BYTES = 1_000;

/** Whether a piece leaves its text blank, if it was blank up to here. */
export function isBlank({ bytes, start }: Pick<Piece, 'bytes' | 'start'>): boolean {
  return start.bytes + bytes.length <= MOST_BYTES && /^\s*$/.test(decode(bytes));
}

export async function* storedPieces(at: Extent, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let start = at;
  for await (const bytes of pieces) {
    const { illFormed, ...extent } = measure(bytes);
    yield { bytes, start, extent, illFormed } as Piece;
    start = sum(start, extent);
  }
}
