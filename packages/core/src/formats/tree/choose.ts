/**
 * What of a tree is shown within a budget, for JSON and XML: one heap of moves (show a child, show
 * more of a text), the move with the most worth for its price first. A marker follows from what is
 * missing, so the price of a move is the exact change of the rendered size. Breadth comes first:
 * every child of a record is offered at once, and an item of a list gets no more than its part
 * while siblings wait. Units: chars as rendered.
 */
import { FIELDS, type Policy } from '../../model/policy.ts';
import { Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';
import { Heap } from '../../text/heap.ts';
import { Field, fieldOf } from '../../vocabulary/fields.ts';
import { OpenNode, type Ranked, type Shown } from './open-node.ts';
import type { Prices } from './prices.ts';
import { REMARKABLE, type Standing, type StandingOf } from './unusual.ts';

/** Fixed cost of a move, so that many small ones do not come first. */
const BASE = 60;
/** Worth of a list item, falling with its rank. */
const ITEM = 0.4;
const DECAY = 0.12;
const FAILING = 3;
/** If so few items stand out, each may exceed its part. */
const FEW_ODD = 2;
const FEW_FAILING = 4;
/** First cut of a long text, and the worth of showing more. */
const FIRST_CUT = 100;
const DIGEST_CUT = 16;
const MORE = 0.5;
const OPENED_CHARS = 100;
/** Containers are not opened in less room. */
const LEAST_OPENED = 24;
/** Weight of a field with the same value in all items, after the first. */
const DULL = 0.3;
const DIGEST = 0.2;
/** Extra weight of small fields of the outermost record. */
const OUTER = 2;
const OUTER_CHARS = 80;
/** Weight of comments, scripts and styles. */
const LEAST = 0.02;
const PROLOG_SHARE = 0.25;
/** Room of a start tag, and what is left for its content and end. */
const TAG_CHARS = 200;
const TAG_SHARE = 0.05;
const TAG_LEFT = 60;
/** A list is divided into this many parts while items wait. */
const ITEM_PARTS = 10;
const ITEMS_SHARE = 0.6;
const LEAST_CAP = 250;
/** Deeper containers are shown whole or not at all. */
const DEEPEST = 64;
const MOST_ITEMS = 4_000;
const MOST_UNUSUAL = 24;
const WHOLE = -1;

export interface ChooseOptions {
  readonly first: number;
  readonly last: number;
  readonly fill: boolean;
  readonly maxDepth: number;
}

/** As many items as fit, unless a number is set. */
export function optionsFrom(policy: Policy): ChooseOptions {
  const { firstElements: first, lastElements: last, maxDepth } = policy;
  const fill = first === FIELDS.firstElements.default && last === FIELDS.lastElements.default;
  return { first, last, fill, maxDepth: maxDepth ?? Number.POSITIVE_INFINITY };
}

interface Move {
  readonly node: OpenNode;
  readonly row: number;
  readonly worth: number;
  readonly how: 'item' | 'member' | 'more';
}

export class Chooser {
  readonly #table: TreeTable;
  readonly #prices: Prices;
  readonly #options: ChooseOptions;
  readonly #standing: StandingOf;
  readonly #budget: number;
  /** Children up to this size are shown whole. */
  readonly #small: number;
  readonly #shown = new Map<number, number | OpenNode>();
  readonly #heap = new Heap();
  /** The heap holds negative indexes, so that the oldest comes first. */
  readonly #moves: Move[] = [];
  #waiting: Move[] = [];
  readonly #opened: OpenNode[] = [];
  #left: number;
  /** XML may be one level deeper: text does not count. */
  readonly #deepest: number;

  constructor(prices: Prices, options: ChooseOptions, standing: StandingOf, budget: number) {
    this.#table = prices.table;
    this.#prices = prices;
    this.#options = options;
    this.#standing = standing;
    this.#budget = budget;
    this.#small = Math.min(400, Math.max(120, budget / 16));
    this.#left = budget;
    this.#deepest = options.maxDepth + (prices.grammar.isXml ? 1 : 0);
  }

  /** `root` is always shown. */
  choose(root: number): Shown {
    const size = this.#prices.size(root);
    if (size <= this.#budget && this.#fitsDepth(root, 0)) this.#shown.set(root, WHOLE);
    else if (this.#isBox(root)) {
      const node = this.#open(root, null, 1);
      this.#left -= this.#prices.opened(node);
      for (const row of this.#outermost(root)) this.#force(node, row);
      this.#showOpened(node);
      this.#run();
      this.#closeGaps();
    } else this.#shown.set(root, Math.max(0, this.#budget - this.#prices.cut(root, 0)));
    return this.#shown;
  }

  /** Declaration and type as far as there is room, and the root. */
  #outermost(top: number): number[] {
    const { kind, count } = this.#table;
    if (!this.#prices.grammar.isXml || top !== 0 || count[0] !== 1) return [];
    const rows = this.#table.children(0);
    const most = this.#budget * PROLOG_SHARE;
    return [
      ...rows.filter((row) => kind[row] === Kind.instruction && this.#prices.size(row) <= most),
      ...rows.filter((row) => kind[row] === Kind.element),
    ];
  }

  #force(node: OpenNode, row: number): void {
    const size = this.#prices.size(row);
    const isWhole = this.#prices.added(node, row, size) <= this.#left && this.#fitsDepth(row, node.depth + 1);
    if (!isWhole && !this.#isBox(row)) return;
    const child = isWhole ? null : this.#open(row, node, 1);
    const price = child === null ? size : this.#prices.opened(child);
    const change = this.#prices.added(node, row, price);
    this.#keep(node, row);
    this.#spend(node, change);
    if (child === null) this.#shown.set(row, WHOLE);
    else this.#showOpened(child);
  }

  #showOpened(node: OpenNode): void {
    this.#shown.set(node.row, node);
    for (const [row, chars] of node.tag.cuts) {
      if (!node.tag.attributes.includes(row)) continue;
      this.#shown.set(row, chars);
      this.#push({ node, row, worth: node.worth * MORE, how: 'more' });
    }
    this.#offer(node);
  }

  #run(): void {
    for (let rounds = 0; rounds < 16; rounds++) {
      while (this.#heap.size > 0 && this.#left > 3) this.#make(this.#moves[-this.#heap.pop()] as Move);
      if (this.#waiting.length === 0 || this.#left <= 3) return;
      // The rest may use what was kept back.
      for (const node of this.#opened) node.cap *= 1.6;
      for (const move of this.#waiting.splice(0)) this.#push(move);
    }
  }

  #push(move: Move): void {
    const { row, worth, how } = move;
    const size = this.#prices.size(row);
    const had = this.#shown.get(row);
    const least = size > this.#small && this.#isBox(row) ? OPENED_CHARS : this.#small;
    const price = how === 'more' && typeof had === 'number' ? had * 2 : Math.min(size, least);
    this.#heap.push(worth / (BASE + price), -this.#moves.length);
    this.#moves.push(move);
  }

  #make(move: Move): void {
    const { node, row, how } = move;
    if (how === 'more') {
      this.#showMore(move);
      return;
    }
    if (how === 'item') this.#nextItem(node);
    if (this.#shown.has(row)) return;
    const table = this.#table;
    const size = this.#prices.size(row);
    const isWorse = (table.worst[row] as number) > 1;
    const speaks = (this.#fieldOf(row) & Field.message) !== 0;
    const roomy = this.#small * (isWorse && how === 'item' ? FAILING : speaks ? 2.5 : 1);
    const hasInside = (table.count[row] as number) > 0 || table.kind[row] === Kind.element;
    const isBox = this.#isBox(row) && hasInside && node.depth < DEEPEST;
    const isDigest = isBox ? size > 120 && this.#holdsDigest(row) : size > 60 && this.#prices.isDigest(row);
    const isSmall = size <= roomy && !isDigest;
    if (isSmall || !(isBox || this.#isCuttable(row))) {
      if (this.#fitsDepth(row, node.depth + 1) && size < Number.POSITIVE_INFINITY) {
        if (this.#put(move, size)) this.#shown.set(row, WHOLE);
        else if (isBox && this.#waiting.at(-1) !== move) this.#openChild(move);
      } else if (isBox) this.#openChild(move);
    } else if (isBox) this.#openChild(move);
    else this.#cutChild(move, isWorse, speaks);
  }

  #openChild(move: Move): void {
    const { node, row, worth, how } = move;
    if (node.depth + 1 >= this.#deepest || this.#left < LEAST_OPENED) return;
    const child = this.#open(row, node, worth);
    const parts = Math.min(ITEM_PARTS, this.#table.count[node.row] as number);
    if (how === 'item' && parts > 1) {
      const factor = node.few.has(row) ? FAILING : 1;
      child.cap = Math.max(LEAST_CAP, (this.#budget * ITEMS_SHARE) / parts) * factor;
      if (node.turn > 1) child.dull = node.dull;
    }
    const price = this.#prices.opened(child);
    // An item without attributes says nothing; one as long as the whole says less.
    const isBare = !child.tag.isWhole && child.tag.attributes.length === 0;
    const isLonger = price >= this.#prices.size(row) && this.#fitsDepth(row, child.depth);
    if (isLonger || (how === 'item' && isBare)) return;
    child.spent = price;
    if (!this.#put(move, price)) return;
    this.#opened.push(child);
    this.#showOpened(child);
  }

  #cutChild(move: Move, isWorse: boolean, speaks: boolean): void {
    const { node, row, worth } = move;
    const isDigest = this.#prices.isDigest(row);
    const wanted = isDigest ? DIGEST_CUT : FIRST_CUT * (isWorse ? 4 : speaks ? 3 : 1);
    const chars = Math.min(wanted, Math.max(20, this.#left - 90));
    if (!this.#put(move, this.#prices.cut(row, chars))) return;
    this.#shown.set(row, chars);
    const more = worth * MORE * (isDigest ? DIGEST * DIGEST : 1);
    this.#push({ node, row, worth: more, how: 'more' });
  }

  /** Three times as much, all of it, or what fits. */
  #showMore(move: Move): void {
    const { node, row, worth } = move;
    const had = this.#shown.get(row) as number;
    const size = this.#prices.size(row);
    if (had >= (this.#table.chars[row] as number)) return;
    const before = this.#prices.cut(row, had);
    const wanted = had * 3;
    const isWhole = size <= this.#prices.cut(row, wanted);
    const change = (isWhole ? size : this.#prices.cut(row, wanted)) - before;
    if (change <= this.#left && this.#mayTake(node, change)) {
      this.#spend(node, change);
      this.#shown.set(row, isWhole ? WHOLE : wanted);
      if (!isWhole) this.#push({ node, row, worth: worth * MORE, how: 'more' });
    } else if (change <= this.#left) this.#waiting.push(move);
    else if (this.#left > 60 && this.#mayTake(node, this.#left)) {
      const chars = had + this.#left - 10;
      this.#spend(node, this.#prices.cut(row, chars) - before);
      this.#shown.set(row, chars);
    }
  }

  /** One that exceeds its part waits. */
  #put(move: Move, price: number): boolean {
    const { node, row } = move;
    const change = this.#prices.added(node, row, price);
    if (change > this.#left) return false;
    if (!this.#mayTake(node, change)) {
      this.#waiting.push(move);
      return false;
    }
    this.#keep(node, row);
    this.#spend(node, change);
    return true;
  }

  #keep(node: OpenNode, row: number): void {
    const { kept } = node;
    let at = kept.length;
    while (at > 0 && (kept[at - 1] as number) > row) at--;
    kept.splice(at, 0, row);
  }

  #mayTake(node: OpenNode, chars: number): boolean {
    for (let at: OpenNode | null = node; at !== null; at = at.up) if (at.spent + chars > at.cap) return false;
    return true;
  }

  #spend(node: OpenNode, chars: number): void {
    this.#left -= chars;
    for (let at: OpenNode | null = node; at !== null; at = at.up) at.spent += chars;
  }

  #open(row: number, up: OpenNode | null, worth: number): OpenNode {
    const depth = up === null ? 0 : up.depth + 1;
    const part = depth === 0 ? 6 : depth === 1 ? 30 : Number.POSITIVE_INFINITY;
    const node = new OpenNode(this.#table, row, up, worth, Math.max(60, Math.floor(this.#budget / part)));
    if (this.#table.kind[row] === Kind.element) {
      const speaks = (this.#table.worst[row] as number) > 1 ? FAILING : 1;
      const room = Math.min(Math.max(TAG_CHARS, this.#budget * TAG_SHARE) * speaks, this.#left - TAG_LEFT);
      node.tag = this.#prices.tag(row, room);
    }
    return node;
  }

  /** Of a record at once, of a list one by one. */
  #offer(node: OpenNode): void {
    const table = this.#table;
    const isLeast = (row: number) => this.#isLeast(row);
    const { isXml } = this.#prices.grammar;
    const content = isXml ? node.children.filter((row) => !isLeast(row)) : node.children;
    const worth = node.worth * (content.length === 1 ? 3 : 1);
    node.isList = this.#isList(node.row, content);
    if (node.isList) {
      const found = this.#standing(node.row, content);
      node.dull = found.dull;
      node.order = this.#ranked(content, found);
      const odd = node.order.filter((item) => item.odd >= REMARKABLE);
      const failing = odd.filter(({ row }) => (table.worst[row] as number) > 1);
      const few = odd.length <= FEW_ODD ? odd : failing.length <= FEW_FAILING ? failing : [];
      node.few = new Set(few.map(({ row }) => row));
      this.#nextItem(node);
    } else for (const row of content) this.#member(node, row, worth / Math.sqrt(content.length || 1));
    if (isXml) for (const row of node.children.filter(isLeast)) this.#member(node, row, worth * LEAST);
  }

  #isLeast(row: number): boolean {
    const { kind, name } = this.#table;
    if (kind[row] === Kind.comment || kind[row] === Kind.instruction) return true;
    return kind[row] === Kind.element && this.#prices.grammar.isLeast?.(name[row] as number) === true;
  }

  /** A text is named by its element. */
  #fieldOf(row: number): number {
    const { kind, name, parent } = this.#table;
    const isText = kind[row] === Kind.text || kind[row] === Kind.cdata;
    return fieldOf(name[isText ? (parent[row] as number) : row] as number);
  }

  #member(node: OpenNode, row: number, worth: number): void {
    const table = this.#table;
    const field = this.#fieldOf(row);
    let factor =
      (field & Field.message) !== 0
        ? 1.6
        : (field & Field.judging) !== 0
          ? 1.35
          : (field & Field.identity) !== 0 || table.index[row] === 0
            ? 2
            : 1;
    if ((table.worst[row] as number) > 1) factor *= table.worst[row] === 3 ? FAILING * 2 : FAILING;
    if (node.dull?.has(table.name[row] as number) === true) factor *= DULL;
    if (node.depth === 0 && this.#prices.size(row) <= OUTER_CHARS) factor *= OUTER;
    if (field === 0 && this.#prices.isDigest(row)) factor *= DIGEST;
    this.#push({ node, row, worth: worth * factor, how: 'member' });
  }

  #nextItem(node: OpenNode): void {
    const item = node.order[node.turn];
    if (item === undefined) return;
    const { row, odd } = item;
    const factor = odd >= REMARKABLE ? FAILING : odd >= 2 ? 1.6 : 1;
    const share = node.order.length === 1 ? 1 : ITEM;
    const worth = (node.worth * share * factor) / (1 + node.turn * DECAY);
    node.turn++;
    this.#push({ node, row, worth, how: 'item' });
  }

  /** Failures first, then both ends, then the unusual. */
  #ranked(rows: readonly number[], { score, order }: Standing): Ranked[] {
    const { first, last, fill } = this.#options;
    const ranked: Ranked[] = [];
    const used = new Uint8Array(rows.length);
    const add = (at: number | undefined) => {
      if (at === undefined || at < 0 || at >= rows.length || used[at] === 1) return;
      used[at] = 1;
      ranked.push({ row: rows[at] as number, odd: score[at] as number });
    };
    const size = rows.length;
    const odd = order.filter((at) => (score[at] as number) >= REMARKABLE);
    const rest = order.filter((at) => (score[at] as number) < REMARKABLE);
    add(odd[0]);
    add(0);
    add(size - 1);
    for (const at of odd.slice(1, 6)) add(at);
    for (const at of rest.slice(0, 6)) add(at);
    for (let at = 1; at < Math.max(first, last); at++) {
      if (at < first) add(at);
      if (at < last) add(size - 1 - at);
    }
    for (const at of [...odd, ...rest].slice(0, fill ? order.length : MOST_UNUSUAL)) add(at);
    for (let at = 0; fill && at * 2 <= size && ranked.length < MOST_ITEMS; at++) {
      add(at);
      add(size - 1 - at);
    }
    return ranked;
  }

  /** Many similar children are a list, which is sampled. */
  #isList(row: number, children: readonly number[]): boolean {
    const { kind, name, hash } = this.#table;
    const isXml = this.#prices.grammar.isXml;
    if (kind[row] === Kind.array || (kind[row] === Kind.top && !isXml)) return true;
    if (children.length < 8) return false;
    const alike = new Map<number, number>();
    let boxes = 0;
    for (const child of children) {
      const isBox = this.#isBox(child);
      const like = isXml
        ? (name[child] as number)
        : isBox
          ? (hash[child] as number)
          : (kind[child] as number);
      alike.set(like, (alike.get(like) ?? 0) + 1);
      if (isBox) boxes++;
    }
    if (isXml) return alike.size * 2 <= children.length;
    const most = Math.max(...alike.values());
    return (
      boxes * 10 > children.length * 9 ||
      (most * 2 > children.length && children.length > 32) ||
      children.length > 64
    );
  }

  /** Shows gaps that cost no less than their content. */
  #closeGaps(): void {
    for (const node of [...this.#shown.values()]) {
      if (typeof node === 'number' || node.depth >= this.#deepest) continue;
      if (!this.#options.fill && node.isList) continue;
      for (const gap of this.#prices.gapsOf(node)) {
        const rows = gap.rows;
        if (
          rows.some(
            (row) =>
              this.#prices.size(row) === Number.POSITIVE_INFINITY || !this.#fitsDepth(row, node.depth + 1),
          )
        )
          continue;
        const change =
          rows.reduce((sum, row) => sum + this.#prices.unit(row) + this.#prices.size(row), 0) - gap.price;
        if (change > 0 && change > this.#left) continue;
        if (change > 0 && change > 8) continue;
        for (const row of rows) {
          this.#keep(node, row);
          this.#shown.set(row, WHOLE);
        }
        this.#left -= change;
      }
    }
  }

  #isBox(row: number): boolean {
    const kind = this.#table.kind[row];
    return kind === Kind.object || kind === Kind.array || kind === Kind.element || kind === Kind.top;
  }

  #isCuttable(row: number): boolean {
    const kind = this.#table.kind[row];
    return kind === Kind.string || kind === Kind.text || kind === Kind.cdata || kind === Kind.attribute;
  }

  /** Hashes are shortened. */
  #holdsDigest(row: number): boolean {
    const end = this.#table.next[row] as number;
    for (let at = row + 1; at < end; at++) if (this.#prices.isDigest(at)) return true;
    return false;
  }

  #fitsDepth(row: number, depth: number): boolean {
    const most = this.#deepest - depth;
    if (most === Number.POSITIVE_INFINITY) return true;
    const { parent, next } = this.#table;
    const end = next[row] as number;
    const levels = new Map<number, number>([[row, this.#isBox(row) ? 1 : 0]]);
    for (let at = row + 1; at < end; at++) {
      const level = (levels.get(parent[at] as number) ?? 0) + (this.#isBox(at) ? 1 : 0);
      levels.set(at, level);
      if (level > most) return false;
    }
    return (levels.get(row) ?? 0) <= most;
  }
}
