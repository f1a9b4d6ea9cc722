/**
 * What an item of an array looks like, from its bytes in one pass: a hash of its keys and kinds of
 * values (to three levels), its numbers and short words by column, and whether a field of it speaks
 * of an error. The bytes are known to be valid JSON. One description serves for many items, one
 * after the other: a long array has more of them than anything else.
 */
import { isFailingWord, keySaysFailure } from './failing.ts';
import { scalarEnd, skipSpace, stringEnd } from './tokens.ts';

/** Told of each number and each short word, by column. */
export interface FieldSink {
  number(column: number, value: number): void;
  word(column: number, hash: number): void;
}

const SEED = 0x811c9dc5;
const DEEPEST = 3;
const LONGEST_WORD = 32;
/** A number of so many bytes is exactly an integer divided by one of these. */
const EXACT_BYTES = 15;
const POWERS = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14];

export class Description {
  shape = SEED;
  error = false;
  /** The key that leads to each level, as a number. */
  readonly #path = [SEED, 0, 0, 0, 0];
  #key = 0;
  #depth = 0;

  /** Reads the item in `bytes[from, to)`. */
  read(bytes: Uint8Array, from: number, to: number, sink: FieldSink): void {
    this.shape = SEED;
    this.error = false;
    this.#key = 0;
    this.#depth = 0;
    // An event may be an array that begins with its name.
    const first = skipSpace(bytes, skipSpace(bytes, from) + 1);
    for (let at = from; at < to; ) {
      const byte = bytes[at] as number;
      if (byte === 0x22) {
        const end = stringEnd(bytes, at);
        if (this.#depth <= DEEPEST) this.#string(bytes, at, end, at === first, sink);
        at = end;
      } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
        const end = scalarEnd(bytes, at);
        if (this.#depth <= DEEPEST) {
          this.shape = mix(this.shape, 2);
          sink.number(this.#key, numberOf(bytes, at, end));
        }
        at = end;
      } else if (byte === 0x74 || byte === 0x66 || byte === 0x6e) {
        if (this.#depth <= DEEPEST) this.#literal(byte, sink);
        at = scalarEnd(bytes, at);
      } else {
        if ((byte | 0x20) === 0x7b) this.#open(byte);
        else if ((byte | 0x20) === 0x7d) this.#depth--;
        at++;
      }
    }
  }

  #open(bracket: number): void {
    if (this.#depth < DEEPEST) this.shape = mix(this.shape, bracket);
    const depth = ++this.#depth;
    if (depth <= DEEPEST + 1) this.#path[depth] = this.#path[depth - 1] ?? SEED;
  }

  #string(bytes: Uint8Array, at: number, end: number, isFirst: boolean, sink: FieldSink): void {
    if (bytes[skipSpace(bytes, end)] === 0x3a) {
      const key = hashBytes(bytes, at, end, this.#path[this.#depth - 1] ?? SEED);
      this.#key = key;
      this.shape = mix(this.shape, key);
      this.#path[this.#depth] = key;
      this.error ||= keySaysFailure(bytes, at, end);
      return;
    }
    this.shape = mix(this.shape, 1);
    if (isFirst && this.#depth === 1) this.error ||= isFailingWord(bytes, at);
    if (end - at <= LONGEST_WORD) sink.word(this.#key, hashBytes(bytes, at, end, SEED));
  }

  #literal(byte: number, sink: FieldSink): void {
    this.shape = mix(this.shape, byte === 0x6e ? 3 : 4);
    if (byte !== 0x6e) sink.word(this.#key, byte);
  }
}

/** The value of a number, near enough to be compared. */
export function numberOf(bytes: Uint8Array, from: number, to: number): number {
  const negative = bytes[from] === 0x2d;
  let value = 0;
  let point = -1;
  for (let at = negative ? from + 1 : from; at < to; at++) {
    const digit = (bytes[at] as number) - 0x30;
    if (digit >= 0 && digit <= 9) value = value * 10 + digit;
    else if (point < 0 && digit === -2 && to - from <= EXACT_BYTES) point = at;
    else return Number(String.fromCharCode(...bytes.subarray(from, Math.min(to, from + 40))));
  }
  if (point >= 0) value /= POWERS[to - point - 1] as number;
  return negative ? -value : value;
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193) >>> 0;
}

/** Keys of the outermost object hash to themselves, deeper ones depend on those above. */
function hashBytes(bytes: Uint8Array, from: number, to: number, seed: number): number {
  let hash = seed;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash >>> 0;
}
