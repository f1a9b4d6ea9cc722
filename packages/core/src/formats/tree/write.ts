/**
 * Writes a choice as a selection that covers the text exactly: what is shown is kept as it stands
 * in the text, white space between tokens is elided or kept, everything else is omitted with what
 * it was. Places are bytes of the text.
 */
import { type Extent, NOTHING, sum } from '../../model/extent.ts';
import type { OmittedThings } from '../../model/selection.ts';
import { Kind } from '../../table/tree/tree-sink.ts';
import { isSpace, type TreeTable } from '../../table/tree/tree-table.ts';
import type { CoverBuilder } from '../../text/cover.ts';
import { cutText } from './cut-text.ts';
import { OpenNode, type Shown } from './open-node.ts';
import type { Prices } from './prices.ts';

const LF = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;

export class TreeWriter {
  readonly #table: TreeTable;
  readonly #prices: Prices;
  readonly #shown: Shown;
  readonly #cover: CoverBuilder;
  readonly #base: Extent;
  /** Everything before it is written. */
  at: number;
  /** Chars as rendered, and line ends among them. */
  chars = 0;
  breaks = 0;

  /** `base`: where the text begins in the part that it stands in. */
  constructor(prices: Prices, shown: Shown, cover: CoverBuilder, at: number, base: Extent = NOTHING) {
    this.#table = prices.table;
    this.#prices = prices;
    this.#shown = shown;
    this.#cover = cover;
    this.#base = base;
    this.at = at;
  }

  value(row: number): void {
    const table = this.#table;
    const how = this.#shown.get(row);
    const end = table.end[row] as number;
    if (how instanceof OpenNode) this.#container(how);
    else if (how === undefined || how < 0) this.#tokens(end);
    else this.#cutInside(row, how, end);
  }

  keep(to: number): void {
    if (to <= this.at) return;
    const table = this.#table;
    const [from, until] = [table.extentAt(this.at), table.extentAt(to)];
    const last = table.byteAt(to - 1);
    this.#cover.keep(sum(this.#base, from), sum(this.#base, until), last === LF || last === 0x0d);
    this.chars += until.chars - from.chars;
    this.breaks += until.breaks - from.breaks;
    this.at = to;
  }

  elide(to: number): void {
    if (to <= this.at) return;
    const [from, until] = this.#extents(to);
    this.#cover.elide(from, until, 'indentation');
  }

  omit(to: number, what: OmittedThings): void {
    if (to <= this.at) return;
    const marker = this.#prices.grammar.mark(what);
    this.chars += marker.length;
    if (marker.endsWith('\n')) this.breaks++;
    const [from, until] = this.#extents(to);
    this.#cover.omit(from, until, false, what);
  }

  #extents(to: number): [Extent, Extent] {
    const from = sum(this.#base, this.#table.extentAt(this.at));
    this.at = to;
    return [from, sum(this.#base, this.#table.extentAt(to))];
  }

  #container(node: OpenNode): void {
    const table = this.#table;
    const isTop = table.kind[node.row] === Kind.top;
    if (!isTop) this.keep((table.start[node.row] as number) + 1);
    if (table.kind[node.row] === Kind.object) this.#members(node);
    else this.#items(node);
    if (!isTop) this.#close(table.end[node.row] as number);
  }

  #members(node: OpenNode): void {
    const table = this.#table;
    const { kept } = node;
    const count = table.count[node.row] as number;
    const closing = this.#closeFrom(table.end[node.row] as number);
    let before = 0;
    // One key speaks for all that is left out, where the last gap is.
    let lastGap = -1;
    kept.forEach((row, i) => {
      if ((table.index[row] as number) > before) lastGap = i;
      before = (table.index[row] as number) + 1;
    });
    if (before < count) lastGap = kept.length;
    before = 0;
    for (let i = 0; i <= kept.length; i++) {
      const row = kept[i];
      const from = row === undefined ? closing : (table.from[row] as number);
      const isGap = row === undefined ? before < count : (table.index[row] as number) > before;
      if (isGap && i === lastGap) {
        this.#lead(node, from);
        this.omit(from, this.#prices.keys(node, row !== undefined));
      }
      if (isGap && i !== lastGap) this.omit(from, this.#prices.silent(node));
      if (row === undefined) return;
      this.#unit(row);
      before = (table.index[row] as number) + 1;
    }
  }

  #items(node: OpenNode): void {
    const table = this.#table;
    const isTop = table.kind[node.row] === Kind.top;
    const count = table.count[node.row] as number;
    const closing = isTop ? table.total.bytes : this.#closeFrom(table.end[node.row] as number);
    let before = node.content;
    for (const row of node.kept) {
      const index = table.index[row] as number;
      if (index > before) this.#gap(node, table.from[row] as number, before, index);
      this.#unit(row);
      if (isTop) this.#lineEnd(row);
      before = index + 1;
    }
    if (before < count) this.#gap(node, closing, before, count);
  }

  #gap(node: OpenNode, to: number, first: number, end: number): void {
    this.#lead(node, to);
    this.omit(to, this.#prices.gap(node, first, end));
  }

  /** In exact text a marker stands where the first of what it hides stood. */
  #lead(node: OpenNode, to: number): void {
    const most = Math.min(this.at + this.#prices.markerPad(node), to - 1);
    let at = this.at;
    while (at < most && isSpace(this.#table.byteAt(at))) at++;
    this.keep(at);
  }

  /** The line end behind a value that is a line. */
  #lineEnd(row: number): void {
    const table = this.#table;
    let at = table.end[row] as number;
    while (isSpace(table.byteAt(at)) && table.byteAt(at) !== LF) at++;
    if (table.byteAt(at) === LF) this.keep(at + 1);
    while (isSpace(table.byteAt(at))) at++;
    this.elide(Math.min(at, table.total.bytes));
  }

  /** White space, key, value and separator of a child. */
  #unit(row: number): void {
    const table = this.#table;
    const isExact = this.#prices.spacing === 'exact';
    const start = table.start[row] as number;
    const keyAt = (table.keyBytes[row] as number) > 0 ? table.keyAt(row) : start;
    if (isExact) this.keep(keyAt);
    else this.elide(keyAt);
    if (start > keyAt) this.#tokens(start);
    this.value(row);
    let at = this.at;
    while (isSpace(table.byteAt(at))) at++;
    if (table.byteAt(at) !== COMMA) return;
    this.elide(at);
    this.keep(at + 1);
  }

  #close(end: number): void {
    const bracket = end - 1;
    if (this.#prices.spacing === 'exact') this.keep(bracket);
    else this.elide(bracket);
    this.keep(end);
  }

  #closeFrom(end: number): number {
    let at = end - 1;
    while (isSpace(this.#table.byteAt(at - 1))) at--;
    return at;
  }

  /** Keeps tokens up to a place, with the white space between them that is shown. */
  #tokens(to: number): void {
    const { spacing } = this.#prices;
    if (spacing === 'exact') {
      this.keep(to);
      return;
    }
    const from = this.at;
    const bytes = this.#table.slice(from, to);
    for (let at = 0; at < bytes.length; ) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === 0x5c) at++;
        at++;
        continue;
      }
      if (byte > 0x20) {
        at++;
        continue;
      }
      let end = at;
      while (end < bytes.length && (bytes[end] as number) <= 0x20) end++;
      // At the very end the colon's blank is followed by the value.
      const isBlank = end - at === 1 && byte === 0x20 && bytes[at - 1] === COLON;
      if (!(isBlank && spacing === 'blanks')) {
        this.keep(from + at);
        this.elide(from + end);
      }
      at = end;
    }
    this.keep(to);
  }

  #cutInside(row: number, chars: number, end: number): void {
    const table = this.#table;
    const { headEnd, tailStart } = cutText(table, row, chars);
    this.keep(headEnd);
    const count = table.extentAt(tailStart).chars - table.extentAt(headEnd).chars;
    this.omit(tailStart, this.#prices.cutThings(row, count));
    this.keep(end);
  }
}
