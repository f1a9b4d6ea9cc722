/**
 * Reads a text once for all elements that it tells something of: its word, and its word with the
 * digits masked. One reader serves for many texts, one after the other.
 */
import { LONGEST_WORD } from './tag-reader.ts';
import { nameKey } from './tags.ts';

const SPACE = 0x20;
const ZERO = 0x30;
const LONG_TEXT = 1;

export class TextReader {
  isBlank = true;
  /** All long texts are one word. */
  word = 0;
  /** The word with each run of digits as one `0`; -1 where there is none. */
  masked = -1;

  read(bytes: Uint8Array, start: number, end: number): void {
    let from = start;
    let to = end;
    while (from < to && (bytes[from] as number) <= SPACE) from++;
    while (to > from && (bytes[to - 1] as number) <= SPACE) to--;
    const isLong = to - from > LONGEST_WORD;
    this.isBlank = from === to;
    this.word = isLong ? LONG_TEXT : nameKey(bytes, from, to, 'xml');
    this.masked = isLong ? -1 : maskedKey(bytes, from, to);
  }
}

const masked = new Uint8Array(LONGEST_WORD);

/** The number of a short text with each run of digits as one `0`; -1 where there is none. */
function maskedKey(bytes: Uint8Array, from: number, to: number): number {
  let length = 0;
  let hasDigits = false;
  let inDigits = false;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    const isDigit = byte >= ZERO && byte <= 0x39;
    if (!isDigit || !inDigits) masked[length++] = isDigit ? ZERO : byte;
    hasDigits ||= isDigit;
    inDigits = isDigit;
  }
  return hasDigits ? nameKey(masked, 0, length, 'xml') : -1;
}
