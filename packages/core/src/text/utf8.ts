/**
 * UTF-8 as stored bytes, and the text they stand for. Stored bytes may be ill-formed: each
 * ill-formed sequence (the maximal subpart, as decoders of the web do it) counts as one char and is
 * shown as U+FFFD; so is a lone surrogate that a JavaScript string brought along (stored in three
 * bytes, WTF-8). One function, `step`, knows the grammar; everything else walks with it. Units:
 * positions are bytes, `chars` are UTF-16 units of the decoded text, `breaks` are line ends (LF,
 * CRLF, CR).
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Extent } from '../model/extent.ts';
import { countBreaks, countUnits } from './byte-scan.ts';

const LF = 10;
const CR = 13;
const SHORT_BYTES = 160;

/**
 * The sequence that starts at `at`: its length if well-formed, minus its length if ill-formed, or 0
 * if `end` comes before it can be told.
 */
export function step(bytes: Uint8Array, at: number, end: number): number {
  const lead = byte(bytes, at);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return -1;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (at + 1 >= end) return 0;
  const second = byte(bytes, at + 1);
  if (!isSecond(lead, second)) return -1;
  const surrogate = lead === 0xed && second >= 0xa0;
  for (let i = 2; i < length; i++) {
    if (at + i >= end) return 0;
    if ((byte(bytes, at + i) & 0xc0) !== 0x80) return surrogate ? -1 : -i;
  }
  return surrogate ? -3 : length;
}

function isSecond(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0 && second <= 0xbf;
  if (lead === 0xf0) return second >= 0x90 && second <= 0xbf;
  if (lead === 0xf4) return second >= 0x80 && second <= 0x8f;
  return (second & 0xc0) === 0x80;
}

/** What `step` gives when nothing follows any more: a sequence cut off by the end is ill-formed. */
function lastStep(bytes: Uint8Array, at: number, end: number): number {
  const length = step(bytes, at, end);
  if (length !== 0) return length;
  return byte(bytes, at) === 0xed && byte(bytes, at + 1) >= 0xa0 ? -1 : at - end;
}

/** Where the character begins that the byte at `at` belongs to. */
export function characterStart(bytes: Uint8Array, at: number): number {
  for (let start = at; start >= 0 && at - start <= 3 && at < bytes.length; start--) {
    if ((byte(bytes, start) & 0xc0) === 0x80) continue;
    return start + Math.abs(lastStep(bytes, start, bytes.length)) > at ? start : at;
  }
  return at;
}

export interface Measured extends Extent {
  readonly illFormed: number;
}

/** Measures a run of bytes that begins at a character and is not continued. */
export function measure(bytes: Uint8Array, start = 0, end = bytes.length): Measured {
  if (end - start <= SHORT_BYTES) {
    const breaks = plainBreaks(bytes, start, end);
    if (breaks >= 0) return { bytes: end - start, chars: end - start, breaks, illFormed: 0 };
  }
  const run = bytes.subarray(start, end);
  if (isAscii(run)) {
    return { bytes: end - start, chars: end - start, breaks: countBreaks(bytes, start, end), illFormed: 0 };
  }
  if (isUtf8(run)) {
    return {
      bytes: end - start,
      chars: countUnits(bytes, start, end),
      breaks: countBreaks(bytes, start, end),
      illFormed: 0,
    };
  }
  let chars = 0;
  let illFormed = 0;
  let at = start;
  while (at < end) {
    if (byte(bytes, at) < 0x80) {
      at++;
      chars++;
      continue;
    }
    const length = lastStep(bytes, at, end);
    if (length < 0) illFormed++;
    chars += length === 4 ? 2 : 1;
    at += Math.abs(length);
  }
  return { bytes: end - start, chars, breaks: countBreaks(bytes, start, end), illFormed };
}

/**
 * The line ends of ASCII, -1 of anything else; of a few bytes, to look is faster than to call what
 * is native.
 */
function plainBreaks(bytes: Uint8Array, start: number, end: number): number {
  let breaks = 0;
  for (let at = start; at < end; at++) {
    const value = bytes[at] as number;
    if (value >= 0x80) return -1;
    if (value === LF || (value === CR && (at + 1 === end || bytes[at + 1] !== LF))) breaks++;
  }
  return breaks;
}

/**
 * How far one gets from `start` within so many chars and line ends: never into a character, nor
 * between CR and LF.
 */
export function advance(
  bytes: Uint8Array,
  start: number,
  chars: number,
  breaks = Number.POSITIVE_INFINITY,
): Extent {
  let at = start;
  let seen = 0;
  let ends = 0;
  while (at < bytes.length && ends < breaks) {
    const value = byte(bytes, at);
    const crlf = value === CR && byte(bytes, at + 1) === LF;
    const length = value < 0x80 ? (crlf ? 2 : 1) : Math.abs(lastStep(bytes, at, bytes.length));
    const width = crlf || (value >= 0xf0 && length === 4) ? 2 : 1;
    if (seen + width > chars) break;
    if (value === LF || value === CR) ends++;
    seen += width;
    at += length;
  }
  return { bytes: at - start, chars: seen, breaks: ends };
}

/**
 * The first place at which at least so many chars have passed: a character belongs to where its
 * first unit lies.
 */
export function offsetOfChar(bytes: Uint8Array, chars: number): number {
  const reached = advance(bytes, 0, chars);
  if (reached.chars === chars) return reached.bytes;
  return reached.bytes + advance(bytes, reached.bytes, 2).bytes;
}

/** The lines of a text: LF, CRLF and CR end one; the last one need not end. */
export function linesIn(text: string): number {
  const ends = text.match(/\r\n|\r|\n/g)?.length ?? 0;
  return text === '' || /[\r\n]$/.test(text) ? ends : ends + 1;
}

/** The text that the bytes stand for; always well-formed. */
export function decode(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return view(bytes).toString('utf8');
  return decodeWith(bytes, () => '\uFFFD');
}

/**
 * The string that `encode` was given, lone surrogates included. Not for bytes that came from
 * elsewhere.
 */
export function decodeExact(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return view(bytes).toString('utf8');
  return decodeWith(bytes, (at, length) => {
    if (length !== 3 || byte(bytes, at) !== 0xed) return '\uFFFD';
    return String.fromCharCode(0xd000 | ((byte(bytes, at + 1) & 0x3f) << 6) | (byte(bytes, at + 2) & 0x3f));
  });
}

function decodeWith(bytes: Uint8Array, illFormed: (at: number, length: number) => string): string {
  let text = '';
  let run = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = lastStep(bytes, at, bytes.length);
    if (length < 0) {
      text += view(bytes.subarray(run, at)).toString('utf8') + illFormed(at, -length);
      run = at - length;
    }
    at += Math.abs(length);
  }
  return text + view(bytes.subarray(run)).toString('utf8');
}

/** A string as bytes, exactly: UTF-8, and WTF-8 for lone surrogates. */
export function encode(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const runs: Uint8Array[] = [];
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    if (!isLoneSurrogate(text, i)) continue;
    const unit = text.charCodeAt(i);
    runs.push(
      Buffer.from(text.slice(run, i), 'utf8'),
      Uint8Array.of(0xed, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)),
    );
    run = i + 1;
  }
  runs.push(Buffer.from(text.slice(run), 'utf8'));
  return Buffer.concat(runs);
}

function isLoneSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if ((unit & 0xf800) !== 0xd800) return false;
  const other = unit < 0xdc00 ? text.charCodeAt(at + 1) : text.charCodeAt(at - 1);
  return (other & 0xfc00) !== (unit < 0xdc00 ? 0xdc00 : 0xd800);
}

function view(bytes: Uint8Array): Buffer {
  if (bytes instanceof Buffer) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** 0 past either end. */
export function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}
