/**
 * One stored part, opened: reads it from any place, finds the line of a byte, and reads runs of
 * bytes. Units: bytes for places, numbers from 1 for lines.
 */
import { type Extent, sum } from '../model/extent.ts';
import type { PartRecord } from '../model/part.ts';
import type { ReadFrom, Reading, WaitOptions } from '../model/store.ts';
import type { StoredText } from '../model/stored-text.ts';
import { advance, measure, offsetOfChar } from '../text/utf8.ts';

interface PlacedPiece {
  readonly at: Extent;
  readonly bytes: Uint8Array;
}

export class StoredPartReader implements StoredText {
  readonly part: PartRecord;
  readonly #read: (from: ReadFrom, wait: WaitOptions) => Promise<Reading>;
  /** Cached: nearby positions cost one reading. */
  #last: PlacedPiece | null = null;

  constructor(part: PartRecord, read: (from: ReadFrom, wait: WaitOptions) => Promise<Reading>) {
    this.part = part;
    this.#read = read;
  }

  get byteLength(): number {
    return this.part.bytes;
  }

  read(from: ReadFrom, signal?: AbortSignal): Promise<Reading> {
    return this.#read(from, signal === undefined ? {} : { signal });
  }

  /**
   * The same from exactly that place on. `startIn`: where it lies in a piece that begins at `at`;
   * behind the piece if it comes later.
   */
  async exactly(
    from: ReadFrom,
    signal?: AbortSignal,
    startIn: (piece: Uint8Array, at: Extent) => number = (piece, at) => positionIn(piece, at, from),
  ): Promise<Reading> {
    const { at, pieces } = await this.read(from, signal);
    const rest = pieces[Symbol.asyncIterator]();
    for (let start = at; ; ) {
      const next = await rest.next();
      if (next.done === true) return { at: start, pieces: after(null, rest) };
      const skipped = startIn(next.value, start);
      const isHere = skipped < next.value.length;
      start = sum(start, measure(next.value, 0, Math.min(skipped, next.value.length)));
      if (isHere) return { at: start, pieces: after(next.value.subarray(skipped), rest) };
    }
  }

  async *from(byte: number): AsyncGenerator<Uint8Array> {
    yield* (await this.exactly({ bytes: byte })).pieces;
  }

  /** A run of bytes; shorter at the end of the part. */
  async bytes(start: number, end: number): Promise<Uint8Array> {
    const reader = new RangeReader(this);
    try {
      return await reader.read(start, end);
    } finally {
      await reader.close();
    }
  }

  /** Null behind the last. */
  async pieceAt(byte: number): Promise<PlacedPiece | null> {
    const last = this.#last;
    if (last !== null && byte >= last.at.bytes && byte < last.at.bytes + last.bytes.length) return last;
    const { at, pieces } = await this.read({ bytes: byte });
    let start = at;
    for await (const bytes of pieces) {
      this.#last = { at: start, bytes };
      if (byte < start.bytes + bytes.length) return this.#last;
      start = sum(start, measure(bytes));
    }
    return null;
  }

  /** The line that a byte belongs to. A line end belongs to the line it ends. */
  async lineOf(byte: number): Promise<number> {
    const piece = await this.pieceAt(byte);
    if (piece === null) return this.part.lines;
    const at = byte - piece.at.bytes;
    const isInsideEnd = piece.bytes[at] === 10 && piece.bytes[at - 1] === 13;
    return piece.at.breaks + measure(piece.bytes, 0, isInsideEnd ? at - 1 : at).breaks + 1;
  }
}

/** Where a position lies in a piece that begins at `at`; its length or more if it comes later. */
export function positionIn(piece: Uint8Array, at: Extent, from: ReadFrom): number {
  if ('bytes' in from) return Math.max(0, from.bytes - at.bytes);
  if ('chars' in from) return offsetOfChar(piece, from.chars - at.chars);
  return advance(piece, 0, Number.POSITIVE_INFINITY, Math.max(0, from.breaks - at.breaks)).bytes;
}

async function* after(first: Uint8Array | null, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (first !== null) yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Up to here, reading on is cheaper than opening the part again. */
const READ_ON_BYTES = 262_144;
const NO_BYTES = new Uint8Array(0);

export class RangeReader {
  readonly #part: StoredPartReader;
  #pieces: AsyncGenerator<Uint8Array> | null = null;
  #held: Uint8Array = NO_BYTES;
  #heldAt = 0;

  constructor(part: StoredPartReader) {
    this.#part = part;
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const ahead = start - this.#heldAt - this.#held.length;
    if (this.#pieces === null || start < this.#heldAt || ahead > READ_ON_BYTES) await this.#open(start);
    while (this.#heldAt + this.#held.length < end && (await this.#more(start)));
    return this.#held.subarray(start - this.#heldAt, end - this.#heldAt);
  }

  async close(): Promise<void> {
    await this.#pieces?.return(undefined);
    this.#pieces = null;
  }

  async #open(byte: number): Promise<void> {
    await this.close();
    this.#pieces = this.#part.from(byte);
    this.#held = NO_BYTES;
    this.#heldAt = byte;
  }

  async #more(start: number): Promise<boolean> {
    const next = await this.#pieces?.next();
    if (next === undefined || next.done === true) return false;
    const passed = Math.min(this.#held.length, start - this.#heldAt);
    const rest = this.#held.subarray(passed);
    this.#heldAt += passed;
    this.#held = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
    return true;
  }
}
