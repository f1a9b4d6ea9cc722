/**
 * What is left out of a tree, as the renderer will mark it, and what that costs. The chooser asks
 * for prices, the writer for the things themselves, so both follow from one description. Units:
 * chars as rendered.
 */
import type { OmittedThings } from '../../model/selection.ts';
import { isSpace, Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';
import { pluralize } from '../../text/numbers.ts';
import type { NodeAddress, OpenNode, Tag } from './open-node.ts';

/**
 * Which white space between tokens is shown. `exact`: all of it, for JSON files; `blanks`: the blank
 * behind a colon, where the text has one; `lines`: one line end between tags; `none`: nothing.
 */
export type Spacing = 'exact' | 'blanks' | 'lines' | 'none';

/** Prices are the lengths of what it writes. */
export interface TreeGrammar {
  readonly isXml: boolean;
  mark(what: OmittedThings): string;
  /** Set if a path can fetch omitted things. */
  readonly paths?: {
    readonly argument: string;
    stepsTo(table: TreeTable, row: number): readonly string[];
    childStep(table: TreeTable, row: number): string;
    range(from: number, to: number): string;
  };
  isLeast?(name: number): boolean;
}

/** In less room markers have no address. */
const LEAST_ADDRESSED = 1_000;
const LONGEST_PATH = 60;
/** Shorter hashes may be names, such as commits. */
const LONGEST_ID = 44;
const DIGEST = /^[\w+/=-]{40,64}$/;
const MOST_SLASHES = 3;
const MOST_CLOSED = 3;
const LONGEST_PAD = 80;
const TYPE_SHARE = 0.25;
/** Shorter values are shown whole; of longer ones at least this much. */
const SHORT_VALUE = 60;
const LEAST_VALUE = 16;

export class Prices {
  readonly table: TreeTable;
  readonly grammar: TreeGrammar;
  readonly spacing: Spacing;
  /** A reserved key that the document does not use. */
  readonly #reserved: string;
  readonly #isAddressed: boolean;
  /** Set if there is no room for the type that declares them. */
  readonly #hidesEntities: boolean;
  readonly #isPadded: boolean;
  /** 0 if there is none. */
  readonly type: number;

  constructor(table: TreeTable, grammar: TreeGrammar, spacing: Spacing, budget: number) {
    this.table = table;
    this.grammar = grammar;
    this.spacing = spacing;
    this.#reserved = table.reserved === 0 ? '$omitted' : `$omitted_${table.reserved}`;
    this.#isAddressed = budget >= LEAST_ADDRESSED;
    this.#isPadded = spacing === 'exact' || spacing === 'lines';
    this.type = grammar.isXml ? this.#typeRow() : 0;
    this.#hidesEntities = this.type > 0 && this.size(this.type) > budget * TYPE_SHARE;
  }

  /** Without its key; infinite if it cannot be shown whole. */
  size(row: number): number {
    const { table } = this;
    if (table.isPruned && !table.isHeld(table.start[row] as number, table.end[row] as number))
      return Number.POSITIVE_INFINITY;
    if (this.#hidesEntities && table.entity[row] === 1) return Number.POSITIVE_INFINITY;
    return (table.chars[row] as number) + (this.#isPadded ? (table.space[row] as number) : 0);
  }

  get hidesEntities(): boolean {
    return this.#hidesEntities;
  }

  /** Key, separator and white space. */
  unit(row: number): number {
    const { table } = this;
    return (table.keyChars[row] as number) + (this.#isPadded ? (table.pad[row] as number) : 0);
  }

  cut(row: number, chars: number): number {
    const { table } = this;
    const frame = table.kind[row] === Kind.string ? 2 : table.kind[row] === Kind.cdata ? 12 : 0;
    return (
      frame +
      chars +
      this.grammar.mark({ unit: 'char', count: table.chars[row] as number, slot: this.#textSlot }).length
    );
  }

  /** With no child shown. */
  opened(node: OpenNode): number {
    const { table } = this;
    const { row } = node;
    if (row === 0) return this.#contentPrice(node);
    const blank = this.closingBlank(row);
    const closing = table.closeFrom(row);
    const pad =
      this.spacing === 'exact'
        ? closing - blank
        : this.spacing === 'lines'
          ? blankChars(this.shownBlank(blank, closing))
          : 0;
    const frame = this.grammar.isXml ? node.tag.price : 1;
    return frame + pad + (table.closeBytes[row] as number) + this.#contentPrice(node);
  }

  /** The first attributes, long values cut. */
  tag(row: number, room: number): Tag {
    const { table } = this;
    const name = (table.start[row] as number) + 1 + (table.keyBytes[row] as number);
    const body = table.bodyFrom(row);
    const attributes: number[] = [];
    let end = name;
    for (
      let at = row + 1;
      at < table.rows && table.kind[at] === Kind.attribute && table.parent[at] === row;
      at++
    ) {
      if (table.from[at] !== end) break;
      attributes.push(at);
      end = this.attributeEnd(at);
    }
    const isLong = (at: number) => this.size(at) > SHORT_VALUE && this.#isQuoted(at);
    const fixed = (at: number) => (table.keyChars[at] as number) + (isLong(at) ? 0 : this.size(at));
    const long = attributes.filter(isLong);
    const tail = table.isHeld(end, body) ? body - end : Number.POSITIVE_INFINITY;
    const own = name - (table.start[row] as number);
    const least = attributes.reduce((sum, at) => sum + fixed(at), own + tail);
    const each = (room - least) / Math.max(1, long.length);
    const cuts = new Map<number, number>();
    for (const at of long) {
      const chars = Math.floor(each - this.cut(at, 0));
      if (this.size(at) > each) cuts.set(at, Math.max(LEAST_VALUE, chars));
    }
    const priceOf = (at: number) => {
      const chars = cuts.get(at);
      return fixed(at) + (chars === undefined ? (isLong(at) ? this.size(at) : 0) : this.cut(at, chars));
    };
    const price = attributes.reduce((sum, at) => sum + priceOf(at), own + tail);
    if (price <= room || (attributes.length === 0 && tail < Number.POSITIVE_INFINITY))
      return { attributes, cuts, isWhole: true, price };
    let used = own + this.grammar.mark(this.tagThings(row, body - name)).length;
    const kept: number[] = [];
    for (const at of attributes) {
      if (used + priceOf(at) > room) break;
      used += priceOf(at);
      kept.push(at);
    }
    return { attributes: kept, cuts, isWhole: false, price: used };
  }

  attributeEnd(row: number): number {
    return (this.table.end[row] as number) + (this.#isQuoted(row) ? 1 : 0);
  }

  tagThings(row: number, count: number): OmittedThings {
    const { table } = this;
    const isSlashed = table.byteAt(table.bodyFrom(row) - 2) === 0x2f;
    return { unit: 'char', count: count - (isSlashed ? 2 : 1), slot: isSlashed ? 'tag/' : 'tag' };
  }

  /** The exact growth if a child is added. */
  added(node: OpenNode, row: number, price: number): number {
    const { table } = this;
    const whole = price + this.unit(row);
    if (table.kind[node.row] === Kind.object)
      return whole + this.#keysPrice(node, row) - this.#keysPrice(node, -1);
    let at = node.kept.length;
    while (at > 0 && (node.kept[at - 1] as number) > row) at--;
    const before = node.kept[at - 1] ?? -1;
    const after = node.kept[at] ?? -1;
    return (
      whole +
      this.#gapPrice(node, before, row) +
      this.#gapPrice(node, row, after) -
      this.#gapPrice(node, before, after)
    );
  }

  /** A hash, key or base64. */
  isDigest(row: number): boolean {
    const { table } = this;
    const kind = table.kind[row];
    const chars = table.chars[row] as number;
    if (chars <= LONGEST_ID || (kind !== Kind.string && kind !== Kind.attribute && kind !== Kind.text))
      return false;
    const middle = Math.floor(((table.start[row] as number) + (table.end[row] as number)) / 2);
    if (!table.isHeld(middle - 24, middle + 24)) return false;
    const sample = table.slice(middle - 20, middle + 20).toString('latin1');
    if (!DIGEST.test(sample)) return false;
    return (
      /\d/.test(sample) &&
      /[a-z]/i.test(sample) &&
      !/[a-z]{12}/i.test(sample) &&
      sample.split('/').length <= MOST_SLASHES
    );
  }

  /** Short gaps and the price of their markers. */
  gapsOf(node: OpenNode): { readonly rows: readonly number[]; readonly price: number }[] {
    const { table } = this;
    const isKept = new Set(node.kept);
    if (table.kind[node.row] === Kind.object) {
      const gone = node.children.filter((row) => !isKept.has(row));
      const left = (table.count[node.row] as number) - node.kept.length;
      return left === gone.length && left > 0 && left <= MOST_CLOSED
        ? [{ rows: gone, price: this.#keysPrice(node, -1) }]
        : [];
    }
    const gaps: { readonly rows: readonly number[]; readonly price: number }[] = [];
    let before = -1;
    let rows: number[] = [];
    for (const row of [...node.children, -1]) {
      if (row >= 0 && !isKept.has(row)) {
        rows.push(row);
        continue;
      }
      const isAll =
        rows.length <= MOST_CLOSED &&
        rows.every((at, i) => !this.#hasGap(node.row, rows[i - 1] ?? before, at));
      if (isAll && rows.length > 0 && !this.#hasGap(node.row, rows.at(-1) ?? -1, row))
        gaps.push({ rows, price: this.#gapPrice(node, before, row) });
      before = row;
      rows = [];
    }
    return gaps;
  }

  /** -1 is an end; null if nothing is omitted. */
  gap(node: OpenNode, before: number, after: number): OmittedThings | null {
    const { table, grammar } = this;
    if (!this.#hasGap(node.row, before, after)) return null;
    const [from, to] = this.#range(node.row, before, after);
    node.address ??= this.#addressOf(node.row);
    const { children, isPlain } = node.address;
    const path = children === null || to <= from ? node.address.path : children(from, to);
    const hasPath = this.#isAddressed && path !== null && to - from > 1 && isPlain;
    return {
      ...(to > from
        ? { unit: grammar.isXml ? 'element' : 'item', count: to - from }
        : { unit: 'char', count: this.#bytesIn(node.row, before, after) }),
      slot: grammar.isXml
        ? 'element'
        : table.kind[node.row] === Kind.top
          ? 'line'
          : after < 0
            ? 'item'
            : 'item,',
      ...(hasPath ? { of: path } : {}),
      ...(path === null ? {} : { foundBy: [grammar.paths?.argument ?? '', path] }),
    };
  }

  /** Named as far as there is room. */
  keys(node: OpenNode, follows: boolean): OmittedThings {
    const { table } = this;
    const { rows, chars, isAll } = this.#named(node, -1);
    const names = rows.map((row) => table.keyText(row)).join(', ') + (isAll ? '' : ', …');
    return {
      unit: 'key',
      count: (table.count[node.row] as number) - node.kept.length,
      slot: follows ? 'member,' : 'member',
      key: this.#reserved,
      ...(chars === 0 ? {} : { of: names }),
    };
  }

  /** What fetches members that are left out: all of them if there are many alike, else the largest. */
  keysFoundBy(node: OpenNode): Pick<OmittedThings, 'foundBy'> {
    if (node.isList) return this.#foundBy(node.row, '.*');
    const isKept = new Set(node.kept);
    let largest = -1;
    for (const row of node.children)
      if (!isKept.has(row) && (largest < 0 || this.size(row) > this.size(largest))) largest = row;
    return this.#foundBy(largest < 0 ? node.row : largest);
  }

  closingBlank(row: number): number {
    let at = this.table.closeFrom(row);
    while (isSpace(this.table.byteAt(at - 1))) at--;
    return at;
  }

  /** Its first line end, or its first character. */
  shownBlank(from: number, to: number): { readonly from: number; readonly to: number } {
    const { table } = this;
    for (let at = from; at < to; at++) {
      const byte = table.byteAt(at);
      if (!isSpace(byte)) break;
      if (byte === 0x0a) return { from: at, to: at + 1 };
      if (byte === 0x0d) return { from: at, to: at + (at + 1 < to && table.byteAt(at + 1) === 0x0a ? 2 : 1) };
    }
    return { from, to: from < to && isSpace(table.byteAt(from)) ? from + 1 : from };
  }

  cutThings(row: number, count: number): OmittedThings {
    return { unit: 'char', count, slot: this.#textSlot, ...this.#foundBy(row) };
  }

  /** What fetches a row, or its children by one more step; of a deep one the part that leads to it. */
  #foundBy(row: number, ...step: readonly string[]): Pick<OmittedThings, 'foundBy'> {
    const { paths } = this.grammar;
    if (paths === undefined) return {};
    return { foundBy: [paths.argument, within([...paths.stepsTo(this.table, row), ...step])] };
  }

  #addressOf(row: number): NodeAddress {
    const { paths } = this.grammar;
    if (paths === undefined) return { path: null, children: null, isPlain: false };
    const steps = paths.stepsTo(this.table, row);
    const path = within(steps);
    if (path !== steps.join('')) return { path, children: null, isPlain: isPlain(path) };
    const children = path + paths.childStep(this.table, row);
    return {
      path,
      children: (from, to) => children + paths.range(from, to),
      isPlain: isPlain(children),
    };
  }

  /** The first members that are left out, as many as there is room for; `without`: one that is not. */
  #named(node: OpenNode, without: number): { rows: number[]; chars: number; isAll: boolean } {
    const { children, kept, namesRoom } = node;
    const rows: number[] = [];
    let chars = 0;
    let isAll = this.table.count[node.row] === children.length;
    for (let at = 0, next = 0; at < children.length; at++) {
      const row = children[at] as number;
      if (kept[next] === row) next++;
      else if (row !== without) {
        // Without its quotes, and with a comma and a blank.
        const named = this.table.keyBytes[row] as number;
        if (chars + named > namesRoom) {
          isAll = false;
          break;
        }
        chars += named;
        rows.push(row);
      }
    }
    return { rows, chars: rows.length === 0 ? 0 : chars - 2 + (isAll ? 0 : 3), isAll };
  }

  #contentPrice(node: OpenNode): number {
    return this.table.kind[node.row] === Kind.object
      ? this.#keysPrice(node, -1)
      : this.#gapPrice(node, -1, -1);
  }

  /** What the reserved key takes, with a comma; `shown`: a member that is shown too. */
  #keysPrice(node: OpenNode, shown: number): number {
    const count = (this.table.count[node.row] as number) - node.kept.length - (shown < 0 ? 0 : 1);
    if (count <= 0) return 0;
    const { chars } = this.#named(node, shown);
    const names = chars === 0 ? 0 : chars + 2;
    return this.markerPad(node) + this.#reserved.length + 6 + pluralize(count, 'key').length + names;
  }

  #gapPrice(node: OpenNode, before: number, after: number): number {
    const what = this.gap(node, before, after);
    if (what === null) return 0;
    const marker = this.grammar.mark(what).length;
    if (!this.grammar.isXml) return marker + this.markerPad(node) + 1;
    // White space behind the gap belongs to it.
    return (
      marker + this.markerPad(node) - (this.#isPadded && after >= 0 ? (this.table.pad[after] as number) : 0)
    );
  }

  /** Puts the marker on a line like its siblings. */
  markerPad(node: OpenNode): number {
    const first = node.children[0];
    if (!this.#isPadded || first === undefined || node.row === 0) return 0;
    const pad = this.table.pad[first] as number;
    return pad <= LONGEST_PAD ? pad : 0;
  }

  get #textSlot(): string {
    return this.grammar.isXml ? 'text' : 'string';
  }

  #isQuoted(row: number): boolean {
    const { table } = this;
    const quote = table.byteAt((table.start[row] as number) - 1);
    return (quote === 0x22 || quote === 0x27) && table.byteAt(table.end[row] as number) === quote;
  }

  /** If it may declare entities that are used. */
  #typeRow(): number {
    const { table } = this;
    if (table.entity[0] !== 1) return 0;
    const isType = (row: number) =>
      table.kind[row] === Kind.instruction && table.byteAt((table.start[row] as number) + 1) === 0x21;
    return table.children(0).find(isType) ?? 0;
  }

  #range(row: number, before: number, after: number): readonly [from: number, to: number] {
    const { table } = this;
    return [
      before < 0 ? 0 : (table.index[before] as number) + (isCounted(table, before) ? 1 : 0),
      after < 0 ? (table.count[row] as number) : (table.index[after] as number),
    ];
  }

  /** Other than white space. */
  #hasGap(row: number, before: number, after: number): boolean {
    const { table } = this;
    if (!this.grammar.isXml) {
      const [first, end] = this.#range(row, before, after);
      return end > first;
    }
    const [from, to] = this.#between(row, before, after);
    if (after >= 0) return to > from;
    let at = from;
    while (at < to && isSpace(table.byteAt(at))) at++;
    return at < to;
  }

  #bytesIn(row: number, before: number, after: number): number {
    const [from, to] = this.#between(row, before, after);
    return to - from;
  }

  #between(row: number, before: number, after: number): readonly [from: number, to: number] {
    const { table } = this;
    const body = row === 0 ? (table.from[1] as number) : table.bodyFrom(row);
    return [
      before < 0 ? body : (table.end[before] as number),
      after < 0 ? table.closeFrom(row) : (table.from[after] as number),
    ];
  }
}

function isCounted(table: TreeTable, row: number): boolean {
  return (table.kind[row] as number) <= Kind.element;
}

/** Also inside an XML comment. */
function isPlain(path: string): boolean {
  return /^[\w$.[\]:'* @/-]+$/.test(path) && !path.includes('--');
}

function blankChars({ from, to }: { readonly from: number; readonly to: number }): number {
  return to - from;
}

/** Deeper places get the part that leads to them. */
function within(paths: readonly string[]): string {
  let path = paths[0] ?? '';
  for (const step of paths.slice(1)) {
    if (path.length + step.length > LONGEST_PATH) break;
    path += step;
  }
  return path;
}
