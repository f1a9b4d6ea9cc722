/**
 * Cuts a stream of bytes into pieces (see model/piece.ts): at most 64 KB each, measured, never
 * ending inside a character or between CR and LF. Bytes are used as they are wherever possible, so
 * they must not change afterwards. How the stream was chunked on arrival leaves no trace in the
 * totals. Binary parts are cut anywhere and not measured.
 */

import { type Extent, NOTHING, sum } from '../model/extent.ts';
import type { PartKind, PartTotals } from '../model/part.ts';
import { PIECE_BYTES, type Piece } from '../model/piece.ts';
import { Sha256 } from './digest.ts';
import { byte, decode, measure, step } from './utf8.ts';

/** More chunks than this are joined, so that tiny ones take no more memory than their bytes. */
const MOST_CHUNKS = 64;
const NO_PIECES: readonly Piece[] = [];
const UNMEASURED = { ...NOTHING, illFormed: 0 };
const CR = 13;
const LF = 10;

export class PieceCutter {
  readonly #kind: PartKind;
  readonly #hash = new Sha256();
  /** Less than a piece. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #end: Extent = NOTHING;
  #illFormed = 0;
  #lastByte = LF;

  constructor(kind: PartKind) {
    this.#kind = kind;
  }

  /** Returns the pieces they complete. */
  push(bytes: Uint8Array): Iterable<Piece> {
    this.#hold(bytes);
    return this.#heldBytes < PIECE_BYTES ? NO_PIECES : this.#full();
  }

  /** Without waiting for a full piece. */
  flush(): Iterable<Piece> {
    const bytes = this.#taken();
    const end = this.#safeEnd(bytes);
    this.#hold(new Uint8Array(bytes.subarray(end)));
    return end === 0 ? NO_PIECES : [this.#measured(bytes.subarray(0, end))];
  }

  finish(): Iterable<Piece> {
    return this.#heldBytes === 0 ? NO_PIECES : [this.#measured(this.#taken())];
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

  *#full(): Generator<Piece> {
    const bytes = this.#taken();
    let from = 0;
    while (bytes.length - from >= PIECE_BYTES) {
      const piece = bytes.subarray(from, from + PIECE_BYTES);
      const end = this.#safeEnd(piece);
      from += end;
      yield this.#measured(piece.subarray(0, end));
    }
    // A copy, so that a large chunk is not retained.
    this.#hold(new Uint8Array(bytes.subarray(from)));
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#held.length === MOST_CHUNKS) this.#held = [joined(this.#held, this.#heldBytes)];
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #taken(): Uint8Array {
    const bytes = joined(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    return bytes;
  }

  #safeEnd(bytes: Uint8Array): number {
    const { length } = bytes;
    if (this.#kind === 'binary') return length;
    let end = length;
    for (let back = 1; back <= 3 && back <= length; back++) {
      const at = length - back;
      if (byte(bytes, at) < 0xc0) continue;
      if (step(bytes, at, length) === 0) end = at;
      break;
    }
    return bytes[end - 1] === CR ? end - 1 : end;
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
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const all = new Uint8Array(length);
  let filled = 0;
  for (const chunk of chunks) {
    all.set(chunk, filled);
    filled += chunk.length;
  }
  return all;
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
