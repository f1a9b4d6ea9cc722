/**
 * What of a tree is shown within a budget, for JSON and XML: one heap of moves (show a child, show
 * more of a text), the move with the most worth for its price first. The price of a move is the
 * exact change of the rendered size. Breadth comes first: every child of a record is offered at
 * once, and an item of a list gets no more than its part while siblings wait. Units: chars as
 * rendered.
 */
import { FIELDS, type Policy } from '../../model/policy.ts';
import { REMARKABLE, type Standing, type Standings } from '../../table/tree/standing.ts';
import { isBox, Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';
import { Heap } from '../../text/heap.ts';
import { Field, fieldOf } from '../../vocabulary/fields.ts';
import { type Layout, type OpenNode, positionIn, type Shown, WHOLE } from './layout.ts';

/** Fixed cost of a move, so that many small ones do not come first. */
const BASE = 60;
/** Worth of a list item, falling with its rank. */
const ITEM = 0.4;
const DECAY = 0.12;
const FAILING = 3;
/** Of what makes an item of a list stand out, and of what leads to it. */
const ODD = 3;
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
/** What an item has room for that is opened. */
const LEAST_INSIDE = 15;
/** If so many moves in a row do not fit, no further ones are tried. */
const MOST_MISSES = 100;
/** Weight of a field with the same value in all items, after the first. */
const DULL = 0.3;
const DIGEST = 0.2;
/** Weight of comments, scripts and styles. */
const LEAST = 0.02;
/** The most for a declaration or type, and what they leave of the room. */
const PROLOG_SHARE = 0.25;
const PROLOG_LEFT = 0.5;
/** Room of a start tag, and what is left for its content and end. */
const TAG_CHARS = 200;
const TAG_SHARE = 0.05;
const TAG_LEFT = 60;
/** A list is divided into this many parts while items wait; each round gives them more. */
const ITEM_PARTS = 10;
const ITEMS_SHARE = 0.6;
const LEAST_CAP = 250;
/** What one of several members may take while others wait. */
const MEMBER_SHARE = 0.72;
const ROUNDS = 16;
const MORE_CAP = 1.6;
/** Deeper containers are shown whole or not at all. */
const DEEPEST = 64;
const NONE: ReadonlySet<number> = new Set();
const MOST_ITEMS = 4_000;
const MOST_UNUSUAL = 24;

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

interface Ranked {
  readonly row: number;
  readonly odd: number;
}

/** An opened container while its children are chosen. */
interface Choosing extends OpenNode {
  readonly up: Choosing | null;
  readonly worth: number;
  /** Spent so far, and the cap while siblings wait. */
  spent: number;
  cap: number;
  /** Its items, the most telling first. */
  order: Iterator<Ranked> | null;
  turn: number;
  /** Set if so few stand out that each may exceed its part. */
  few: ReadonlySet<number>;
  dull: ReadonlySet<number> | null;
}

interface Move {
  readonly node: Choosing;
  readonly row: number;
  readonly worth: number;
  /** `forced`: shown even if there is no room for it. */
  readonly how: 'item' | 'member' | 'more' | 'forced';
}

export class Chooser {
  readonly #table: TreeTable;
  readonly #layout: Layout;
  readonly #options: ChooseOptions;
  readonly #standings: Standings;
  readonly #budget: number;
  /** Children up to this size are shown whole. */
  readonly #small: number;
  readonly #shown = new Map<number, number | OpenNode>();
  readonly #heap = new Heap();
  /** The heap holds negative indexes, so that the oldest comes first. */
  readonly #moves: Move[] = [];
  #waiting: Move[] = [];
  readonly #capped: Choosing[] = [];
  /** Shapes of which the omitted keys are named, where they are shown first. */
  readonly #named = new Set<number>();
  #left: number;
  /** XML may be one level deeper: text does not count. */
  readonly #deepest: number;
  readonly #isXml: boolean;

  constructor(layout: Layout, options: ChooseOptions, standings: Standings, budget: number) {
    this.#table = layout.table;
    this.#layout = layout;
    this.#options = options;
    this.#standings = standings;
    this.#budget = budget;
    this.#small = Math.min(400, Math.max(120, budget / 16));
    this.#left = budget;
    this.#isXml = layout.grammar.isXml;
    this.#deepest = options.maxDepth + (this.#isXml ? 1 : 0);
  }

  /** `root` is always shown. */
  choose(root: number): Shown {
    const isWhole = this.#layout.size(root) <= this.#budget && this.#fitsDepth(root, 0);
    if (isWhole) this.#shown.set(root, WHOLE);
    else if (this.#isBox(root)) {
      const node = this.#open(root, null, 1);
      this.#left -= this.#layout.opened(node);
      for (const row of this.#outermost(root)) {
        const isNeeded = this.#table.kind[row] === Kind.element || row === this.#layout.typeRow;
        const left = this.#left - this.#layout.added(node, row, this.#layout.size(row));
        if (isNeeded || left >= this.#budget * PROLOG_LEFT)
          this.#make({ node, row, worth: 1, how: 'forced' });
      }
      this.#showOpened(node);
      this.#run();
    } else this.#shown.set(root, Math.max(0, this.#budget - this.#layout.cut(root, 0)));
    return this.#shown;
  }

  /** Of a document of XML: declaration and type as far as there is room, and the root. */
  #outermost(top: number): number[] {
    const { kind, count } = this.#table;
    if (!this.#isXml || top !== 0 || count[0] !== 1) return [];
    const most = this.#budget * PROLOG_SHARE;
    const isProlog = (row: number) => kind[row] === Kind.instruction && this.#layout.size(row) <= most;
    return this.#table.children(0).filter((row) => kind[row] === Kind.element || isProlog(row));
  }

  #run(): void {
    for (let rounds = 0; rounds < ROUNDS; rounds++) {
      for (let misses = 0; this.#heap.size > 0 && misses < MOST_MISSES; misses++) {
        const left = this.#left;
        this.#make(this.#moves[-this.#heap.pop()] as Move);
        if (this.#left !== left) misses = 0;
      }
      if (this.#waiting.length === 0) return;
      // The rest may use what was kept back.
      for (const node of this.#capped) node.cap *= MORE_CAP;
      for (const move of this.#waiting.splice(0)) this.#push(move);
    }
  }

  #push(move: Move): void {
    const { row, worth, how } = move;
    const size = this.#layout.size(row);
    const had = this.#shown.get(row);
    const least = size > this.#small && this.#isBox(row) ? OPENED_CHARS : this.#small;
    const price = how === 'more' && typeof had === 'number' ? had * 2 : Math.min(size, least);
    this.#heap.push(worth / (BASE + price), -this.#moves.length);
    this.#moves.push(move);
  }

  #make(move: Move): void {
    const { node, row, how } = move;
    const layout = this.#layout;
    if (how === 'more') {
      this.#showMore(move);
      return;
    }
    if (how === 'item') this.#nextItem(node);
    if (this.#shown.has(row)) return;
    const size = layout.size(row);
    const isWorse = (this.#table.worst[row] as number) > 1;
    const roomy = this.#small * (isWorse && how === 'item' ? FAILING : 1);
    const isBox = this.#isBox(row) && this.#hasInside(row) && node.depth < DEEPEST;
    const isSmall =
      how === 'forced'
        ? layout.added(node, row, size) <= this.#left
        : size <= roomy && !this.#isShortened(row, size, isBox);
    if ((isSmall || !(isBox || this.#isCuttable(row))) && this.#fitsDepth(row, node.depth + 1)) {
      if (size < Number.POSITIVE_INFINITY && this.#put(move, size)) this.#shown.set(row, WHOLE);
      else if (isBox && this.#waiting.at(-1) !== move) this.#openChild(move);
    } else if (isBox) this.#openChild(move);
    else if (this.#isCuttable(row)) this.#cutChild(move);
  }

  #openChild(move: Move): void {
    const { node, row, worth, how } = move;
    if (how !== 'forced' && (node.depth + 1 >= this.#deepest || this.#left < LEAST_OPENED)) return;
    const child = this.#open(row, node, worth);
    const parts = Math.min(ITEM_PARTS, this.#table.count[node.row] as number);
    if (how === 'item' && parts > 1) {
      const factor = node.few.has(row) ? FAILING : 1;
      child.cap = Math.max(LEAST_CAP, (this.#budget * ITEMS_SHARE) / parts) * factor;
      if (node.turn > 1) child.dull = node.dull;
    } else if (how === 'member' && node.children.length > 1)
      child.cap = Math.max(LEAST_CAP, MEMBER_SHARE * Math.min(node.cap, this.#budget));
    const price = this.#layout.opened(child);
    // An item says nothing without the attribute that tells it apart; one as long as the whole says less.
    const isBare = child.tag?.isBare === true;
    const isLonger = price >= this.#layout.size(row) && this.#fitsDepth(row, child.depth);
    if (how !== 'forced' && (isLonger || (how === 'item' && isBare))) return;
    child.spent = price;
    if (!this.#put(move, price, how === 'item' ? LEAST_INSIDE : 0)) return;
    if (child.cap < Number.POSITIVE_INFINITY) this.#capped.push(child);
    this.#showOpened(child);
  }

  #showOpened(node: Choosing): void {
    this.#shown.set(node.row, node);
    for (const [row, chars] of node.tag?.cuts ?? []) {
      if (node.tag?.attributes.includes(row) !== true) continue;
      this.#shown.set(row, chars);
      this.#push({ node, row, worth: node.worth * MORE, how: 'more' });
    }
    this.#offer(node);
  }

  #cutChild(move: Move): void {
    const { node, row, worth } = move;
    const isDigest = this.#layout.isDigest(row);
    const wanted = isDigest ? DIGEST_CUT : FIRST_CUT;
    const chars = Math.min(wanted, Math.max(20, this.#left - 90));
    if (!this.#put(move, this.#layout.cut(row, chars))) return;
    this.#shown.set(row, chars);
    const more = worth * MORE * (isDigest ? DIGEST * DIGEST : 1);
    this.#push({ node, row, worth: more, how: 'more' });
  }

  /** Three times as much, all of it, or what fits. */
  #showMore(move: Move): void {
    const { node, row, worth } = move;
    const had = this.#shown.get(row) as number;
    const size = this.#layout.size(row);
    if (had >= (this.#table.chars[row] as number)) return;
    const before = this.#layout.cut(row, had);
    const wanted = had * 3;
    const isWhole = size <= this.#layout.cut(row, wanted);
    const change = (isWhole ? size : this.#layout.cut(row, wanted)) - before;
    if (change <= this.#left && this.#mayTake(node, change)) {
      this.#spend(node, change);
      this.#shown.set(row, isWhole ? WHOLE : wanted);
      if (!isWhole) this.#push({ node, row, worth: worth * MORE, how: 'more' });
    } else if (change <= this.#left) this.#waiting.push(move);
    else if (this.#left > 60 && this.#mayTake(node, this.#left)) {
      const chars = had + this.#left - 10;
      this.#spend(node, this.#layout.cut(row, chars) - before);
      this.#shown.set(row, chars);
    }
  }

  /** One that exceeds its part waits. `inside`: what must be left for it then. */
  #put(move: Move, size: number, inside = 0): boolean {
    const { node, row, how } = move;
    const change = this.#layout.added(node, row, size);
    if (how !== 'forced') {
      if (change + inside > this.#left) return false;
      if (!this.#mayTake(node, change + inside)) {
        this.#waiting.push(move);
        return false;
      }
    }
    node.kept.splice(positionIn(node.kept, row), 0, row);
    this.#spend(node, change);
    return true;
  }

  #mayTake(node: Choosing, chars: number): boolean {
    for (let at: Choosing | null = node; at !== null; at = at.up) if (at.spent + chars > at.cap) return false;
    return true;
  }

  #spend(node: Choosing, chars: number): void {
    this.#left -= chars;
    for (let at: Choosing | null = node; at !== null; at = at.up) at.spent += chars;
  }

  #open(row: number, up: Choosing | null, worth: number): Choosing {
    const table = this.#table;
    const isElement = table.kind[row] === Kind.element;
    // Of further items the attributes that tell them apart are enough.
    const isFurther = up?.isList === true && up.turn > 1;
    const shape = table.hash[row] as number;
    const isNamed = this.#named.has(shape);
    if (up !== null) this.#named.add(shape);
    const part = up === null ? 6 : up.up === null ? 30 : Number.POSITIVE_INFINITY;
    const speaks = (table.worst[row] as number) > 1 ? FAILING : 1;
    const room = Math.min(Math.max(TAG_CHARS, this.#budget * TAG_SHARE) * speaks, this.#left - TAG_LEFT);
    return {
      row,
      up,
      depth: up === null ? (this.#isXml && row === 0 ? -1 : 0) : up.depth + 1,
      worth,
      children: table.children(row),
      kept: [],
      tag: isElement ? this.#layout.tag(row, room, (at) => this.#weightOf(at) - (isFurther ? 1 : 0)) : null,
      namesRoom: isNamed ? 0 : Math.max(60, Math.floor(this.#budget / part)),
      isList: false,
      spent: 0,
      cap: Number.POSITIVE_INFINITY,
      order: null,
      turn: 0,
      few: NONE,
      dull: null,
    };
  }

  /** Of a record at once, of a list one by one. */
  #offer(node: Choosing): void {
    const table = this.#table;
    const isLeast = (row: number) => this.#isXml && this.#isLeast(row);
    const content = node.children.filter((row) => !isLeast(row));
    const { worth } = node;
    node.isList = this.#isList(node.row, content);
    if (node.isList) {
      const found = this.#standings.of(node.row, content);
      node.dull = found.dull;
      node.order = this.#ranked(content, found);
      const odd = found.order
        .filter((at) => (found.score[at] as number) >= REMARKABLE)
        .map((at) => content[at] as number);
      const failing = odd.filter((row) => (table.worst[row] as number) > 1);
      node.few = new Set(odd.length <= FEW_ODD ? odd : failing.length <= FEW_FAILING ? failing : []);
      this.#nextItem(node);
    } else for (const row of content) this.#member(node, row, worth / Math.sqrt(content.length));
    for (const row of node.children) if (isLeast(row)) this.#member(node, row, worth * LEAST);
  }

  #isLeast(row: number): boolean {
    const { kind, name } = this.#table;
    if (kind[row] === Kind.comment || kind[row] === Kind.instruction) return true;
    return kind[row] === Kind.element && this.#layout.grammar.isLeast?.(name[row] as number) === true;
  }

  /** A text is named by its element. */
  #fieldOf(row: number): number {
    const { kind, name, parent } = this.#table;
    const isText = kind[row] === Kind.text || kind[row] === Kind.cdata;
    return fieldOf(name[isText ? (parent[row] as number) : row] as number);
  }

  /** Attributes that tell of a failure, stand out or tell the element apart are shown first. */
  #weightOf(attribute: number): number {
    const { name, worst } = this.#table;
    const isField = fieldOf(name[attribute] as number) !== 0;
    return (worst[attribute] as number) * 4 + (this.#standings.isOdd(attribute) ? 6 : 0) + (isField ? 2 : 0);
  }

  #member(node: Choosing, row: number, worth: number): void {
    const { worst, name, index } = this.#table;
    const field = this.#fieldOf(row);
    const tells = (field & (Field.message | Field.identity)) !== 0 || index[row] === 0;
    let factor = tells ? 2 : (field & Field.judging) !== 0 ? 1.35 : 1;
    if ((worst[row] as number) > 1) factor *= worst[row] === 3 ? FAILING * 2 : FAILING;
    if (node.dull?.has(name[row] as number) === true || this.#isEmpty(row)) factor *= DULL;
    if (this.#standings.isOdd(row)) factor *= ODD;
    if (field === 0 && this.#layout.isDigest(row)) factor *= DIGEST;
    this.#push({ node, row, worth: worth * factor, how: 'member' });
  }

  #nextItem(node: Choosing): void {
    const item = node.order?.next();
    if (item === undefined || item.done === true) return;
    const { row, odd } = item.value;
    const factor = odd >= REMARKABLE ? FAILING : odd >= 2 ? 1.6 : 1;
    const share = node.children.length === 1 ? 1 : ITEM;
    const worth = (node.worth * share * factor) / (1 + node.turn * DECAY);
    node.turn++;
    this.#push({ node, row, worth, how: 'item' });
  }

  /** Failures first, then both ends, then the unusual, then on from both ends. */
  *#ranked(rows: readonly number[], { score, order }: Standing): Generator<Ranked> {
    const { first, last, fill } = this.#options;
    const size = rows.length;
    const used = new Uint8Array(size);
    const isNew = (at: number) => {
      const seen = used[at];
      used[at] = 1;
      return seen === 0;
    };
    const odd = order.filter((at) => (score[at] as number) >= REMARKABLE);
    const rest = order.filter((at) => (score[at] as number) < REMARKABLE);
    const wanted = [...odd.slice(0, 1), 0, size - 1, ...odd.slice(1, 6), ...rest.slice(0, 6)];
    for (let at = 1; at < Math.max(first, last); at++) {
      if (at < first) wanted.push(at);
      if (at < last) wanted.push(size - 1 - at);
    }
    wanted.push(...[...odd, ...rest].slice(0, fill ? order.length : MOST_UNUSUAL));
    let left = Math.min(MOST_ITEMS, this.#budget / 2);
    for (const at of wanted) {
      if (!isNew(at)) continue;
      left--;
      yield { row: rows[at] as number, odd: score[at] as number };
    }
    for (let at = 0; fill && at * 2 <= size && left > 0; at++)
      for (const end of [at, size - 1 - at]) {
        if (!isNew(end)) continue;
        left--;
        yield { row: rows[end] as number, odd: score[end] as number };
      }
  }

  /** Many similar children are a list, which is sampled. */
  #isList(row: number, children: readonly number[]): boolean {
    const { kind, name } = this.#table;
    if (kind[row] === Kind.array || (kind[row] === Kind.top && !this.#isXml)) return true;
    if (children.length < 8) return false;
    if (this.#isXml) return new Set(children.map((child) => name[child])).size * 2 <= children.length;
    const boxes = children.filter((child) => this.#isBox(child)).length;
    return boxes * 10 > children.length * 9 || children.length > 64;
  }

  #isBox(row: number): boolean {
    return isBox(this.#table.kind[row] as number);
  }

  #isEmpty(row: number): boolean {
    return this.#isBox(row) && !this.#hasInside(row);
  }

  #hasInside(row: number): boolean {
    return (this.#table.count[row] as number) > 0 || this.#table.kind[row] === Kind.element;
  }

  #isCuttable(row: number): boolean {
    const kind = this.#table.kind[row];
    return kind === Kind.string || kind === Kind.text || kind === Kind.cdata || kind === Kind.attribute;
  }

  /** Hashes are shortened, also those inside of a small container. */
  #isShortened(row: number, size: number, isBox: boolean): boolean {
    if (!isBox) return size > 60 && this.#layout.isDigest(row);
    const end = size > 120 ? (this.#table.next[row] as number) : 0;
    for (let at = row + 1; at < end; at++) if (this.#layout.isDigest(at)) return true;
    return false;
  }

  #fitsDepth(row: number, depth: number): boolean {
    return depth + (this.#table.height[row] as number) <= this.#deepest;
  }
}
