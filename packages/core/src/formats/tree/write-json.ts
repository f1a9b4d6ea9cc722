/** Writes JSON: brackets, members, items and separators. */
import { isSpace, Kind } from '../../table/tree/tree-sink.ts';
import { OpenNode } from './open-node.ts';
import { TreeWriter } from './write.ts';

const LF = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;

export class JsonWriter extends TreeWriter {
  value(row: number): void {
    const how = this.shown.get(row);
    const end = this.table.end[row] as number;
    if (how instanceof OpenNode) this.#container(how);
    else if (how === undefined || how < 0) this.#tokens(end);
    else this.cutInside(row, how, end);
  }

  #container(node: OpenNode): void {
    const { table } = this;
    const isTop = table.kind[node.row] === Kind.top;
    if (!isTop) this.keep((table.start[node.row] as number) + 1);
    if (table.kind[node.row] === Kind.object) this.#members(node);
    else this.#items(node);
    if (!isTop) this.#close(table.end[node.row] as number);
  }

  #members(node: OpenNode): void {
    const { table } = this;
    const { kept } = node;
    const count = table.count[node.row] as number;
    const closing = this.#closeFrom(table.end[node.row] as number);
    let before = 0;
    // One key names all omissions, at the last gap.
    let lastGap = -1;
    kept.forEach((row, i) => {
      if ((table.index[row] as number) > before) lastGap = i;
      before = (table.index[row] as number) + 1;
    });
    if (before < count) lastGap = kept.length;
    before = 0;
    const foundBy = lastGap < 0 ? {} : this.prices.keysFoundBy(node);
    for (let i = 0; i <= kept.length; i++) {
      const row = kept[i];
      const from = row === undefined ? closing : (table.from[row] as number);
      const isGap = row === undefined ? before < count : (table.index[row] as number) > before;
      if (isGap && i === lastGap) {
        this.#lead(node, from);
        this.omit(from, { ...this.prices.keys(node, row !== undefined), ...foundBy });
      }
      if (isGap && i !== lastGap) this.omit(from, { unit: 'key', count: 0, slot: 'silent', ...foundBy });
      if (row === undefined) return;
      this.#unit(row);
      before = (table.index[row] as number) + 1;
    }
  }

  #items(node: OpenNode): void {
    const { table } = this;
    const isTop = table.kind[node.row] === Kind.top;
    const closing = isTop ? table.total.bytes : this.#closeFrom(table.end[node.row] as number);
    let before = -1;
    for (const row of node.kept) {
      this.#gap(node, table.from[row] as number, before, row);
      this.#unit(row);
      if (isTop) this.#lineEnd(row);
      before = row;
    }
    this.#gap(node, closing, before, -1);
  }

  #gap(node: OpenNode, to: number, before: number, after: number): void {
    const what = this.prices.gap(node, before, after);
    if (what === null) return;
    this.#lead(node, to);
    this.omit(to, what);
  }

  /** In exact text a marker stands where the first hidden value stood. */
  #lead(node: OpenNode, to: number): void {
    const most = Math.min(this.at + this.prices.markerPad(node), to - 1);
    let at = this.at;
    while (at < most && isSpace(this.table.byteAt(at))) at++;
    this.keep(at);
  }

  #lineEnd(row: number): void {
    const { table } = this;
    let at = table.end[row] as number;
    while (isSpace(table.byteAt(at)) && table.byteAt(at) !== LF) at++;
    if (table.byteAt(at) === LF) this.keep(at + 1);
    while (isSpace(table.byteAt(at))) at++;
    this.elide(Math.min(at, table.total.bytes));
  }

  #unit(row: number): void {
    const { table } = this;
    const isExact = this.prices.spacing === 'exact';
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
    if (this.prices.spacing === 'exact') this.keep(bracket);
    else this.elide(bracket);
    this.keep(end);
  }

  #closeFrom(end: number): number {
    let at = end - 1;
    while (isSpace(this.table.byteAt(at - 1))) at--;
    return at;
  }

  /** With the white space that is shown. */
  #tokens(to: number): void {
    const { spacing } = this.prices;
    if (spacing === 'exact') {
      this.keep(to);
      return;
    }
    const from = this.at;
    const bytes = this.table.slice(from, to);
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
      // The blank behind a colon is followed by the value.
      const isBlank = end - at === 1 && byte === 0x20 && bytes[at - 1] === COLON;
      if (!(isBlank && spacing === 'blanks')) {
        this.keep(from + at);
        this.elide(from + end);
      }
      at = end;
    }
    this.keep(to);
  }
}
