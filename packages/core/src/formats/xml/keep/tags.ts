/**
 * The parts of single tags: their name, their attributes, and whether XML allows them. Names are
 * known by a number, so that remembering one costs the same whatever its length; two names have the
 * same number once in 2^53. A tag is a range of bytes; positions are bytes of whatever it lies in.
 */
import { isNameByte, isNameStart, isSpace, lower } from '../bytes.ts';
import type { Markup } from '../scanner.ts';

export interface Attribute {
  readonly from: number;
  readonly nameEnd: number;
  /** Inside of the quotes; equal if there is no value. */
  readonly valueFrom: number;
  readonly valueTo: number;
  /** Behind the closing quote. */
  readonly to: number;
  /** The quote, 0 if there is none. */
  readonly quote: number;
}

const LONGEST_NAME = 1_000;
export const LONGEST_END_TAG = 4_096;
const SLASH = 0x2f;
const GT = 0x3e;
const EQUALS = 0x3d;

/** The number of a name, the same for upper and lower case in HTML. */
export function nameKey(bytes: Uint8Array, from: number, to: number, markup: Markup): number {
  let high = 0x811c9dc5;
  let low = 0x1b873593;
  const isLoose = markup === 'html';
  for (let at = from; at < to; at++) {
    const byte = isLoose ? lower(bytes[at] as number) : (bytes[at] as number);
    high = Math.imul(high ^ byte, 0x01000193);
    low = Math.imul(low ^ byte, 0x5bd1e995) + byte;
  }
  return (high >>> 0) * 0x200000 + ((low >>> 0) >>> 11);
}

/** Just behind the name that begins there. */
export function nameEnd(bytes: Uint8Array, from: number, end = bytes.length): number {
  let at = from;
  while (at < end && !endsName(bytes[at] as number)) at++;
  return at;
}

/** The attribute at or behind a place, or undefined if the tag ends before one is complete. */
export function attributeAt(bytes: Uint8Array, offset: number, end = bytes.length): Attribute | undefined {
  const from = skipSpace(bytes, offset, end);
  const first = bytes[from];
  if (from >= end || first === GT || (first === SLASH && from + 1 < end && bytes[from + 1] === GT))
    return undefined;
  let at = from + 1;
  while (at < end && !endsName(bytes[at] ?? 0)) at++;
  const nameTo = at;
  at = skipSpace(bytes, at, end);
  if (at >= end) return undefined;
  if (bytes[at] !== EQUALS)
    return { from, nameEnd: nameTo, valueFrom: nameTo, valueTo: nameTo, to: nameTo, quote: 0 };
  at = skipSpace(bytes, at + 1, end);
  const quote = at < end && isQuote(bytes[at] ?? 0) ? (bytes[at] ?? 0) : 0;
  const valueFrom = quote === 0 ? at : at + 1;
  at = valueFrom;
  if (quote !== 0) {
    while (at < end && bytes[at] !== quote) at++;
    return at >= end ? undefined : { from, nameEnd: nameTo, valueFrom, valueTo: at, to: at + 1, quote };
  }
  while (at < end && !isSpace(bytes[at]) && bytes[at] !== GT) at++;
  return at >= end ? undefined : { from, nameEnd: nameTo, valueFrom, valueTo: at, to: at, quote: 0 };
}

/** Whether what stands behind the last attribute ends a start tag. */
export function endsTag(bytes: Uint8Array, at: number, end: number): boolean {
  const rest = skipSpace(bytes, at, end);
  return rest < end && (bytes[rest] === GT || (bytes[rest] === SLASH && rest + 2 === end));
}

/** What is wrong with an end tag of XML, or null. */
export function endFault(bytes: Uint8Array, from: number, to: number, size: number): string | null {
  if (size > LONGEST_END_TAG) return 'an end tag is too long';
  const end = nameEnd(bytes, from + 2, to);
  const rest = skipSpace(bytes, end, to);
  return rest < to && bytes[rest] === GT ? nameFault(bytes, from + 2, end) : 'an end tag is not complete';
}

export function nameFault(tag: Uint8Array, from: number, to: number): string | null {
  if (to - from > LONGEST_NAME) return 'a name is too long';
  if (to === from || !isNameStart(tag[from] ?? 0)) return 'a name is missing';
  for (let at = from; at < to; at++)
    if (!isNameByte(tag[at] ?? 0)) return 'a name has a sign that is not allowed';
  return null;
}

/** What is wrong with the value of an attribute, or null. */
export function valueFault(tag: Uint8Array, from: number, to: number): string | null {
  for (let at = from; at < to; at++) {
    const byte = tag[at] as number;
    if (byte < 0x20 && !isSpace(byte)) return 'a control character stands in a value';
    if (byte === 0x26 && referenceEnd(tag, at, to) < 0) return '"&" does not begin a reference';
  }
  return null;
}

const LONGEST_REFERENCE = 258;

/** Just behind a reference that begins there, or -1 if none does. */
export function referenceEnd(bytes: Uint8Array, at: number, end: number): number {
  const most = Math.min(end, at + LONGEST_REFERENCE);
  for (let offset = at + 1; offset < most; offset++) {
    const byte = bytes[offset] ?? 0;
    if (byte === 0x3b) return offset > at + 1 ? offset + 1 : -1;
    if (!isNameByte(byte) && !(byte === 0x23 && offset === at + 1)) return -1;
  }
  return -1;
}

function endsName(byte: number): boolean {
  // Letters, by far the most, are told by one comparison.
  return byte <= GT && (isSpace(byte) || byte === EQUALS || byte === GT || byte === SLASH);
}

function isQuote(byte: number): boolean {
  return byte === 0x22 || byte === 0x27;
}

function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isSpace(bytes[at])) at++;
  return at;
}
