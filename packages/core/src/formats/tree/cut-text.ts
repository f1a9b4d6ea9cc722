/**
 * Where a long text of a tree is cut: its beginning and end are shown, and no escape, surrogate
 * pair, reference or character is split. Places are bytes, units are chars as written.
 */
import { Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';

const HEAD_SHARE = 0.7;
const SHORTEST_TAIL = 12;
/** Without a backslash in this many bytes before it, a place is outside escapes. */
const SAFE_BYTES = 12;
const LONGEST_REFERENCE = 258;
const KNOWN_REFERENCE = /^&(?:#\w+|amp|lt|gt|quot|apos);$/;

interface Cut {
  readonly headEnd: number;
  readonly tailStart: number;
}

/** Bytes of an indivisible unit; 0 if it must not be shown. */
type UnitAt = (table: TreeTable, at: number, to: number) => number;

/** `chars`: shown of the inside. `hides`: entities are not shown. */
export function cutText(table: TreeTable, row: number, chars: number, hides: boolean): Cut {
  const kind = table.kind[row];
  const [opening, closing] = kind === Kind.string ? [1, 1] : kind === Kind.cdata ? [9, 3] : [0, 0];
  const from = (table.start[row] as number) + opening;
  const to = (table.end[row] as number) - closing;
  const isStrict = hides && table.entity[row] === 1;
  const unitAt =
    kind === Kind.string ? jsonUnit : kind === Kind.cdata ? plainUnit : isStrict ? strictUnit : xmlUnit;
  const tailChars = Math.floor(chars * (1 - HEAD_SHARE));
  const hasTail = tailChars >= SHORTEST_TAIL;
  const headEnd = forward(table, from, to, hasTail ? chars - tailChars : chars, unitAt);
  return { headEnd, tailStart: hasTail ? backward(table, headEnd, to, tailChars, unitAt) : to };
}

function forward(table: TreeTable, from: number, to: number, most: number, unitAt: UnitAt): number {
  let used = 0;
  for (let at = from; ; ) {
    const length = at < to && table.byteAt(at) >= 0 ? unitAt(table, at, to) : 0;
    used += charsOf(table.byteAt(at), length);
    if (length === 0 || used > most || at + length > to) return at;
    at += length;
  }
}

function backward(table: TreeTable, headEnd: number, to: number, most: number, unitAt: UnitAt): number {
  // A char has at most three bytes.
  const reach = to - most * 3 - LONGEST_REFERENCE;
  const units: [at: number, chars: number][] = [];
  for (let at = reach <= headEnd ? headEnd : safeFrom(table, reach, to); at < to; ) {
    const length = unitAt(table, at, to);
    if (length === 0) units.length = 0;
    else units.push([at, charsOf(table.byteAt(at), length)]);
    at += length === 0 ? xmlUnit(table, at, to) : length;
  }
  let left = most;
  let start = to;
  for (const [at, chars] of units.reverse()) {
    left -= chars;
    if (left < 0) break;
    start = at;
  }
  return start;
}

/** Outside escapes, references and characters. */
function safeFrom(table: TreeTable, from: number, to: number): number {
  let clear = 0;
  let at = from;
  while (at < to && table.byteAt(at) < 0) at++;
  for (; at < to; at++) {
    const byte = table.byteAt(at);
    if (clear >= SAFE_BYTES && (byte & 0xc0) !== 0x80) return at;
    const opens = byte === 0x5c || byte === 0x26;
    // An escape or reference begins here, unless it is a low surrogate.
    if (opens && clear > 0 && !isSurrogate(table, at, 'low')) return at;
    clear = opens ? 0 : clear + 1;
  }
  return to;
}

/** Chars of a unit that begins with a byte. */
function charsOf(byte: number, length: number): number {
  return byte < 0x80 ? length : length === 4 ? 2 : 1;
}

/** A surrogate pair is one unit. */
function jsonUnit(table: TreeTable, at: number): number {
  const byte = table.byteAt(at);
  if (byte !== 0x5c) return characterBytes(byte);
  if (table.byteAt(at + 1) !== 0x75) return 2;
  return isSurrogate(table, at, 'high') && table.byteAt(at + 6) === 0x5c && table.byteAt(at + 7) === 0x75
    ? 12
    : 6;
}

/** Whether an escape is half of a surrogate pair: `\ud8` to `\udb`, or `\udc` to `\udf`. */
function isSurrogate(table: TreeTable, at: number, half: 'high' | 'low'): boolean {
  const start = table.slice(at, at + 4).toString('latin1');
  return (half === 'high' ? /^\\u[dD][89abAB]/ : /^\\u[dD][c-fC-F]/).test(start);
}

function xmlUnit(table: TreeTable, at: number, to: number): number {
  if (table.byteAt(at) !== 0x26) return plainUnit(table, at);
  for (let end = at + 1; end < Math.min(to, at + LONGEST_REFERENCE); end++)
    if (table.byteAt(end) === 0x3b) return end + 1 - at;
  return 1;
}

function plainUnit(table: TreeTable, at: number): number {
  const byte = table.byteAt(at);
  return byte === 0x0d && table.byteAt(at + 1) === 0x0a ? 2 : characterBytes(byte);
}

/** Without references to declared entities. */
function strictUnit(table: TreeTable, at: number, to: number): number {
  const length = xmlUnit(table, at, to);
  if (table.byteAt(at) !== 0x26) return length;
  return KNOWN_REFERENCE.test(table.slice(at, at + length).toString('latin1')) ? length : 0;
}

function characterBytes(byte: number): number {
  if (byte < 0xc0) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}
