/**
 * Writes a choice as a selection that covers the text exactly: what is shown is kept as it stands
 * in the text, white space between tokens is elided or kept, everything else is omitted with what
 * it was. One writer for JSON and XML. Places are bytes of the text.
 */
import { type Extent, NOTHING, sum } from '../../model/extent.ts';
import type { OmittedThings } from '../../model/selection.ts';
import { isSpace, Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';
import type { CoverBuilder } from '../../text/cover.ts';
import { cutText } from './cut-text.ts';
import type { Layout, OpenNode, Shown } from './layout.ts';

const LF = 0x0a;
const CR = 0x0d;
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export class TreeWriter {
  readonly #table: TreeTable;
  readonly #layout: Layout;
  readonly #shown: Shown;
  readonly #cover: CoverBuilder;
  readonly #base: Extent;
  readonly #isXml: boolean;
  /** Everything before it is written. */
  #position: Extent;
  chars = 0;
  breaks = 0;

  /** `base`: where the text begins in its part. */
  constructor(layout: Layout, shown: Shown, cover: CoverBuilder, base: Extent = NOTHING) {
    this.#table = layout.table;
    this.#layout = layout;
    this.#shown = shown;
    this.#cover = cover;
    this.#base = base;
    this.#isXml = layout.grammar.isXml;
    this.#position = this.#table.extentAt(0);
  }

  get at(): number {
    return this.#position.bytes;
  }

  keep(to: number): void {
    if (to <= this.at) return;
    const last = this.#table.byteAt(to - 1);
    const [from, until] = this.#move(to);
    this.#cover.keep(from, until, last === LF || last === CR);
    this.chars += until.chars - from.chars;
    this.breaks += until.breaks - from.breaks;
  }

  elide(to: number): void {
    if (to > this.at) this.#cover.elide(...this.#move(to), 'indentation');
  }

  value(row: number): void {
    const how = this.#shown.get(row);
    const end = this.#table.end[row] as number;
    if (typeof how === 'object') this.#opened(how);
    else if (how !== undefined && how >= 0) this.#cutInside(row, how, end);
    else if (this.#isXml) this.#elements(row);
    else this.#tokens(end);
  }

  #opened(node: OpenNode): void {
    const table = this.#table;
    const { row } = node;
    if (node.tag !== null) this.#tag(node);
    else if (row > 0) this.keep((table.start[row] as number) + 1);
    const closing = this.#layout.closingBlank(row).from;
    if (table.kind[row] === Kind.object) this.#members(node, closing);
    else this.#items(node, row > 0 || this.#isXml ? closing : table.size);
    if (row === 0) return;
    this.#blank(table.closeFrom(row));
    this.keep(table.end[row] as number);
  }

  #items(node: OpenNode, closing: number): void {
    let before = -1;
    for (const row of [...node.kept, -1]) {
      const position = this.#isXml ? this.#table.start[row] : this.#table.from[row];
      const what = this.#layout.gap(node, before, row);
      if (what !== null) this.#gap(node, row < 0 ? closing : (position as number), what);
      if (row >= 0) this.#child(node, row);
      before = row;
    }
  }

  /** One key names all members that are left out, at the last gap. */
  #members(node: OpenNode, closing: number): void {
    const { count, from, index } = this.#table;
    const rows = [...node.kept, -1];
    const isGap = (at: number) => {
      const before = rows[at - 1];
      const first = before === undefined ? 0 : (index[before] as number) + 1;
      const row = rows[at] as number;
      return (row < 0 ? (count[node.row] as number) : (index[row] as number)) > first;
    };
    const last = rows.findLastIndex((_, at) => isGap(at));
    const foundBy = last < 0 ? {} : this.#layout.keysFoundBy(node);
    for (const [at, row] of rows.entries()) {
      const to = row < 0 ? closing : (from[row] as number);
      if (at === last) this.#gap(node, to, { ...this.#layout.keys(node, row >= 0), ...foundBy });
      else if (isGap(at)) this.#omit(to, { unit: 'key', count: 0, slot: 'silent', ...foundBy });
      if (row >= 0) this.#child(node, row);
    }
  }

  /** The marker of a gap, behind the white space that its siblings have. */
  #gap(node: OpenNode, to: number, what: OmittedThings): void {
    const pad = this.#layout.markerPad(node);
    if (this.#isXml) {
      const lead = this.#layout.shownBlank(this.at, to);
      if (lead.to - lead.from <= pad && lead.to < to) {
        this.elide(lead.from);
        this.keep(lead.to);
      }
      const isCounted = what.unit === 'element';
      this.#omit(to, isCounted ? what : { ...what, count: this.#charsBetween(this.at, to) });
      return;
    }
    let at = this.at;
    while (at < Math.min(this.at + pad, to - 1) && isSpace(this.#table.byteAt(at))) at++;
    this.keep(at);
    this.#omit(to, what);
  }

  /** A child with its key and what separates it from others. */
  #child(node: OpenNode, row: number): void {
    const table = this.#table;
    const start = table.start[row] as number;
    if (this.#isXml) {
      this.#blank(start);
      this.value(row);
      return;
    }
    const keyAt = (table.keyBytes[row] as number) > 0 ? table.keyAt(row) : start;
    this.#blank(keyAt);
    this.#tokens(start);
    this.value(row);
    let at = this.#skipSpace(this.at);
    if (table.byteAt(at) === COMMA) {
      this.elide(at);
      this.keep(at + 1);
    } else if (node.row === 0) {
      // Values at the top may stand on lines of their own.
      at = this.at;
      while (isSpace(table.byteAt(at)) && table.byteAt(at) !== LF) at++;
      if (table.byteAt(at) === LF) this.keep(at + 1);
      this.elide(Math.min(this.#skipSpace(at), table.size));
    }
  }

  #tag({ row, tag }: OpenNode): void {
    const table = this.#table;
    const body = table.bodyFrom(row);
    let hidden = 0;
    this.keep((table.start[row] as number) + 1 + (table.keyBytes[row] as number));
    for (const attribute of tag?.attributes ?? []) {
      const from = table.from[attribute] as number;
      hidden += this.#charsBetween(this.at, from);
      this.#omit(from, { unit: 'char', count: 0, slot: 'silent' });
      this.keep(table.start[attribute] as number);
      const chars = this.#shown.get(attribute);
      if (typeof chars === 'number' && chars >= 0)
        this.#cutInside(attribute, chars, table.end[attribute] as number);
      this.keep(this.#layout.attributeEnd(attribute));
    }
    if (tag?.isWhole === true) this.keep(body);
    else this.#omit(body, this.#layout.tagThings(row, hidden + this.#charsBetween(this.at, body)));
  }

  /** A node of XML, with less white space between tags. */
  #elements(row: number): void {
    const table = this.#table;
    const open: number[] = [];
    const end = table.next[row] as number;
    for (let at = row; at <= end; at++) {
      for (
        let last = open.at(-1);
        last !== undefined && (table.next[last] as number) <= at;
        last = open.at(-1)
      ) {
        this.#blank(table.closeFrom(last));
        this.keep(table.end[last] as number);
        open.pop();
      }
      if (at === end || table.kind[at] === Kind.attribute) continue;
      this.#blank(table.start[at] as number);
      if (table.kind[at] === Kind.element) {
        this.keep(table.bodyFrom(at));
        open.push(at);
      } else if (at > 0) this.keep(table.end[at] as number);
    }
  }

  /** Tokens of JSON, with less white space between them. */
  #tokens(to: number): void {
    const from = this.at;
    const { spacing } = this.#layout;
    const bytes = spacing === 'exact' ? [] : this.#table.slice(from, to);
    for (let at = 0; at < bytes.length; ) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
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

  #blank(to: number): void {
    const { spacing } = this.#layout;
    if (spacing === 'exact') this.keep(to);
    if (spacing === 'lines') {
      const shown = this.#layout.shownBlank(this.at, to);
      this.elide(shown.from);
      this.keep(shown.to);
    }
    this.elide(to);
  }

  #cutInside(row: number, chars: number, end: number): void {
    const { headEnd, tailStart } = cutText(this.#table, row, chars, this.#layout.hidesEntities);
    this.keep(headEnd);
    this.#omit(tailStart, this.#layout.cutThings(row, this.#charsBetween(headEnd, tailStart)));
    this.keep(end);
  }

  #omit(to: number, what: OmittedThings): void {
    if (to <= this.at) return;
    const marker = this.#layout.grammar.mark(what);
    this.chars += marker.length;
    if (marker.endsWith('\n')) this.breaks++;
    const last = this.#table.byteAt(to - 1);
    this.#cover.omit(...this.#move(to), last === LF || last === CR, what);
  }

  #charsBetween(from: number, to: number): number {
    const before = this.#table.extentAt(from, this.#position);
    return this.#table.extentAt(to, before).chars - before.chars;
  }

  #skipSpace(from: number): number {
    let at = from;
    while (isSpace(this.#table.byteAt(at))) at++;
    return at;
  }

  #move(to: number): [from: Extent, until: Extent] {
    const from = this.#position;
    this.#position = this.#table.extentAt(to, from);
    const isAtStart = this.#base === NOTHING;
    return isAtStart ? [from, this.#position] : [sum(this.#base, from), sum(this.#base, this.#position)];
  }
}
