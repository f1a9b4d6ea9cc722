/**
 * A range of a text that is still in memory, with what is needed to measure any place in it
 * quickly: the place that was asked for last, since most are asked for in order, and a mark every
 * few hundred bytes, made when somebody first goes back. Places are bytes of the part.
 */
import { type Extent, sum } from '../model/extent.ts';
import { characterStart, measure } from './utf8.ts';

const MARK_BYTES = 256;
const LF = 10;

export class HeldBytes {
  readonly bytes: Uint8Array;
  readonly start: Extent;
  #marks: Extent[] | undefined;
  #last: Extent;

  constructor(bytes: Uint8Array, start: Extent) {
    this.bytes = bytes;
    this.start = start;
    this.#last = start;
  }

  get end(): number {
    return this.start.bytes + this.bytes.length;
  }

  /** The byte at a position of the part. */
  at(position: number): number {
    return this.bytes[position - this.start.bytes] ?? 0;
  }

  slice(from: number, to: number): Uint8Array {
    return this.bytes.subarray(from - this.start.bytes, to - this.start.bytes);
  }

  extentAt(position: number): Extent {
    const offset = position - this.start.bytes;
    const from = this.#before(position);
    const found = sum(from, measure(this.bytes, from.bytes - this.start.bytes, offset));
    // Nothing is measured from inside of a line end or a character.
    const next = this.bytes[offset] ?? 0;
    if (next !== LF && (next & 0xc0) !== 0x80) this.#last = found;
    return found;
  }

  /** A place at or before another one that is known already. */
  #before(position: number): Extent {
    const last = this.#last;
    const isBehind = last.bytes <= position;
    if (isBehind && (this.#marks === undefined || position - last.bytes < MARK_BYTES)) return last;
    this.#marks ??= this.#makeMarks();
    return this.#marks[Math.floor((position - this.start.bytes) / MARK_BYTES)] ?? this.start;
  }

  /** Each at or just before a multiple of MARK_BYTES, at a character and not between CR and LF. */
  #makeMarks(): Extent[] {
    const marks = [this.start];
    for (let next = MARK_BYTES; next < this.bytes.length; next += MARK_BYTES) {
      const last = marks[marks.length - 1] ?? this.start;
      const from = last.bytes - this.start.bytes;
      let at = characterStart(this.bytes, next);
      if (this.bytes[at] === LF && at > from) at--;
      marks.push(sum(last, measure(this.bytes, from, at)));
    }
    return marks;
  }
}
