/** Writes XML and HTML: tags with their attributes, and one line end of white space between them. */
import { Kind } from '../../table/tree/tree-sink.ts';
import { OpenNode } from './open-node.ts';
import { TreeWriter } from './write.ts';

export class XmlWriter extends TreeWriter {
  value(row: number): void {
    const { table } = this;
    const how = this.shown.get(row);
    if (how instanceof OpenNode) this.#opened(how);
    else if (how === undefined || how < 0) this.#whole(row);
    else this.cutInside(row, how, table.end[row] as number);
  }

  #opened(node: OpenNode): void {
    const { table } = this;
    if (table.kind[node.row] === Kind.element) this.#tag(node);
    let before = -1;
    for (const row of node.kept) {
      this.#gap(node, table.start[row] as number, before, row);
      this.#blank(table.start[row] as number);
      this.value(row);
      before = row;
    }
    const closing = table.closeFrom(node.row);
    this.#gap(node, this.prices.closingBlank(node.row), before, -1);
    if (node.row === 0) return;
    this.#blank(closing);
    this.keep(table.end[node.row] as number);
  }

  /** The start tag, and what is left out of it. */
  #tag({ row, tag }: OpenNode): void {
    const { table } = this;
    const body = table.bodyFrom(row);
    for (const attribute of tag.attributes) {
      this.keep(table.start[attribute] as number);
      const end = table.end[attribute] as number;
      const chars = this.shown.get(attribute);
      if (typeof chars === 'number' && chars >= 0) this.cutInside(attribute, chars, end);
      this.keep(this.prices.attributeEnd(attribute));
    }
    if (tag.isWhole) this.keep(body);
    else {
      if (tag.attributes.length === 0)
        this.keep((table.start[row] as number) + 1 + (table.keyBytes[row] as number));
      const count = table.extentAt(body).chars - table.extentAt(this.at).chars;
      this.omit(body, this.prices.tagThings(row, count));
    }
  }

  #gap(node: OpenNode, to: number, before: number, after: number): void {
    const what = this.prices.gap(node, before, after);
    if (what === null) return;
    const { table } = this;
    const lead = this.prices.shownBlank(this.at, to);
    if (lead.to - lead.from <= this.prices.markerPad(node) && lead.to < to) {
      this.elide(lead.from);
      this.keep(lead.to);
    }
    const count = table.extentAt(to).chars - table.extentAt(this.at).chars;
    this.omit(to, what.unit === 'char' ? { ...what, count } : what);
  }

  /** All of a node but white space between tags. */
  #whole(row: number): void {
    const { table } = this;
    const open: number[] = [];
    const closeUpTo = (at: number) => {
      for (
        let last = open.at(-1);
        last !== undefined && (table.next[last] as number) <= at;
        last = open.at(-1)
      ) {
        this.#blank(table.closeFrom(last));
        this.keep(table.end[last] as number);
        open.pop();
      }
    };
    const end = table.next[row] as number;
    for (let at = row; at < end; at++) {
      if (table.kind[at] === Kind.attribute) continue;
      closeUpTo(at);
      this.#blank(table.start[at] as number);
      if (table.kind[at] === Kind.element) {
        this.keep(table.bodyFrom(at));
        open.push(at);
      } else if (at > 0) this.keep(table.end[at] as number);
    }
    closeUpTo(end);
  }

  /** White space up to a place: one line end of it is shown, or its first character. */
  #blank(to: number): void {
    if (this.prices.spacing !== 'none') {
      const shown = this.prices.shownBlank(this.at, to);
      this.elide(shown.from);
      this.keep(shown.to);
    }
    this.elide(to);
  }
}
