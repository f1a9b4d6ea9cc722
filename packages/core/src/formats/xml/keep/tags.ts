/**
 * Reads single tags: their name, their attributes, and whether XML allows them. Names are known by
 * a number, so that remembering one costs the same whatever its length; two names have the same
 * number once in 2^53. Positions are bytes of the tag.
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
const LONGEST_END_TAG = 4_096;
const SLASH = 0x2f;
const GT = 0x3e;
const EQUALS = 0x3d;

/** The number of a name, the same for upper and lower case in HTML. */
export function nameKey(bytes: Uint8Array, from: number, to: number, markup: Markup): number {
  let high = 0x811c9dc5;
  let low = 0x1b873593;
  for (let at = from; at < to; at++) {
    const byte = markup === 'html' ? lower(bytes[at] ?? 0) : (bytes[at] ?? 0);
    high = Math.imul(high ^ byte, 0x01000193);
    low = Math.imul(low ^ byte, 0x5bd1e995) + byte;
  }
  return (high >>> 0) * 0x200000 + ((low >>> 0) >>> 11);
}

/** Just behind the name that begins there. */
export function nameEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (isSpace(byte) || byte === GT || byte === SLASH || byte === EQUALS) break;
    at++;
  }
  return at;
}

/** The attribute at or behind a place, or undefined if the tag ends before one is complete. */
export function attributeAt(bytes: Uint8Array, offset: number): Attribute | undefined {
  const from = skipSpace(bytes, offset);
  const first = bytes[from];
  if (first === undefined || first === GT || (first === SLASH && bytes[from + 1] === GT)) return undefined;
  let at = from + 1;
  while (at < bytes.length && !endsName(bytes[at] ?? 0)) at++;
  const end = at;
  at = skipSpace(bytes, at);
  if (at === bytes.length) return undefined;
  if (bytes[at] !== EQUALS) return { from, nameEnd: end, valueFrom: end, valueTo: end, to: end, quote: 0 };
  at = skipSpace(bytes, at + 1);
  const quote = bytes[at] ?? 0;
  if (quote === 0x22 || quote === 0x27) {
    const close = bytes.indexOf(quote, at + 1);
    if (close < 0) return undefined;
    return { from, nameEnd: end, valueFrom: at + 1, valueTo: close, to: close + 1, quote };
  }
  const valueFrom = at;
  while (at < bytes.length && !isSpace(bytes[at]) && bytes[at] !== GT) at++;
  if (at === bytes.length) return undefined;
  return { from, nameEnd: end, valueFrom, valueTo: at, to: at, quote: 0 };
}

/**
 * What is wrong with a start tag of XML, or null. Of a tag that is not all there only the beginning
 * is judged.
 */
export function startFault(tag: Uint8Array, whole: boolean): string | null {
  let at = nameEnd(tag, 1);
  const fault = nameFault(tag, 1, at);
  if (fault !== null) return fault;
  const seen: number[] = [];
  for (;;) {
    const attribute = attributeAt(tag, at);
    if (attribute === undefined) break;
    if (attribute.from === at) return 'a space is missing between attributes';
    const wrong = attributeFault(tag, attribute, seen);
    if (wrong !== null) return wrong;
    at = attribute.to;
  }
  const rest = skipSpace(tag, at);
  if (!whole || tag[rest] === GT || (tag[rest] === SLASH && rest + 2 === tag.length)) return null;
  return 'a tag is not complete';
}

/** What is wrong with an end tag of XML, or null. */
export function endFault(tag: Uint8Array, size: number): string | null {
  if (size > LONGEST_END_TAG) return 'an end tag is too long';
  const end = nameEnd(tag, 2);
  return tag[skipSpace(tag, end)] === GT ? nameFault(tag, 2, end) : 'an end tag is not complete';
}

function nameFault(tag: Uint8Array, from: number, to: number): string | null {
  if (to - from > LONGEST_NAME) return 'a name is too long';
  if (to === from || !isNameStart(tag[from] ?? 0)) return 'a name is missing';
  for (let at = from; at < to; at++)
    if (!isNameByte(tag[at] ?? 0)) return 'a name has a sign that is not allowed';
  return null;
}

/** More attributes are not compared with each other: it would take too long. */
const MOST_COMPARED = 256;

function attributeFault(tag: Uint8Array, attribute: Attribute, seen: number[]): string | null {
  const fault = nameFault(tag, attribute.from, attribute.nameEnd);
  if (fault !== null) return fault;
  if (attribute.quote === 0) return 'a value has no quotes';
  const key = nameKey(tag, attribute.from, attribute.nameEnd, 'xml');
  if (seen.includes(key)) return 'an attribute is there twice';
  if (seen.length < MOST_COMPARED) seen.push(key);
  return valueFault(tag, attribute.valueFrom, attribute.valueTo);
}

function valueFault(tag: Uint8Array, from: number, to: number): string | null {
  for (let at = from; at < to; at++) {
    const byte = tag[at] ?? 0;
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
  return isSpace(byte) || byte === EQUALS || byte === GT || byte === SLASH;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}
