/**
 * What a line says, to tell what is said twice. Found out on the bytes, which is much faster; where
 * these do not tell, on the text that they stand for.
 */
import { isUtf8 } from 'node:buffer';
import { decode, encode } from '../../text/utf8.ts';
import type { Message } from './choice.ts';
import type { Unit } from './units.ts';

/** A shorter line may well be said twice. */
const FAILURE_CHARS = 8;
/** No char takes more. */
const MOST_CHAR_BYTES = 3;
const WORD = /[\p{L}\p{N}]/u;

/** The text behind the time stamp, without white space around it; null if it is short. */
export function messageOf(unit: Unit): Message | null {
  const { bytes, ascii } = unit;
  let from = unit.from + unit.stamp;
  let to = unit.to;
  while (from < to && isBlank(bytes[from] as number)) from++;
  while (from < to && isBlank(bytes[to - 1] as number)) to--;
  if (ascii) return to - from > FAILURE_CHARS ? { bytes, from, to } : null;
  const isLong = to - from > (FAILURE_CHARS + 1) * MOST_CHAR_BYTES;
  const isTrimmed = !mayBeBlank(bytes, from) && !mayBeBlank(bytes, characterStart(bytes, to - 1));
  if (isLong && isTrimmed && isUtf8(bytes.subarray(from, to))) return { bytes, from, to };
  const text = trimmedText(unit);
  if (text.length <= FAILURE_CHARS) return null;
  const encoded = encode(text);
  return { bytes: encoded, from: 0, to: encoded.length };
}

/** Whether there is a letter or a digit behind the time stamp. */
export function hasWord(unit: Unit): boolean {
  for (let at = unit.from + unit.stamp; at < unit.to; at++) {
    const byte = unit.bytes[at] as number;
    const letter = byte | 0x20;
    if ((letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39)) return true;
  }
  return !unit.ascii && WORD.test(trimmedText(unit));
}

function trimmedText({ bytes, from, to, stamp }: Unit): string {
  return decode(bytes.subarray(from + stamp, to)).trim();
}

/** What `trim` takes for white space, of ASCII. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Whether a character may be white space beyond ASCII, by how its bytes begin. */
function mayBeBlank(bytes: Uint8Array, at: number): boolean {
  const lead = bytes[at] as number;
  // The spaces of U+2000 and after, among which few other signs are.
  if (lead === 0xe2) return (bytes[at + 1] as number) <= 0x81;
  return lead === 0xc2 || lead === 0xe1 || lead === 0xe3 || lead === 0xef;
}

function characterStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > 0 && ((bytes[start] as number) & 0xc0) === 0x80) start--;
  return start;
}
