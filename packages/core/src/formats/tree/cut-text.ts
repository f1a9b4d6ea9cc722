/**
 * Where a long text of a tree is cut: its beginning and end are shown, and no escape, surrogate
 * pair, reference or character is split. Places are bytes, read as latin1; units are chars as
 * written.
 */
import { Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';

const HEAD_SHARE = 0.7;
const SHORTEST_TAIL = 12;
const LONGEST_REFERENCE = 258;

/** What is not split: a surrogate pair is one escape. */
const UNITS = {
  json: /\\u[dD][89abAB]..\\u.{4}|\\u.{4}|\\.|[\xc0-\xff][\x80-\xbf]*|./gs,
  xml: /&[^;]{0,256};|\r\n|[\xc0-\xff][\x80-\xbf]*|./gs,
  cdata: /\r\n|[\xc0-\xff][\x80-\xbf]*|./gs,
};
const DECLARED_REFERENCE = /^&(?!(?:#\w+|amp|lt|gt|quot|apos);$)/;
/**
 * A place outside escapes, references and characters: behind bytes that open none, or where one
 * opens, unless it may be a low surrogate.
 */
const SAFE = /(?<=[^\\&]{12})[^\x80-\xbf]|(?<=[^\\&])(?!\\u[dD][c-fC-F])[\\&]/s;

interface Cut {
  readonly headEnd: number;
  readonly tailStart: number;
}

/** `chars`: shown of the inside. `hides`: entities are not shown. */
export function cutText(table: TreeTable, row: number, chars: number, hides: boolean): Cut {
  const kind = table.kind[row];
  const [opening, closing] = kind === Kind.string ? [1, 1] : kind === Kind.cdata ? [9, 3] : [0, 0];
  const from = (table.start[row] as number) + opening;
  const to = (table.end[row] as number) - closing;
  const units = kind === Kind.string ? UNITS.json : kind === Kind.cdata ? UNITS.cdata : UNITS.xml;
  const unitsIn = (start: number, end: number) =>
    table.slice(start, end).toString('latin1').match(units) ?? [];
  const isHidden = (unit: string) => hides && table.entity[row] === 1 && DECLARED_REFERENCE.test(unit);
  const tailChars = Math.floor(chars * (1 - HEAD_SHARE));
  const hasTail = tailChars >= SHORTEST_TAIL;
  const headChars = hasTail ? chars - tailChars : chars;
  const head = unitsIn(from, Math.min(to, from + reach(headChars)));
  const headEnd = from + bytesWithin(head, headChars, isHidden);
  if (!hasTail) return { headEnd, tailStart: to };
  const isNear = to - reach(tailChars) <= headEnd;
  const tail = unitsIn(isNear ? headEnd : safeFrom(table, to - reach(tailChars), to), to).reverse();
  return { headEnd, tailStart: to - bytesWithin(tail, tailChars, isHidden) };
}

/** A char has at most three bytes. */
function reach(chars: number): number {
  return chars * 3 + LONGEST_REFERENCE;
}

function bytesWithin(units: readonly string[], chars: number, isHidden: (unit: string) => boolean): number {
  let left = chars;
  let bytes = 0;
  for (const unit of units) {
    left -= unit < '\x80' ? unit.length : unit.length === 4 ? 2 : 1;
    if (left < 0 || isHidden(unit)) break;
    bytes += unit.length;
  }
  return bytes;
}

function safeFrom(table: TreeTable, from: number, to: number): number {
  let at = from;
  while (at < to && table.byteAt(at) < 0) at++;
  const offset = table.slice(at, to).toString('latin1').search(SAFE);
  return offset < 0 ? to : at + offset;
}
