/**
 * The encoding of a part that arrived as bytes: decided once, by its byte order mark or by clear
 * statistics of its first piece (at most 64 KB), and decoded in one place. Bytes that are neither
 * clearly UTF-16 nor clearly Windows-1252 (which holds Latin-1) are UTF-8, or no text at all.
 */
import { isUtf8 } from 'node:buffer';
import { encode } from './utf8.ts';

export type TextEncoding = 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Shorter runs tell nothing without a byte order mark. */
const LEAST_UTF16_BYTES = 8;
/** Minimum share of units with a high byte of 0. */
const LEAST_ZERO_SHARE = 0.2;
/** Maximum share of bytes above ASCII. */
const MOST_HIGH_SHARE = 0.4;
/** 0x80 to 0x9f; five are unassigned. */
const FROM_0X80 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Null: UTF-8, or binary. */
export function encodingOf(bytes: Uint8Array): TextEncoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe && (bytes[2] !== 0 || bytes[3] !== 0)) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes.includes(0)) return utf16Of(bytes);
  return !isUtf8(bytes) && isWindows1252(bytes) ? 'windows-1252' : null;
}

/** Zeros in every other byte, and no control units. */
function utf16Of(bytes: Uint8Array): TextEncoding | null {
  const units = bytes.length >> 1;
  if (bytes.length < LEAST_UTF16_BYTES) return null;
  const zeros = [0, 0];
  for (let at = 0; at < units * 2; at++) if (bytes[at] === 0) zeros[at & 1] = (zeros[at & 1] as number) + 1;
  const [even = 0, odd = 0] = zeros;
  const high = odd > even ? 1 : 0;
  if (Math.max(even, odd) < units * LEAST_ZERO_SHARE || Math.min(even, odd) > 0) return null;
  for (let at = high; at < units * 2; at += 2)
    if (bytes[at] === 0 && isControl(bytes[at ^ 1] as number)) return null;
  return high === 1 ? 'utf-16le' : 'utf-16be';
}

/**
 * Single letters above ASCII in mostly ASCII text; UTF-8 sequences and unassigned bytes speak
 * against it.
 */
function isWindows1252(bytes: Uint8Array): boolean {
  let high = 0;
  let runs = 0;
  let long = 0;
  let asUtf8 = 0;
  for (let at = 0; at < bytes.length; at++) {
    const value = bytes[at] as number;
    if (value < 0x80) {
      if (isControl(value)) return false;
      continue;
    }
    const before = bytes[at - 1] ?? 0;
    if (value === 0xff || (value < 0xa0 && FROM_0X80.charCodeAt(value - 0x80) === value)) return false;
    if (before >= 0xc2 && before <= 0xf4 && value < 0xc0) asUtf8++;
    if (before < 0x80) runs++;
    else if ((bytes[at - 2] ?? 0) >= 0x80 && (bytes[at - 3] ?? 0) < 0x80) long++;
    high++;
  }
  return high <= bytes.length * MOST_HIGH_SHARE && long * 5 <= runs && asUtf8 * 10 <= runs;
}

/** Other than tab, line ends, form feed, bell, backspace and escape. */
function isControl(value: number): boolean {
  return value === 0x7f || (value < 0x20 && (value < 7 || value === 11 || (value > 13 && value !== 27)));
}

/** A byte order mark is dropped. */
export class PartDecoder {
  readonly #utf16: InstanceType<typeof TextDecoder> | null;

  constructor(encoding: TextEncoding) {
    this.#utf16 = encoding === 'windows-1252' ? null : new TextDecoder(encoding);
  }

  push(bytes: Uint8Array): Uint8Array {
    return encode(this.#utf16?.decode(bytes, { stream: true }) ?? fromWindows1252(Buffer.from(bytes)));
  }

  finish(): Uint8Array {
    return encode(this.#utf16?.decode() ?? '');
  }
}

function fromWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => FROM_0X80[char.charCodeAt(0) - 0x80] ?? char);
}
