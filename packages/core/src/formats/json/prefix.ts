/**
 * Is this the beginning of a JSON text (RFC 8259)? A state machine over bytes that reads each byte once and keeps a stack of open
 * brackets; no value is built. A prefix is accepted only if some continuation of it is valid JSON. Units: bytes.
 */

/** `no`: nothing that follows can make it JSON. `open`: valid so far. `whole`: one complete value and white space. */
export type JsonState = 'no' | 'open' | 'whole';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LITERALS: Readonly<Record<number, string>> = { 116: 'true', 102: 'false', 110: 'null' };
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Each prefix of a number that a digit or more would complete. */
const NUMBER_OPEN = /^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?)?$/;

/** The JSON value in `bytes[start, end)`. */
export function jsonState(bytes: Uint8Array, start: number, end: number): JsonState {
  const closers: number[] = [];
  let wanted: Wanted = 'value';
  let at = start;
  while (at < end) {
    const byte = bytes[at] ?? 0;
    if (isBlank(byte)) {
      at++;
      continue;
    }
    const next = advance(bytes, at, end, wanted, closers);
    if (next === 'no' || next === 'open') return next;
    at = next.at;
    wanted = next.wanted;
  }
  return wanted === 'end' ? 'whole' : 'open';
}

type Wanted = 'value' | 'value or close' | 'key' | 'key or close' | 'colon' | 'comma or close' | 'end';
type Step = { readonly at: number; readonly wanted: Wanted } | 'no' | 'open';

function advance(bytes: Uint8Array, at: number, end: number, wanted: Wanted, closers: number[]): Step {
  const byte = bytes[at] ?? 0;
  if (wanted === 'end') return 'no';
  if (wanted === 'colon') return byte === 0x3a ? { at: at + 1, wanted: 'value' } : 'no';
  const mayClose = wanted.endsWith('close');
  if (mayClose && byte === closers.at(-1)) {
    closers.pop();
    return { at: at + 1, wanted: afterValue(closers) };
  }
  if (wanted === 'comma or close') {
    if (byte !== 0x2c) return 'no';
    return { at: at + 1, wanted: closers.at(-1) === 0x7d ? 'key' : 'value' };
  }
  if (wanted.startsWith('key')) return byte === QUOTE ? string(bytes, at, end, 'colon') : 'no';
  return value(bytes, at, end, closers);
}

function value(bytes: Uint8Array, at: number, end: number, closers: number[]): Step {
  const byte = bytes[at] ?? 0;
  if (byte === 0x7b || byte === 0x5b) {
    closers.push(byte + 2);
    return { at: at + 1, wanted: byte === 0x7b ? 'key or close' : 'value or close' };
  }
  const after = afterValue(closers);
  if (byte === QUOTE) return string(bytes, at, end, after);
  const literal = LITERALS[byte];
  return literal === undefined ? number(bytes, at, end, after) : word(bytes, at, end, literal, after);
}

function afterValue(closers: readonly number[]): Wanted {
  return closers.length === 0 ? 'end' : 'comma or close';
}

function string(bytes: Uint8Array, start: number, end: number, after: Wanted): Step {
  for (let at = start + 1; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return { at: at + 1, wanted: after };
    if (byte < 0x20) return 'no';
    if (byte !== BACKSLASH) continue;
    const length = escapeLength(bytes, at, end);
    if (length === 0) return 'no';
    at += length - 1;
  }
  return 'open';
}

/** 0 for what is not an escape; one that the end cuts off counts as whole. */
function escapeLength(bytes: Uint8Array, at: number, end: number): number {
  if (at + 1 >= end) return 2;
  const kind = bytes[at + 1] ?? 0;
  if (kind !== 0x75) return '"\\/bfnrt'.includes(String.fromCharCode(kind)) ? 2 : 0;
  for (let i = at + 2; i < Math.min(at + 6, end); i++) {
    if (!/[0-9a-fA-F]/.test(String.fromCharCode(bytes[i] ?? 0))) return 0;
  }
  return 6;
}

function word(bytes: Uint8Array, at: number, end: number, literal: string, after: Wanted): Step {
  for (let i = 0; i < literal.length; i++) {
    if (at + i >= end) return 'open';
    if (bytes[at + i] !== literal.charCodeAt(i)) return 'no';
  }
  return { at: at + literal.length, wanted: after };
}

function number(bytes: Uint8Array, start: number, end: number, after: Wanted): Step {
  let at = start;
  while (at < end && isNumberByte(bytes[at] ?? 0)) at++;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, at - start).toString('latin1');
  if (text === '') return 'no';
  if (at < end || after === 'end') return NUMBER.test(text) ? { at, wanted: after } : 'no';
  return NUMBER_OPEN.test(text) ? 'open' : 'no';
}

function isNumberByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    (byte | 0x20) === 0x65
  );
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
