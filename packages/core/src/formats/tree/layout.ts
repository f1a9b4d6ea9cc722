/**
 * How a tree is laid out when parts of it are shown: what each row takes, and how gaps are marked.
 * The chooser asks for lengths, the writer for the things themselves; a marker follows from what is
 * missing, so both have the same answer. Units: chars as rendered.
 */
import type { OmittedThings } from '../../model/selection.ts';
import { isSpace, Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';
import { formatCount } from '../../text/numbers.ts';

/**
 * Which white space between tokens is shown. `exact`: all of it, for JSON files; `blanks`: the blank
 * behind a colon, where the text has one; `lines`: one line end between tags; `none`: nothing.
 */
export type Spacing = 'exact' | 'blanks' | 'lines' | 'none';

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

/** A start tag: some attributes in order, of which long values are cut. */
interface Tag {
  readonly attributes: readonly number[];
  readonly cuts: ReadonlyMap<number, number>;
  /** Only parts of values are omitted. */
  readonly isWhole: boolean;
  /** The attribute that matters most is not shown. */
  readonly isBare: boolean;
  readonly chars: number;
}

/** A container of which some children are shown. */
export interface OpenNode {
  readonly row: number;
  readonly up: OpenNode | null;
  /** In XML the document is not a level. */
  readonly depth: number;
  /** Without attributes. */
  readonly children: readonly number[];
  readonly kept: number[];
  readonly tag: Tag | null;
  /** Chars for the names of children that are left out. */
  readonly namesRoom: number;
  isList: boolean;
  address?: Address;
}

/** The path to a node and to its children. */
interface Address {
  readonly path: string | null;
  /** Null if it is too long. */
  readonly children: string | null;
  readonly isPlain: boolean;
}

/** Whole, cut to some chars, or opened. Rows below a whole one are not in it. */
export type Shown = ReadonlyMap<number, number | OpenNode>;

export const WHOLE = -1;
/** In less room markers have no address. */
export const LEAST_ADDRESSED = 1_000;
const LONGEST_PATH = 60;
/** Shorter hashes may be names, such as commits. */
const LONGEST_ID = 44;
/** What a byte is in a hash or in base64; 0 where it occurs in neither. */
const LETTER = 1;
const DIGIT = 2;
const SLASH = 3;
const DIGEST = new Uint8Array(256);
for (const byte of Buffer.from('+=-_')) DIGEST[byte] = 4;
DIGEST[0x2f] = SLASH;
DIGEST.fill(DIGIT, 0x30, 0x3a);
DIGEST.fill(LETTER, 0x41, 0x5b).fill(LETTER, 0x61, 0x7b);
/** With so many letters in a row, or slashes, it is no hash but words or a path. */
const LONGEST_WORD = 12;
const MOST_SLASHES = 3;
const LONGEST_PAD = 80;
const TYPE_SHARE = 0.25;
/** Shorter values are shown whole; of longer ones at least this much. */
const SHORT_VALUE = 60;
const LEAST_VALUE = 16;

export class Layout {
  readonly table: TreeTable;
  readonly grammar: TreeGrammar;
  readonly spacing: Spacing;
  /** The document type, if it may declare entities that are used; else 0. */
  readonly typeRow: number;
  /** There is no room for it. */
  readonly hidesEntities: boolean;
  /** A reserved key that the document does not use. */
  readonly #reserved: string;
  readonly #isAddressed: boolean;
  readonly #isPadded: boolean;
  readonly #unit: 'element' | 'item';
  readonly #textSlot: 'text' | 'string';
  /** Chars of markers without their number. */
  readonly #listMark: number;
  readonly #otherMark: number;
  readonly #textMark: number;

  constructor(table: TreeTable, grammar: TreeGrammar, spacing: Spacing, budget: number) {
    const { isXml } = grammar;
    this.table = table;
    this.grammar = grammar;
    this.spacing = spacing;
    this.#reserved = table.reserved === 0 ? '$omitted' : `$omitted_${table.reserved}`;
    this.#isAddressed = budget >= LEAST_ADDRESSED;
    this.#isPadded = spacing === 'exact' || spacing === 'lines';
    this.#unit = isXml ? 'element' : 'item';
    this.#textSlot = isXml ? 'text' : 'string';
    const length = (unit: string, slot: string) => grammar.mark({ unit, slot, count: 1 }).length - 1;
    this.#listMark = length(this.#unit, this.#unit);
    this.#otherMark = length('char', this.#unit);
    this.#textMark = length('char', this.#textSlot);
    this.typeRow = isXml ? this.#findType() : 0;
    this.hidesEntities = this.typeRow > 0 && this.size(this.typeRow) > budget * TYPE_SHARE;
  }

  /** Without its key; infinite if it cannot be shown whole. */
  size(row: number): number {
    const { table } = this;
    if (table.isPruned && !table.isHeld(table.start[row] as number, table.end[row] as number))
      return Number.POSITIVE_INFINITY;
    if (this.hidesEntities && table.entity[row] === 1) return Number.POSITIVE_INFINITY;
    return (table.chars[row] as number) + (this.#isPadded ? (table.space[row] as number) : 0);
  }

  /** Key, separator and white space. */
  unit(row: number): number {
    const { table } = this;
    return (table.keyChars[row] as number) + (this.#isPadded ? (table.pad[row] as number) : 0);
  }

  /** A text of which so many chars are shown. */
  cut(row: number, chars: number): number {
    const { table } = this;
    const kind = table.kind[row];
    const frame = kind === Kind.string ? 2 : kind === Kind.cdata ? 12 : 0;
    return frame + chars + plural(this.#textMark, table.chars[row] as number);
  }

  /** A container with no child shown. */
  opened(node: OpenNode): number {
    const { table } = this;
    const { row } = node;
    const content = table.kind[row] === Kind.object ? this.#keysChars(node) : this.gapChars(node, -1, -1);
    if (row === 0) return content;
    const { from, to } = this.closingBlank(row);
    const frame = this.#isPadded ? to - from : 0;
    return content + frame + (node.tag?.chars ?? 1) + (table.closeBytes[row] as number);
  }

  /** The growth of a container if a child is added that takes so much. */
  added(node: OpenNode, row: number, size: number): number {
    const whole = size + this.unit(row);
    if (this.table.kind[node.row] === Kind.object)
      return whole + this.#keysChars(node, row) - this.#keysChars(node);
    const at = positionIn(node.kept, row);
    const before = node.kept[at - 1] ?? -1;
    const after = node.kept[at] ?? -1;
    const gaps = this.gapChars(node, before, row) + this.gapChars(node, row, after);
    return whole + gaps - this.gapChars(node, before, after);
  }

  /** What the marker between two shown children takes; -1 is an end. */
  gapChars(node: OpenNode, before: number, after: number): number {
    const gap = this.#gap(node.row, before, after);
    if (gap === null) return 0;
    const { count, from, to } = gap;
    let chars = count > 0 ? plural(this.#listMark, count) : plural(this.#otherMark, gap.bytes);
    if (count > 1 && this.#address(node).isPlain) chars += 2 + (this.#pathTo(node, from, to)?.length ?? 0);
    chars += this.markerPad(node);
    // In XML white space behind the gap belongs to it.
    if (this.grammar.isXml)
      return chars - (this.#isPadded && after >= 0 ? (this.table.pad[after] as number) : 0);
    return chars + (after >= 0 || node.row === 0 ? 1 : 0);
  }

  /** What is left out between two shown children; null if nothing is. */
  gap(node: OpenNode, before: number, after: number): OmittedThings | null {
    const gap = this.#gap(node.row, before, after);
    if (gap === null) return null;
    const { count, from, to } = gap;
    const path = this.#pathTo(node, from, to);
    const slot = this.grammar.isXml ? 'element' : node.row === 0 ? 'line' : after < 0 ? 'item' : 'item,';
    const things = count > 0 ? { unit: this.#unit, count } : { unit: 'char', count: gap.bytes };
    const isNamed = count > 1 && this.#address(node).isPlain && path !== null;
    return {
      ...things,
      slot,
      ...(isNamed ? { of: path } : {}),
      ...(path === null ? {} : { foundBy: [this.grammar.paths?.argument ?? '', path] }),
    };
  }

  /** The members that are left out, with their names as far as there is room. */
  keys(node: OpenNode, follows: boolean): OmittedThings {
    const { table } = this;
    const names: string[] = [];
    const { chars, isAll } = this.#named(node, -1, (row) => names.push(table.keyText(row)));
    return {
      unit: 'key',
      count: (table.count[node.row] as number) - node.kept.length,
      slot: follows ? 'member,' : 'member',
      key: this.#reserved,
      ...(chars === 0 ? {} : { of: names.join(', ') + (isAll ? '' : ', …') }),
    };
  }

  /** What fetches members that are left out: all of them if there are many alike, else the largest. */
  keysFoundBy(node: OpenNode): Pick<OmittedThings, 'foundBy'> {
    if (node.isList) return this.#foundBy(node.row, '.*');
    const gone = node.children.filter((row) => !node.kept.includes(row));
    const largest = gone.reduce(
      (best, row) => (this.size(row) > this.size(best) ? row : best),
      gone[0] ?? node.row,
    );
    return this.#foundBy(largest);
  }

  cutThings(row: number, count: number): OmittedThings {
    return { unit: 'char', count, slot: this.#textSlot, ...this.#foundBy(row) };
  }

  /**
   * The attributes of an element, long values cut. Where there is no room for all, `weight` tells
   * which come first; among equal ones the order of the text does. Those below 0 are left out if
   * there are others.
   */
  tag(row: number, room: number, weight: (attribute: number) => number): Tag {
    const { table } = this;
    const own = 1 + (table.keyBytes[row] as number);
    const name = (table.start[row] as number) + own;
    const body = table.bodyFrom(row);
    const attributes: number[] = [];
    const isLong = (at: number) => this.size(at) > SHORT_VALUE && this.#isQuoted(at);
    let end = name;
    let fixed = own;
    let long = 0;
    for (let at = row + 1; table.kind[at] === Kind.attribute && table.parent[at] === row; at++) {
      if (at >= table.rows || table.from[at] !== end) break;
      attributes.push(at);
      end = this.attributeEnd(at);
      fixed += table.keyChars[at] as number;
      if (isLong(at)) long++;
      else fixed += this.size(at);
    }
    const tail = table.isHeld(end, body) ? body - end : Number.POSITIVE_INFINITY;
    const each = (room - fixed - tail) / Math.max(1, long);
    const cuts = new Map<number, number>();
    const chars = attributes.map((at) => {
      const key = table.keyChars[at] as number;
      if (!isLong(at) || this.size(at) <= each) return key + this.size(at);
      cuts.set(at, Math.max(LEAST_VALUE, Math.floor(each - this.cut(at, 0))));
      return key + this.cut(at, cuts.get(at) as number);
    });
    const all = chars.reduce((sum, size) => sum + size, own + tail);
    if (all <= room || (attributes.length === 0 && tail < Number.POSITIVE_INFINITY))
      return { attributes, cuts, isWhole: true, isBare: false, chars: all };
    let used = own + this.grammar.mark(this.tagThings(row, body - name)).length;
    const ranked = attributes.map((at, i) => ({ at, chars: chars[i] as number, weight: weight(at) }));
    const isAnyWanted = ranked.some((each) => each.weight >= 0);
    ranked.sort((a, b) => b.weight - a.weight || a.at - b.at);
    const kept = ranked.filter(({ at, chars, weight }) => {
      const isWanted = weight >= 0 || !isAnyWanted;
      const fits = isWanted && used + chars <= room && isSpace(table.byteAt(table.from[at] as number));
      if (fits) used += chars;
      return fits;
    });
    const rows = kept.map(({ at }) => at).sort((a, b) => a - b);
    return {
      attributes: rows,
      cuts,
      isWhole: false,
      isBare: kept[0] !== ranked[0] || kept.length === 0,
      chars: used,
    };
  }

  attributeEnd(row: number): number {
    return (this.table.end[row] as number) + (this.#isQuoted(row) ? 1 : 0);
  }

  tagThings(row: number, count: number): OmittedThings {
    const isSlashed = this.table.byteAt(this.table.bodyFrom(row) - 2) === 0x2f;
    return { unit: 'char', count: count - (isSlashed ? 2 : 1), slot: isSlashed ? 'tag/' : 'tag' };
  }

  /** A hash, key or base64. */
  isDigest(row: number): boolean {
    const { table } = this;
    const kind = table.kind[row];
    if ((table.chars[row] as number) <= LONGEST_ID) return false;
    if (kind !== Kind.string && kind !== Kind.attribute && kind !== Kind.text) return false;
    const middle = Math.floor(((table.start[row] as number) + (table.end[row] as number)) / 2);
    if (!table.isHeld(middle - 24, middle + 24)) return false;
    let digits = 0;
    let letters = 0;
    let slashes = 0;
    for (let at = middle - 20, word = 0; at < middle + 20; at++) {
      const is = DIGEST[table.byteAt(at)] as number;
      word = is === LETTER ? word + 1 : 0;
      if (is === 0 || word === LONGEST_WORD) return false;
      if (is === LETTER) letters++;
      else if (is === DIGIT) digits++;
      else if (is === SLASH) slashes++;
    }
    return digits > 0 && letters > 0 && slashes < MOST_SLASHES;
  }

  /** White space before the end of a container, as far as it is shown. */
  closingBlank(row: number): { readonly from: number; readonly to: number } {
    const to = this.table.closeFrom(row);
    let from = to;
    while (isSpace(this.table.byteAt(from - 1))) from--;
    return this.spacing === 'lines' ? this.shownBlank(from, to) : { from, to };
  }

  /** Of white space its first line end, or its first character. */
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

  /** Puts the marker on a line like its siblings. */
  markerPad(node: OpenNode): number {
    const first = node.children[0];
    if (!this.#isPadded || first === undefined || node.row === 0) return 0;
    const pad = this.table.pad[first] as number;
    return pad <= LONGEST_PAD ? pad : 0;
  }

  /**
   * Counted children between two shown ones, and bytes if none of them counts. XML counts elements:
   * texts and comments may be a gap too, but not white space.
   */
  #gap(row: number, before: number, after: number) {
    const { table } = this;
    const isCounted = before >= 0 && (table.kind[before] as number) <= Kind.element;
    const from = before < 0 ? 0 : (table.index[before] as number) + (isCounted ? 1 : 0);
    const to = after < 0 ? (table.count[row] as number) : (table.index[after] as number);
    if (to > from) return { from, to, count: to - from, bytes: 0 };
    if (!this.grammar.isXml) return null;
    const body = row === 0 ? (table.from[1] as number) : table.bodyFrom(row);
    const start = before < 0 ? body : (table.end[before] as number);
    const end = after < 0 ? table.closeFrom(row) : (table.from[after] as number);
    let at = start;
    if (after < 0) while (at < end && isSpace(table.byteAt(at))) at++;
    return at < end ? { from, to, count: 0, bytes: end - start } : null;
  }

  #address(node: OpenNode): Address {
    node.address ??= this.#addressOf(node.row);
    return node.address;
  }

  #addressOf(row: number): Address {
    const { paths } = this.grammar;
    if (paths === undefined) return { path: null, children: null, isPlain: false };
    const steps = paths.stepsTo(this.table, row);
    const path = within(steps);
    const children = path === steps.join('') ? path + paths.childStep(this.table, row) : null;
    // It must be fit for an XML comment too.
    const isPlain = /^(?!.*--)[\w$.[\]:'* @/-]+$/.test(children ?? path);
    return { path, children, isPlain: isPlain && this.#isAddressed };
  }

  #pathTo(node: OpenNode, from: number, to: number): string | null {
    const { path, children } = this.#address(node);
    return children === null || to <= from ? path : children + (this.grammar.paths?.range(from, to) ?? '');
  }

  /** What fetches a row, or its children by one more step; of a deep one the part that leads to it. */
  #foundBy(row: number, ...step: readonly string[]): Pick<OmittedThings, 'foundBy'> {
    const { paths } = this.grammar;
    if (paths === undefined) return {};
    return { foundBy: [paths.argument, within([...paths.stepsTo(this.table, row), ...step])] };
  }

  /** What the reserved key takes, with a comma; `shown`: a member that is shown too. */
  #keysChars(node: OpenNode, shown = -1): number {
    const count = (this.table.count[node.row] as number) - node.kept.length - (shown < 0 ? 0 : 1);
    if (count <= 0) return 0;
    const { chars } = this.#named(node, shown);
    return this.markerPad(node) + this.#reserved.length + plural(9, count) + (chars === 0 ? 0 : chars + 2);
  }

  /** The first members that are left out, as many as there is room for; `shown`: one that is not. */
  #named(node: OpenNode, shown: number, take?: (row: number) => void): { chars: number; isAll: boolean } {
    const { children, kept, namesRoom } = node;
    let chars = 0;
    let isAll = this.table.count[node.row] === children.length;
    for (let at = 0, next = 0; at < children.length; at++) {
      const row = children[at] as number;
      if (kept[next] === row) next++;
      else if (row !== shown) {
        // Without its quotes, and with a comma and a blank.
        const named = this.table.keyBytes[row] as number;
        isAll &&= chars + named <= namesRoom;
        if (chars + named > namesRoom) break;
        chars += named;
        take?.(row);
      }
    }
    return { chars: chars === 0 ? 0 : chars - 2 + (isAll ? 0 : 3), isAll };
  }

  #isQuoted(row: number): boolean {
    const { table } = this;
    const quote = table.byteAt((table.start[row] as number) - 1);
    return (quote === 0x22 || quote === 0x27) && table.byteAt(table.end[row] as number) === quote;
  }

  #findType(): number {
    const { table } = this;
    const isType = (row: number) =>
      table.kind[row] === Kind.instruction && table.byteAt((table.start[row] as number) + 1) === 0x21;
    return table.entity[0] === 1 ? (table.children(0).find(isType) ?? 0) : 0;
  }
}

/** Where a row belongs among rows in order. */
export function positionIn(rows: readonly number[], row: number): number {
  let at = rows.length;
  while (at > 0 && (rows[at - 1] as number) > row) at--;
  return at;
}

/** A marker with its number and a plural. */
function plural(fixed: number, count: number): number {
  return fixed + formatCount(count).length + (count === 1 ? 0 : 1);
}

/** Of a deep path the part that leads there. */
function within(steps: readonly string[]): string {
  let path = steps[0] ?? '';
  for (const step of steps.slice(1)) {
    if (path.length + step.length > LONGEST_PATH) break;
    path += step;
  }
  return path;
}
