/**
 * What an item of an array looks like, from its bytes in one pass: a hash of its keys and kinds of
 * values (to three levels), its numbers and short words by column, and whether a field of it speaks
 * of an error. The bytes are known to be valid JSON.
 */
import { isFailingWord, saysFailure } from './failing.ts';
import { scalarEnd, skipSpace, stringEnd } from './tokens.ts';

export interface Described {
  readonly shape: number;
  readonly error: boolean;
}

/** Told of each number and each short word, by column. */
export interface FieldSink {
  number(column: number, value: number): void;
  word(column: number, hash: number): void;
}

const SEED = 0x811c9dc5;
const DEEPEST = 3;
const LONGEST_WORD = 32;

export function describeItem(bytes: Uint8Array, sink: FieldSink): Described {
  let shape = SEED;
  let error = false;
  let depth = 0;
  let key = 0;
  const path = [SEED, 0, 0, 0, 0];
  let at = 0;
  const start = skipSpace(bytes, skipSpace(bytes, 0) + 1);
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x22) {
      const end = stringEnd(bytes, at);
      const isKey = followedByColon(bytes, end);
      if (depth <= DEEPEST && isKey) {
        key = hashBytes(bytes, at, end, path[depth - 1] ?? SEED);
        shape = mix(shape, key);
        path[depth] = key;
        error ||= saysFailure(bytes, at);
      } else if (depth <= DEEPEST && !isKey) {
        shape = mix(shape, 1);
        // An event may be an array that begins with its name.
        if (at === start && depth === 1) error ||= isFailingWord(bytes, at);
        if (end - at <= LONGEST_WORD) sink.word(key, hashBytes(bytes, at, end, SEED));
      }
      at = end;
      continue;
    }
    if (byte === 0x7b || byte === 0x5b) {
      if (depth < DEEPEST) shape = mix(shape, byte);
      depth++;
      if (depth < path.length) path[depth] = path[depth - 1] ?? SEED;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const end = scalarEnd(bytes, at);
      if (depth <= DEEPEST) {
        shape = mix(shape, 2);
        sink.number(key, numberOf(bytes, at, end));
      }
      at = end;
      continue;
    } else if (byte === 0x74 || byte === 0x66 || byte === 0x6e) {
      if (depth <= DEEPEST) {
        shape = mix(shape, byte === 0x6e ? 3 : 4);
        if (byte !== 0x6e) sink.word(key, byte);
      }
      at = scalarEnd(bytes, at);
      continue;
    }
    at++;
  }
  return { shape, error };
}

/** The value of a number, near enough to be compared. */
function numberOf(bytes: Uint8Array, from: number, to: number): number {
  const negative = bytes[from] === 0x2d;
  let value = 0;
  for (let at = negative ? from + 1 : from; at < to; at++) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9)
      return Number(String.fromCharCode(...bytes.subarray(from, Math.min(to, from + 40))));
    value = value * 10 + digit;
  }
  return negative ? -value : value;
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193) >>> 0;
}

/** Keys of the outermost object hash to themselves, deeper ones depend on those above. */
function hashBytes(bytes: Uint8Array, from: number, to: number, seed: number): number {
  let hash = seed;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash >>> 0;
}

function followedByColon(bytes: Uint8Array, from: number): boolean {
  return bytes[skipSpace(bytes, from)] === 0x3a;
}
