/**
 * A range of a text that is still in memory, with what is needed to measure any place in it
 * quickly: a mark every few hundred bytes, made when the first place is asked for. Places are bytes
 * of the part.
 */
import { type Extent, sum } from '../model/extent.ts';
import { characterStart, measure } from './utf8.ts';

const MARK_BYTES = 256;
const LF = 10;

export class HeldBytes {
  readonly bytes: Uint8Array;
  readonly start: Extent;
  #marks: Extent[] | undefined;

  constructor(bytes: Uint8Array, start: Extent) {
    this.bytes = bytes;
    this.start = start;
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
    this.#marks ??= this.#makeMarks();
    const mark = this.#marks[Math.floor(offset / MARK_BYTES)] ?? this.start;
    return sum(mark, measure(this.bytes, mark.bytes - this.start.bytes, offset));
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
