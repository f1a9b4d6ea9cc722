/**
 * The shape of a line: what is left when numbers are masked and only words are kept that occur in
 * many lines. Lines that a program prints over and over have one shape, whatever names and numbers
 * they hold. Zero is told apart from other numbers. Words and shapes are counted in tables of fixed
 * size: memory does not grow, and any chunking gives the same counts.
 */
import { KeyCounts } from '../../text/key-counts.ts';
import type { Unit } from './units.ts';

/** Bytes of a line that are looked at. */
const SEEN_BYTES = 320;
/** Words and shapes are counted by 16 bits of a hash. */
const LARGEST_KEY = 0xffff;
/** A word is common from so many lines on, and from this share of the lines on. */
const COMMON_LINES = 4;
const COMMON_SHARE = 50;

const SPACE = 0;
const DIGIT = 1;
const LETTER = 2;
/** Joins letters and digits to a name: `src/a-1.ts`. */
const JOINT = 3;
/** Stands for itself. */
const MARK = 4;

export class Shapes {
  readonly #words = new KeyCounts();
  readonly #shapes = new KeyCounts();
  /** How many lines were counted. */
  lines = 0;

  /**
   * Counts a line; returns how many lines before it had its shape, and -1 for a line without any
   * word.
   */
  count(unit: Unit): number {
    const shape = this.#shapeOf(unit, 1);
    if (shape < 0) return -1;
    this.lines++;
    return this.#shapes.add(shape, 1) - 1;
  }

  /** How many lines have the shape that a line has by now. */
  countOf(unit: Unit): number {
    const shape = this.#shapeOf(unit, 0);
    return shape < 0 ? Number.POSITIVE_INFINITY : this.#shapes.add(shape, 0);
  }

  /** `add`: what is added to the counts of its words. */
  #shapeOf({ bytes, from, to, stamp }: Unit, add: 0 | 1): number {
    const table = classes();
    const end = Math.min(to, from + stamp + SEEN_BYTES);
    const common = Math.max(COMMON_LINES, this.lines / COMMON_SHARE);
    let hash = 17;
    let hasWord = false;
    let last = 0;
    for (let at = from + stamp; at < end; ) {
      const cls = table[bytes[at] as number] as number;
      if (cls === SPACE) {
        at++;
        continue;
      }
      let sign: number;
      if (cls === MARK) {
        sign = bytes[at++] as number;
      } else {
        let token = 0;
        let letters = 0;
        let digits = 0;
        let nonZero = 0;
        for (; at < end; at++) {
          const byte = bytes[at] as number;
          const kind = table[byte] as number;
          if (kind === SPACE || kind === MARK) break;
          if (kind === DIGIT) {
            if (byte !== 0x30) nonZero = 1;
            if (digits++ === 0) token = (Math.imul(token, 31) + 0x30) | 0;
            continue;
          }
          digits = kind === JOINT ? digits : 0;
          if (kind === LETTER) letters = 1;
          token = (Math.imul(token, 31) + byte) | 0;
        }
        if (letters === 0) sign = digits === 0 ? 1 : nonZero === 1 ? 2 : 3;
        else {
          hasWord = true;
          const word = (token ^ (token >>> 15)) & LARGEST_KEY;
          sign = this.#words.add(word, add) >= common ? token : 4;
        }
      }
      // What repeats, and names that follow each other, are one.
      if (sign === last && (sign === 4 || sign > 31)) continue;
      last = sign;
      hash = (Math.imul(hash, 33) + sign) | 0;
    }
    return hasWord ? (hash ^ (hash >>> 15)) & LARGEST_KEY : -1;
  }
}

let kinds: Uint8Array | undefined;

function classes(): Uint8Array {
  kinds ??= Uint8Array.from({ length: 256 }, (_, byte) => {
    if (byte <= 0x20) return SPACE;
    const char = String.fromCharCode(byte);
    if (/\d/.test(char)) return DIGIT;
    if (byte >= 0x80 || /[A-Za-z]/.test(char)) return LETTER;
    return /[-._/\\@+~%$#&*^']/.test(char) ? JOINT : MARK;
  });
  return kinds;
}
