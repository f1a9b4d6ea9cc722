/**
 * A table that finds many short strings at once, a step for each byte, and line ends with them.
 * Letters match in either case, any digit is `0`, and a stem that begins with LF stands at the
 * beginning of a line; LF stands nowhere else in a stem. It is made before the first line is looked
 * at, so it is made quickly: flat arrays, rows copied.
 */
export interface Stem {
  readonly text: string;
  /** Set in a line's mask where the stem occurs. */
  readonly bits: number;
}

/**
 * The tables of the scanner. A state is the place of its row, so that a step is one addition and
 * one load.
 */
export interface StemTable {
  /** By byte; from 1 on. */
  readonly classes: Uint8Array;
  /**
   * A row for each state: what ends there (the bits of the stems), then the next state for each
   * class.
   */
  readonly rows: Uint32Array;
  /** States from here on have something to tell: a stem has ended, or (the last two) a line. */
  readonly matched: number;
  /** Behind LF. */
  readonly lineStart: number;
  /** Behind CR: a line has begun there too, unless LF follows. */
  readonly returned: number;
}

const LF = 10;
const CR = 13;

export function stemTable(stems: readonly Stem[]): StemTable {
  const { tree, classes, lineStart } = treeOf(stems.map(({ text, bits }) => ({ text, bits: [bits] })));
  return tableOf(tree, classes, lineStart, ({ bits }, node) => bits[node] as number);
}

/** A stem with more bits than one number has. */
export interface WideStem {
  readonly text: string;
  readonly bits: ArrayLike<number>;
}

/**
 * A table for stems with more bits than one number has: a row begins with the place in `bits` where
 * those of the stems stand that end there.
 */
export function wideStemTable(stems: readonly WideStem[]): { table: StemTable; bits: Int32Array } {
  const { tree, classes, lineStart } = treeOf(stems);
  const table = tableOf(tree, classes, lineStart, ({ words }, node) => node * words);
  return { table, bits: tree.bits };
}

function treeOf(stems: readonly WideStem[]) {
  const words = stems.map(({ text, bits }) => ({ bytes: Buffer.from(text), bits }));
  const { classes, count } = classesOf(words.map(({ bytes }) => bytes));
  const most = words.reduce((sum, { bytes }) => sum + bytes.length, 2);
  const tree = new StemTree(most, count, stems[0]?.bits.length ?? 1);
  for (const { bytes, bits } of words) tree.add(bytes, classes, bits);
  const lineStart = tree.child(0, classes[LF] as number);
  tree.link();
  return { tree, classes, lineStart };
}

/**
 * Bytes that step alike have one class: capitals and digits that of the lower case letter and the
 * zero; all that no stem holds have 1.
 */
function classesOf(words: readonly Uint8Array[]): { classes: Uint8Array; count: number } {
  const classes = new Uint8Array(256).fill(1);
  let count = 1;
  for (const word of [...words, Uint8Array.of(LF, CR)])
    for (let i = 0; i < word.length; i++) {
      const byte = word[i] as number;
      if (classes[byte] === 1) count = addClass(classes, byte, count);
    }
  for (let letter = 0x61; letter <= 0x7a; letter++) classes[letter - 0x20] = classes[letter] as number;
  for (let digit = 0x31; digit <= 0x39; digit++) classes[digit] = classes[0x30] as number;
  return { classes, count };
}

/**
 * Bytes beyond ASCII share classes, so that rows stay short: their stems may be found where they
 * are not, never missed.
 */
function addClass(classes: Uint8Array, byte: number, count: number): number {
  if (byte < 0x80) classes[byte] = count + 1;
  else for (let other = 0x80 | (byte & 0x0f); other < 0x100; other += 0x10) classes[other] = count + 1;
  return count + 1;
}

interface Branch {
  readonly node: number;
  readonly parent: number;
  readonly cls: number;
}

/** All stems as one tree. Nodes are numbers, the root is 0. */
class StemTree {
  /** Of a row: the classes, and one more. */
  readonly width: number;
  /** By node and class; 0 where there is none. */
  readonly #children: Uint16Array;
  readonly #depths: Uint16Array;
  /** The branches to all nodes but the root, by depth. */
  readonly levels: Branch[][] = [];
  /** By node, as many numbers for each. */
  readonly bits: Int32Array;
  readonly words: number;
  /** Where to go on when a stem breaks off. */
  readonly fallback: Uint16Array;
  size = 1;

  /** `most`: nodes at the most. */
  constructor(most: number, classes: number, words: number) {
    this.width = classes + 1;
    this.#children = new Uint16Array(most * this.width);
    this.#depths = new Uint16Array(most);
    this.words = words;
    this.bits = new Int32Array(most * words);
    this.fallback = new Uint16Array(most);
  }

  add(word: Uint8Array, classes: Uint8Array, bits: ArrayLike<number>): void {
    let at = 0;
    for (let i = 0; i < word.length; i++) at = this.child(at, classes[word[i] as number] as number);
    this.#join(at, bits, 0);
  }

  /** Whether no stem ends at a node. */
  isQuiet(node: number): boolean {
    for (let i = 0; i < this.words; i++) if (this.bits[node * this.words + i] !== 0) return false;
    return true;
  }

  #join(node: number, bits: ArrayLike<number>, from: number): void {
    const at = node * this.words;
    for (let i = 0; i < this.words; i++)
      this.bits[at + i] = (this.bits[at + i] as number) | (bits[from + i] as number);
  }

  child(parent: number, cls: number): number {
    const known = this.#children[parent * this.width + cls] as number;
    if (known !== 0) return known;
    const node = this.size++;
    const depth = (this.#depths[parent] as number) + 1;
    this.#children[parent * this.width + cls] = node;
    this.#depths[node] = depth;
    const level = this.levels[depth - 1];
    if (level === undefined) this.levels.push([{ node, parent, cls }]);
    else level.push({ node, parent, cls });
    return node;
  }

  /** Breadth first: the fallbacks, and what ends there too. */
  link(): void {
    const { fallback, bits } = this;
    for (const level of this.levels)
      for (const { node, parent, cls } of level) {
        const target = parent === 0 ? 0 : this.#step(fallback[parent] as number, cls);
        fallback[node] = target;
        this.#join(node, bits, target * this.words);
      }
  }

  #step(from: number, cls: number): number {
    for (let at = from; ; at = this.fallback[at] as number) {
      const target = this.#children[at * this.width + cls] as number;
      if (target !== 0 || at === 0) return target;
    }
  }
}

/**
 * The tree as an automaton (Aho–Corasick): the row of a node is that of its fallback, which is less
 * deep, but for its own children.
 */
function tableOf(
  tree: StemTree,
  classes: Uint8Array,
  lineStart: number,
  ending: (tree: StemTree, node: number) => number,
): StemTable {
  const { width, levels, fallback, size } = tree;
  const { states, matched } = statesOf(tree, lineStart);
  const state = (node: number) => states[node] as number;
  const returned = size * width;
  const rows = new Uint32Array(returned + width);
  rows[classes[CR] as number] = returned;
  const copy = (from: number, to: number) => rows.copyWithin(to, from, from + width);
  for (const level of levels) {
    for (const { node, parent, cls } of level) rows[state(parent) + cls] = state(node);
    for (const { node } of level) copy(state(fallback[node] as number), state(node));
  }
  for (let node = 0; node < size; node++) rows[state(node)] = ending(tree, node);
  copy(state(lineStart), returned);
  return { classes, rows, matched, lineStart: state(lineStart), returned };
}

/**
 * The states of the nodes: first those that are quiet, then those where a stem ends, and where a
 * line begins.
 */
function statesOf(tree: StemTree, lineStart: number) {
  const { size, width } = tree;
  const states = new Uint32Array(size);
  let next = 0;
  for (let node = 0; node < size; node++)
    if (tree.isQuiet(node) && node !== lineStart) states[node] = width * next++;
  const matched = width * next;
  for (let node = 0; node < size; node++) if (!tree.isQuiet(node)) states[node] = width * next++;
  states[lineStart] = width * next;
  return { states, matched };
}
