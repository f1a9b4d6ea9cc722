/**
 * What must be known of a value to decide whether it is shown: where it ends, the chars it takes
 * with the white space that is kept, and whether something in it tells of an error. One pass over
 * its bytes, which are known to be valid JSON; nothing is built. Units: bytes for places.
 */
import { measure } from '../../../text/utf8.ts';
import { isFailingWord, keySaysFailure } from './failing.ts';
import { isSpace, keepsSpace, type Spacing } from './spacing.ts';
import { scalarEnd, skipSpace, stringEnd } from './tokens.ts';

/** Containers nested deeper are not looked into. */
export const DEEPEST = 64;

export interface Skimmed {
  /** Just behind the value. */
  readonly to: number;
  readonly size: number;
  readonly hasError: boolean;
}

/** The value that begins at `from`; `depth`: how many containers are around it. */
export function skim(bytes: Uint8Array, from: number, depth: number, spacing: Spacing): Skimmed {
  const byte = bytes[from];
  if (byte === 0x7b || byte === 0x5b) return skimContainer(bytes, from, depth, spacing);
  const to = byte === 0x22 ? stringEnd(bytes, from) : scalarEnd(bytes, from);
  return { to, size: charsIn(bytes, from, to), hasError: false };
}

/** Which of the open containers are arrays, as far down as it matters. */
const arrays = new Uint8Array(DEEPEST + 2);

function skimContainer(bytes: Uint8Array, from: number, depth: number, spacing: Spacing): Skimmed {
  let level = depth - 1;
  let size = 0;
  let hasError = false;
  let at = from;
  do {
    const byte = bytes[at] as number;
    const start = at;
    if (byte === 0x22) {
      at = stringEnd(bytes, at);
      size += charsIn(bytes, start, at);
      if (!hasError && level < DEEPEST && bytes[skipSpace(bytes, at)] === 0x3a)
        hasError = keySaysFailure(bytes, start, at);
    } else if (isSpace(byte)) {
      at = skipSpace(bytes, at);
      if (keepsSpace(bytes, start, at, spacing)) size += at - start;
    } else {
      at++;
      size++;
      if (byte === 0x5b || byte === 0x7b) {
        level++;
        if (level < DEEPEST) {
          arrays[level] = byte === 0x5b ? 1 : 0;
          // An event in a list may be an array that begins with its name.
          if (byte === 0x5b && level > depth && arrays[level - 1] === 1)
            hasError ||= isFailingWord(bytes, skipSpace(bytes, at));
        }
      } else if (byte === 0x5d || byte === 0x7d) level--;
    }
  } while (level >= depth);
  return { to: at, size, hasError };
}

/** Chars of a range of tokens, with the white space between them that is kept. */
export function sizeOf(bytes: Uint8Array, from: number, to: number, spacing: Spacing): number {
  let size = 0;
  for (let at = from; at < to; ) {
    const start = at;
    if (bytes[at] === 0x22) {
      at = stringEnd(bytes, at);
      size += charsIn(bytes, start, at);
    } else if (isSpace(bytes[at])) {
      while (at < to && isSpace(bytes[at])) at++;
      if (keepsSpace(bytes, start, at, spacing)) size += at - start;
    } else {
      at++;
      size++;
    }
  }
  return size;
}

/** Chars of a string or number. */
function charsIn(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) if ((bytes[at] as number) >= 0x80) return measure(bytes, from, to).chars;
  return to - from;
}
