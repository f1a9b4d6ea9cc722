/**
 * Writes a choice as a selection that covers the text exactly: what is shown is kept as it stands
 * in the text, white space between tokens is elided or kept, everything else is omitted with what
 * it was. Each grammar has its writer. Places are bytes of the text.
 */
import { type Extent, NOTHING, sum } from '../../model/extent.ts';
import type { OmittedThings } from '../../model/selection.ts';
import { Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';
import type { CoverBuilder } from '../../text/cover.ts';
import type { Shown } from './open-node.ts';
import type { Prices } from './prices.ts';

/**
 * Cuts inside a long text show its beginning and end, and never split an escape, a surrogate pair,
 * a reference or a character. Units: chars as written.
 */
const HEAD_SHARE = 0.7;
const SHORTEST_TAIL = 12;
/** Without a backslash in this many bytes before it, a place is outside escapes. */
const SAFE_BYTES = 12;
const LONGEST_REFERENCE = 258;

interface Cut {
  readonly headEnd: number;
  readonly tailStart: number;
}

/** `chars`: shown of the inside. `hides`: entities are not shown. */
function cutText(table: TreeTable, row: number, chars: number, hides: boolean): Cut {
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

/** Bytes of an indivisible unit; 0 if it must not be shown. */
type UnitAt = (table: TreeTable, at: number, to: number) => number;

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

function backward(table: TreeTable, headEnd: number, to: number, most: number, unitAt: UnitAt): number {
  // A char has at most three bytes.
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
    if (opens && clear > 0 && !isLowHalf(table, at)) return at;
    clear = opens ? 0 : clear + 1;
  }
  return to;
}

function isLowHalf(table: TreeTable, at: number): boolean {
  const digit = table.byteAt(at + 3) | 0x20;
  return (
    table.byteAt(at + 1) === 0x75 && (table.byteAt(at + 2) | 0x20) === 0x64 && digit >= 0x63 && digit <= 0x66
  );
}

/** A surrogate pair is one unit. */
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
  const isKnown = /^&(?:#\w+|amp|lt|gt|quot|apos);$/.test(table.slice(at, at + length).toString('latin1'));
  return isKnown ? length : 0;
}

function characterBytes(byte: number): number {
  if (byte < 0xc0) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

const LF = 0x0a;
const CR = 0x0d;

export abstract class TreeWriter {
  protected readonly table: TreeTable;
  protected readonly prices: Prices;
  protected readonly shown: Shown;
  readonly #cover: CoverBuilder;
  readonly #base: Extent;
  /** Everything before it is written. */
  at: number;
  #position: Extent;
  chars = 0;
  breaks = 0;

  /** `base`: where the text begins in its part. */
  constructor(prices: Prices, shown: Shown, cover: CoverBuilder, at: number, base: Extent = NOTHING) {
    this.table = prices.table;
    this.prices = prices;
    this.shown = shown;
    this.#cover = cover;
    this.#base = base;
    this.at = at;
    this.#position = this.table.extentAt(at);
  }

  abstract value(row: number): void;

  keep(to: number): void {
    if (to <= this.at) return;
    const last = this.table.byteAt(to - 1);
    const [from, until] = this.#move(to);
    this.#cover.keep(from, until, last === LF || last === CR);
    this.chars += until.chars - from.chars;
    this.breaks += until.breaks - from.breaks;
  }

  elide(to: number): void {
    if (to > this.at) this.#cover.elide(...this.#move(to), 'indentation');
  }

  omit(to: number, what: OmittedThings): void {
    if (to <= this.at) return;
    const marker = this.prices.grammar.mark(what);
    this.chars += marker.length;
    if (marker.endsWith('\n')) this.breaks++;
    this.#cover.omit(...this.#move(to), false, what);
  }

  #move(to: number): [from: Extent, until: Extent] {
    const from = this.#position;
    this.#position = this.table.extentFrom(from, to);
    this.at = to;
    return [sum(this.#base, from), sum(this.#base, this.#position)];
  }

  protected cutInside(row: number, chars: number, end: number): void {
    const table = this.table;
    const { headEnd, tailStart } = cutText(table, row, chars, this.prices.hidesEntities);
    this.keep(headEnd);
    const count = table.extentAt(tailStart).chars - table.extentAt(headEnd).chars;
    this.omit(tailStart, this.prices.cutThings(row, count));
    this.keep(end);
  }
}
