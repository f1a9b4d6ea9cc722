/**
 * Where a long text is cut inside: its beginning and its end are shown. Cuts split neither an
 * escape, nor a surrogate pair written as two escapes, nor a reference, nor a character. Units:
 * chars as written.
 */
import { Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';

const HEAD_SHARE = 0.7;
/** Below this the end is not worth showing. */
const SHORTEST_TAIL = 12;
/** A place is surely not inside an escape if so many bytes before it hold no backslash. */
const SAFE_BYTES = 12;
const LONGEST_REFERENCE = 258;

export interface Cut {
  readonly headEnd: number;
  readonly tailStart: number;
}

/** `chars`: how many are shown of the inside of a text. `hides`: entities are not shown. */
export function cutText(table: TreeTable, row: number, chars: number, hides: boolean): Cut {
  const kind = table.kind[row];
  const [opening, closing] = kind === Kind.string ? [1, 1] : kind === Kind.cdata ? [9, 3] : [0, 0];
  const from = (table.start[row] as number) + opening;
  const to = (table.end[row] as number) - closing;
  const hidesEntities = hides && table.entity[row] === 1;
  const unitAt =
    kind === Kind.string ? jsonUnit : kind === Kind.cdata ? plainUnit : hidesEntities ? strictUnit : xmlUnit;
  const tailChars = Math.floor(chars * (1 - HEAD_SHARE));
  const hasTail = tailChars >= SHORTEST_TAIL;
  const headEnd = forward(table, from, to, hasTail ? chars - tailChars : chars, unitAt);
  return { headEnd, tailStart: hasTail ? backward(table, headEnd, to, tailChars, unitAt) : to };
}

/** Bytes of what must not be split; 0 for what must not be shown. */
type UnitAt = (table: TreeTable, at: number, to: number) => number;

/** The last safe place within so many chars. */
function forward(table: TreeTable, from: number, to: number, most: number, unitAt: UnitAt): number {
  let at = from;
  let used = 0;
  while (at < to) {
    const byte = table.byteAt(at);
    if (byte < 0) break;
    const length = unitAt(table, at, to);
    used += byte < 0x80 ? length : length === 4 ? 2 : 1;
    if (length === 0 || used > most || at + length > to) break;
    at += length;
  }
  return at;
}

/** The first safe place from which at most so many chars are left. */
function backward(table: TreeTable, headEnd: number, to: number, most: number, unitAt: UnitAt): number {
  // A char has three bytes at the most, so the text is read from there on.
  const reach = to - most * 3 - LONGEST_REFERENCE;
  let at = reach <= headEnd ? headEnd : safeFrom(table, reach, to);
  const positions: number[] = [];
  const widths: number[] = [];
  while (at < to) {
    const length = unitAt(table, at, to);
    if (length === 0) {
      positions.length = 0;
      widths.length = 0;
      at += xmlUnit(table, at, to);
      continue;
    }
    positions.push(at);
    widths.push(table.byteAt(at) < 0x80 ? length : length === 4 ? 2 : 1);
    at += length;
  }
  let left = 0;
  let start = to;
  for (let i = positions.length - 1; i >= 0; i--) {
    left += widths[i] as number;
    if (left > most) break;
    start = positions[i] as number;
  }
  return start;
}

/** The first place from here on that is surely not inside an escape, a reference or a character. */
function safeFrom(table: TreeTable, from: number, to: number): number {
  let clear = 0;
  let at = from;
  while (at < to && table.byteAt(at) < 0) at++;
  for (; at < to; at++) {
    const byte = table.byteAt(at);
    if (clear >= SAFE_BYTES && (byte & 0xc0) !== 0x80) return at;
    const opens = byte === 0x5c || byte === 0x26;
    // An escape or reference begins here, unless it is the second half of a pair.
    if (opens && clear > 0 && !isLowHalf(table, at)) return at;
    clear = opens ? 0 : clear + 1;
  }
  return to;
}

/** `\udc00` … `\udfff`, as written. */
function isLowHalf(table: TreeTable, at: number): boolean {
  const digit = table.byteAt(at + 3) | 0x20;
  return (
    table.byteAt(at + 1) === 0x75 && (table.byteAt(at + 2) | 0x20) === 0x64 && digit >= 0x63 && digit <= 0x66
  );
}

/** Bytes of the character or escape at a place; a pair of surrogate escapes is one. */
function jsonUnit(table: TreeTable, at: number): number {
  const byte = table.byteAt(at);
  if (byte !== 0x5c) return characterBytes(byte);
  if (table.byteAt(at + 1) !== 0x75) return 2;
  const second = table.byteAt(at + 3);
  const isHigh =
    (table.byteAt(at + 2) | 0x20) === 0x64 &&
    (second === 0x38 || second === 0x39 || (second | 0x20) === 0x61 || (second | 0x20) === 0x62);
  return isHigh && table.byteAt(at + 6) === 0x5c && table.byteAt(at + 7) === 0x75 ? 12 : 6;
}

/** Bytes of the character, line end or reference at a place. */
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

/** The same, but for references to what the document declares. */
function strictUnit(table: TreeTable, at: number, to: number): number {
  const length = xmlUnit(table, at, to);
  if (table.byteAt(at) !== 0x26) return length;
  const isKnown = /^&(?:#\w+|amp|lt|gt|quot|apos);$/.test(table.slice(at, at + length).toString('latin1'));
  return isKnown ? length : 0;
}

function characterBytes(byte: number): number {
  if (byte < 0xc0) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}
