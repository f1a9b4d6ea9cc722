/**
 * A range of a text that is still in memory, with what is needed to measure any place in it
 * quickly: the place that was asked for last, since most are asked for in order, and a mark every
 * few hundred bytes, made when somebody first goes back. In plain ASCII places are counted, and
 * only line ends are looked for. Places are bytes of the part.
 */
import { isAscii } from 'node:buffer';
import { type Extent, sum } from '../model/extent.ts';
import { countBreaks } from './byte-scan.ts';
import { characterStart, measure } from './utf8.ts';

const MARK_BYTES = 256;
const LF = 10;
const CR = 13;

export class HeldBytes {
  readonly bytes: Uint8Array;
  readonly start: Extent;
  /** Whether each byte is a char; whether there are no line ends. Found out when it matters. */
  #isFlat: boolean | undefined;
  #isOneLine: boolean | undefined;
  #marks: Extent[] | undefined;
  #last: Extent;

  /** `extent`: of all the bytes, where it is known. */
  constructor(bytes: Uint8Array, start: Extent, extent?: Extent) {
    this.bytes = bytes;
    this.start = start;
    this.#last = start;
    if (extent === undefined) return;
    this.#isFlat = extent.chars === bytes.length;
    this.#isOneLine = extent.breaks === 0;
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

  /** A range of it, with what is known of it. */
  part(from: number, to: number): HeldBytes {
    const part = new HeldBytes(this.slice(from, to), this.extentAt(from));
    part.#isFlat = this.#isFlat === true ? true : undefined;
    part.#isOneLine = this.#isOneLine === true ? true : undefined;
    return part;
  }

  extentAt(position: number): Extent {
    const { bytes, chars, breaks } = this.start;
    const offset = position - bytes;
    if (this.#isPlain) return { bytes: position, chars: chars + offset, breaks };
    if (position === this.#last.bytes) return this.#last;
    const from = this.#before(position);
    const found = this.#after(from, offset);
    if (!this.#isInside(offset)) this.#last = found;
    return found;
  }

  /** Whether a place is inside of a line end or a character: nothing is measured from there. */
  #isInside(offset: number): boolean {
    const next = this.bytes[offset] ?? 0;
    return next === LF ? this.bytes[offset - 1] === CR : (next & 0xc0) === 0x80;
  }

  /** Whether places are a matter of arithmetic. */
  get #isPlain(): boolean {
    this.#isFlat ??= isAscii(this.bytes);
    if (!this.#isFlat) return false;
    this.#isOneLine ??= !this.bytes.includes(LF) && !this.bytes.includes(CR);
    return this.#isOneLine;
  }

  /** A place, from one before it that is known. */
  #after({ bytes, chars, breaks }: Extent, to: number): Extent {
    const from = bytes - this.start.bytes;
    if (this.#isFlat !== true) return sum({ bytes, chars, breaks }, measure(this.bytes, from, to));
    const length = to - from;
    return {
      bytes: bytes + length,
      chars: chars + length,
      breaks: breaks + countBreaks(this.bytes, from, to),
    };
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
      if (this.bytes[at] === LF && this.bytes[at - 1] === CR && at > from) at--;
      marks.push(this.#after(last, at));
    }
    return marks;
  }
}
