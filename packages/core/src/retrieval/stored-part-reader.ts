/**
 * One stored part, opened: reads it from any place, finds the line of a byte, and reads runs of
 * bytes. Units: bytes for places, numbers from 1 for lines.
 */
import { type Extent, sum } from '../model/extent.ts';
import type { PartRecord } from '../model/part.ts';
import type { ReadFrom, Reading, WaitOptions } from '../model/store.ts';
import type { StoredText } from '../model/stored-text.ts';
import { measure } from '../text/utf8.ts';

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

  async *from(byte: number): AsyncGenerator<Uint8Array> {
    const reading = await this.read({ bytes: byte });
    let at = reading.at.bytes;
    for await (const piece of reading.pieces) {
      const skip = Math.min(piece.length, Math.max(0, byte - at));
      at += piece.length;
      if (skip < piece.length) yield skip === 0 ? piece : piece.subarray(skip);
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
