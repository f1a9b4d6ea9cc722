/**
 * What is left out of a tree, as the renderer will mark it, and what that costs. The chooser asks
 * for prices, the writer for the things themselves, so both follow from one description. Units:
 * chars as rendered.
 */
import type { OmittedThings } from '../../model/selection.ts';
import { Kind } from '../../table/tree/tree-sink.ts';
import { isSpace, type TreeTable } from '../../table/tree/tree-table.ts';
import { pluralize } from '../../text/numbers.ts';
import type { OpenNode } from './open-node.ts';

/**
 * Which white space between tokens is shown. `exact`: all of it, for files; `blanks`: the blank
 * behind a colon, where the text has one, and the line ends of XML; `none`: nothing.
 */
export type Spacing = 'exact' | 'blanks' | 'none';

/** How a grammar writes gaps; prices are the lengths of what it writes. */
export interface TreeGrammar {
  readonly isXml: boolean;
  mark(what: OmittedThings): string;
  /** The argument that fetches what is left out. */
  readonly argument: string;
  /** Where a row is, and where children `from` … `to` of a node are; null if that is too long. */
  pathOf(table: TreeTable, row: number): string | null;
  rangeOf(table: TreeTable, node: OpenNode, from: number, to: number): string | null;
}

/** In less room a marker does not say where things are. */
const LEAST_ADDRESSED = 1_000;
const LONGEST_PATH = 60;
/** A shorter hash may be the name of something, such as a commit. */
const LONGEST_ID = 44;
const DIGEST = /^[\w+/=-]{40,64}$/;
const MOST_SLASHES = 3;
const MOST_CLOSED = 3;
const LONGEST_PAD = 80;

export class Prices {
  readonly table: TreeTable;
  readonly grammar: TreeGrammar;
  readonly spacing: Spacing;
  /** The reserved key of the document: one that it does not hold itself. */
  readonly #reserved: string;
  readonly #isAddressed: boolean;
  /** Children of nodes up to this depth are named as far as there is room. */
  readonly outerDepth: number;

  constructor(table: TreeTable, grammar: TreeGrammar, spacing: Spacing, budget: number) {
    this.table = table;
    this.grammar = grammar;
    this.spacing = spacing;
    this.#reserved = table.reserved === 0 ? '$omitted' : `$omitted_${table.reserved}`;
    this.#isAddressed = budget >= LEAST_ADDRESSED;
    this.outerDepth = grammar.isXml ? 1 : 0;
  }

  /** What a row takes when it is shown whole, without its key; infinite if that cannot be. */
  size(row: number): number {
    const { table } = this;
    if (table.isPruned && !table.isHeld(table.start[row] as number, table.end[row] as number))
      return Number.POSITIVE_INFINITY;
    return (table.chars[row] as number) + (this.spacing === 'exact' ? (table.space[row] as number) : 0);
  }

  /** What stands around it: its key, its separator, white space. */
  unit(row: number): number {
    const { table } = this;
    return (table.keyChars[row] as number) + (this.spacing === 'exact' ? (table.pad[row] as number) : 0) + 1;
  }

  /** What is needed to show so many chars of a text. */
  cut(row: number, chars: number): number {
    const { table } = this;
    const frame = table.kind[row] === Kind.string ? 2 : table.kind[row] === Kind.cdata ? 12 : 0;
    return (
      frame +
      chars +
      this.grammar.mark({ unit: 'char', count: table.chars[row] as number, slot: 'string' }).length
    );
  }

  /** Called when a container is opened. */
  begin(node: OpenNode): void {
    if (!this.#isNamed(node)) return;
    for (const row of node.children) node.unnamed += this.nameChars(row);
  }

  /** What a container takes of which no child is shown. */
  opened(node: OpenNode): number {
    const { table, spacing } = this;
    const { row } = node;
    let frame = table.kind[row] === Kind.top ? 0 : 2;
    if (spacing === 'exact' && frame > 0) {
      const end = (table.end[row] as number) - 1;
      let at = end;
      while (isSpace(table.byteAt(at - 1))) at--;
      frame += end - at;
    }
    return frame + this.#contentPrice(node);
  }

  /** By how much the text grows when a child is put in that takes so much itself. */
  added(node: OpenNode, row: number, price: number): number {
    const { table } = this;
    const whole = price + this.unit(row);
    if (table.kind[row] === Kind.attribute)
      return whole + this.#attributesPrice(node, 1, this.nameChars(row)) - this.#attributesPrice(node, 0, 0);
    if (table.kind[node.row] === Kind.object) {
      const left = (table.count[node.row] as number) - node.kept.length;
      return (
        whole +
        this.#keysPrice(node, left - 1, node.unnamed - this.nameChars(row)) -
        this.#keysPrice(node, left, node.unnamed)
      );
    }
    const index = table.index[row] as number;
    let at = node.kept.length;
    while (at > 0 && (node.kept[at - 1] as number) > row) at--;
    const before = at === 0 ? node.content : (table.index[node.kept[at - 1] as number] as number) + 1;
    const after =
      at === node.kept.length
        ? (table.count[node.row] as number)
        : (table.index[node.kept[at] as number] as number);
    return (
      whole +
      this.#gapPrice(node, before, index) +
      this.#gapPrice(node, index + 1, after) -
      this.#gapPrice(node, before, after)
    );
  }

  /** Chars of the name of a child in a list of names. */
  nameChars(row: number): number {
    const { table } = this;
    const named = table.keyBytes[row] as number;
    return named === 0 ? 0 : named + 2;
  }

  /** A long run of letters and digits that says nothing: a hash, a key, base64. */
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

  /** Runs of few children that are left out, and what their marker takes. */
  gapsOf(node: OpenNode): { readonly rows: readonly number[]; readonly price: number }[] {
    const { table } = this;
    const isKept = new Set(node.kept);
    const gone = node.children.slice(node.content).filter((row) => !isKept.has(row));
    if (table.kind[node.row] === Kind.object) {
      const left = (table.count[node.row] as number) - node.kept.length;
      return left === gone.length && left > 0 && left <= MOST_CLOSED
        ? [{ rows: gone, price: this.#keysPrice(node, left, node.unnamed) }]
        : [];
    }
    const gaps: { rows: number[]; from: number; to: number }[] = [];
    let before = node.content;
    for (const row of [...node.kept, -1]) {
      const to = row < 0 ? (table.count[node.row] as number) : (table.index[row] as number);
      if (to > before && to - before <= MOST_CLOSED) gaps.push({ rows: [], from: before, to });
      before = to + 1;
    }
    for (const row of gone) {
      const index = table.index[row] as number;
      gaps.find(({ from, to }) => index >= from && index < to)?.rows.push(row);
    }
    return gaps.flatMap(({ rows, from, to }) =>
      rows.length === to - from ? [{ rows, price: this.#gapPrice(node, from, to) }] : [],
    );
  }

  /** Children `from` … `to` of a list. */
  gap(node: OpenNode, from: number, to: number): OmittedThings {
    const { table, grammar } = this;
    const path = grammar.rangeOf(table, node, from, to);
    const isTop = table.kind[node.row] === Kind.top;
    const slot = isTop ? 'line' : to < (table.count[node.row] as number) ? 'item,' : 'item';
    const hasPath = this.#isAddressed && path !== null && to - from > 1 && /^[\w$.[\]:'* @/-]+$/.test(path);
    return {
      unit: grammar.isXml ? 'element' : 'item',
      count: to - from,
      slot,
      ...(hasPath ? { of: path } : {}),
      ...(path === null ? {} : { foundBy: [grammar.argument, path] }),
    };
  }

  /** All members of an object that are left out: named as far as there is room. */
  keys(node: OpenNode, follows: boolean): OmittedThings {
    const { table, grammar } = this;
    const isKept = new Set(node.kept);
    const count = (table.count[node.row] as number) - node.kept.length;
    const gone = node.children.filter((row) => !isKept.has(row));
    const names = this.#names(gone, count, Math.min(node.namesRoom, node.unnamed));
    const largest = gone.reduce(
      (best, row) => (best < 0 || this.size(row) > this.size(best) ? row : best),
      -1,
    );
    const path = grammar.pathOf(table, largest < 0 ? node.row : largest);
    return {
      unit: 'key',
      count,
      slot: follows ? 'member,' : 'member',
      key: this.#reserved,
      ...(names === '' ? {} : { of: names }),
      ...(path === null ? {} : { foundBy: [grammar.argument, path] }),
    };
  }

  /** Members that the key of another gap speaks for. */
  silent(node: OpenNode): OmittedThings {
    const { foundBy } = this.keys(node, true);
    const what = { unit: 'key', count: 0, slot: 'silent' };
    return foundBy === undefined ? what : { ...what, foundBy };
  }

  /** Chars that are left out of a text. */
  cutThings(row: number, count: number): OmittedThings {
    const path = this.grammar.pathOf(this.table, row);
    const what = { unit: 'char', count, slot: 'string' };
    return path === null ? what : { ...what, foundBy: [this.grammar.argument, path] };
  }

  #names(rows: readonly number[], count: number, room: number): string {
    const names: string[] = [];
    let used = 0;
    for (const row of rows) {
      const size = this.nameChars(row);
      if (used + size > room) break;
      used += size;
      names.push(this.table.keyText(row));
    }
    if (names.length === 0) return '';
    return names.join(', ') + (names.length < count ? ', …' : '');
  }

  #isNamed(node: OpenNode): boolean {
    return this.table.kind[node.row] === Kind.object;
  }

  #contentPrice(node: OpenNode): number {
    const { table } = this;
    const count = table.count[node.row] as number;
    return this.#isNamed(node)
      ? this.#keysPrice(node, count, node.unnamed)
      : this.#gapPrice(node, node.content, count);
  }

  #keysPrice(node: OpenNode, count: number, unnamed: number): number {
    if (count <= 0) return 0;
    const names = Math.min(node.namesRoom, unnamed);
    return (
      this.markerPad(node) +
      this.#reserved.length +
      6 +
      pluralize(count, 'key').length +
      (names > 0 ? names + 5 : 0)
    );
  }

  #gapPrice(node: OpenNode, from: number, to: number): number {
    if (to <= from) return 0;
    return this.grammar.mark(this.gap(node, from, to)).length + this.markerPad(node) + 1;
  }

  /** White space before a marker in exact text, so that it stands on a line as others do. */
  markerPad(node: OpenNode): number {
    const first = node.children[node.content];
    if (this.spacing !== 'exact' || first === undefined || this.table.kind[node.row] === Kind.top) return 0;
    const pad = this.table.pad[first] as number;
    return pad <= LONGEST_PAD ? pad : 0;
  }

  #attributesPrice(_node: OpenNode, _more: number, _names: number): number {
    return 0;
  }
}

/** The longest path that is written: of a deeper place the part that leads to it. */
export function within(paths: readonly string[]): string {
  let path = paths[0] ?? '';
  for (const step of paths.slice(1)) {
    if (path.length + step.length > LONGEST_PATH) break;
    path += step;
  }
  return path;
}
