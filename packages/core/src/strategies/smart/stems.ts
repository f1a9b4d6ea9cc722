/**
 * A table that finds many short strings at once, a step for each byte, and line ends with them.
 * Letters match in either case, any digit is `0`, and a stem that begins with LF stands at the
 * beginning of a line; LF stands nowhere else in a stem. It is made before the first line is looked
 * at, in a process that may end soon after: plain loops over flat arrays, which are quick before
 * anything of them is compiled.
 */
export interface Stem {
  readonly text: string;
  /** Set in a line's mask where the stem occurs. */
  readonly bits: number;
}

/**
 * The tables of the scanner. A row has a multiple of four numbers, and a state is the place of its
 * row divided by four: so 16 bits hold it, and a step is one load:
 * `rows[(state << 2) + classes[byte]]`.
 */
export interface StemTable {
  /** By byte. */
  readonly classes: Uint8Array;
  /** A row for each state: the next state for each class. */
  readonly rows: Uint16Array | Uint32Array;
  /** States from here on have something to tell: a stem has ended, or (the last two) a line. */
  readonly matched: number;
  /** By state, from `matched` on: what ends there (the bits of the stems). */
  readonly endings: Int32Array;
  /** Behind LF. */
  readonly lineStart: number;
  /** Behind CR: a line has begun there too, unless LF follows. */
  readonly returned: number;
}

const LF = 10;
const CR = 13;

export function stemTable(stems: readonly Stem[]): StemTable {
  const tree = treeOf(
    stems.map(({ text }) => text),
    stems.map(({ bits }) => [bits]),
  );
  return tableOf(tree, tree.bits);
}

/** A stem with more bits than one number has. */
export interface WideStem {
  readonly text: string;
  readonly bits: ArrayLike<number>;
}

/**
 * A table for stems with more bits than one number has: its endings are the places in `bits` where
 * those of the stems stand that end there.
 */
export function wideStemTable(stems: readonly WideStem[]): { table: StemTable; bits: Int32Array } {
  const tree = treeOf(
    stems.map(({ text }) => text),
    stems.map(({ bits }) => bits),
  );
  const offsets = Uint32Array.from({ length: tree.size }, (_, node) => node * tree.words);
  return { table: tableOf(tree, offsets), bits: tree.bits };
}

/** All stems as one tree. Nodes are numbers in the order in which they were made; the root is 0. */
interface StemTree {
  readonly classes: Uint8Array;
  /** Of a row: the classes, and up to three more. */
  readonly width: number;
  readonly size: number;
  /** By node: the node above it, and the class of the byte that leads to it. */
  readonly parents: Uint16Array;
  readonly branches: Uint8Array;
  /** The nodes by depth, and where in there each depth begins. */
  readonly order: Uint16Array;
  readonly levels: readonly number[];
  /** By node: where to go on when a stem breaks off. */
  readonly fallback: Uint16Array;
  /** By node, as many numbers for each: the bits of the stems that end there. */
  readonly bits: Int32Array;
  readonly words: number;
  readonly lineStart: number;
}

function treeOf(texts: readonly string[], ends: readonly ArrayLike<number>[]): StemTree {
  const stems = texts.map((text) => Buffer.from(text));
  const { classes, count } = classesOf(stems);
  const width = (count + 3) & ~3;
  const words = ends[0]?.length ?? 1;
  const most = stems.reduce((sum, { length }) => sum + length, 2);
  const children = new Uint16Array(most * width);
  const parents = new Uint16Array(most);
  const branches = new Uint8Array(most);
  const depths = new Uint16Array(most);
  const bits = new Int32Array(most * words);
  let size = 1;
  let lineStart = 0;
  // The last one is the end of a line, which tells nothing.
  for (let i = 0; i <= stems.length; i++) {
    const stem = stems[i] ?? Uint8Array.of(LF);
    let at = 0;
    for (let depth = 0; depth < stem.length; depth++) {
      const cls = classes[stem[depth] as number] as number;
      const edge = at * width + cls;
      if (children[edge] === 0) {
        children[edge] = size;
        parents[size] = at;
        branches[size] = cls;
        depths[size++] = depth + 1;
      }
      at = children[edge] as number;
    }
    const own = ends[i];
    if (own === undefined) lineStart = at;
    else
      for (let word = 0; word < words; word++)
        bits[at * words + word] = (bits[at * words + word] as number) | (own[word] as number);
  }
  const { order, levels } = byDepth(depths, size);
  const fallback = linked({ children, width, order, parents, branches, bits, words });
  return { classes, width, size, parents, branches, order, levels, fallback, bits, words, lineStart };
}

/** Nodes by depth without the root, and where each depth begins; at last where all of them end. */
function byDepth(depths: Uint16Array, size: number): { order: Uint16Array; levels: number[] } {
  const counts: number[] = [0];
  for (let node = 1; node < size; node++) {
    const depth = depths[node] as number;
    counts[depth] = (counts[depth] ?? 0) + 1;
  }
  const levels: number[] = [0];
  for (let depth = 1; depth < counts.length; depth++)
    levels.push((levels[depth - 1] as number) + (counts[depth] as number));
  const next = levels.slice();
  const order = new Uint16Array(size - 1);
  for (let node = 1; node < size; node++) {
    const level = (depths[node] as number) - 1;
    const at = next[level] as number;
    order[at] = node;
    next[level] = at + 1;
  }
  return { order, levels };
}

interface Linking extends Pick<StemTree, 'width' | 'order' | 'parents' | 'branches' | 'bits' | 'words'> {
  readonly children: Uint16Array;
}

/** Breadth first: the fallbacks; what ends there ends at a node too. */
function linked({ children, width, order, parents, branches, bits, words }: Linking): Uint16Array {
  const fallback = new Uint16Array(parents.length);
  for (let i = 0; i < order.length; i++) {
    const node = order[i] as number;
    const parent = parents[node] as number;
    const cls = branches[node] as number;
    let target = 0;
    if (parent !== 0) {
      let at = fallback[parent] as number;
      while (at !== 0 && children[at * width + cls] === 0) at = fallback[at] as number;
      target = children[at * width + cls] as number;
    }
    fallback[node] = target;
    for (let word = 0; word < words; word++)
      bits[node * words + word] =
        (bits[node * words + word] as number) | (bits[target * words + word] as number);
  }
  return fallback;
}

/**
 * Bytes that step alike have one class: capitals and digits that of the lower case letter and the
 * zero; all that no stem holds have 0.
 */
function classesOf(words: readonly Uint8Array[]): { classes: Uint8Array; count: number } {
  const classes = new Uint8Array(256);
  let count = 1;
  for (const word of [...words, Uint8Array.of(LF, CR)])
    for (let i = 0; i < word.length; i++) {
      const byte = word[i] as number;
      if (classes[byte] === 0) count = addClass(classes, byte, count);
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
  if (byte < 0x80) classes[byte] = count;
  else for (let other = 0x80 | (byte & 0x0f); other < 0x100; other += 0x10) classes[other] = count;
  return count + 1;
}

/**
 * The tree as an automaton (Aho–Corasick): the row of a node is that of its fallback, which is less
 * deep, but for its own children. `ends`: by node, what ends there.
 */
function tableOf(tree: StemTree, ends: ArrayLike<number>): StemTable {
  const { classes, width, size, parents, branches, order, levels, fallback, lineStart } = tree;
  const { states, matched } = statesOf(tree);
  const returned = size * (width >> 2);
  const rows = returned < 65_536 ? new Uint16Array((size + 1) * width) : new Uint32Array((size + 1) * width);
  rows[classes[CR] as number] = returned;
  for (let level = 0; level + 1 < levels.length; level++) {
    const from = levels[level] as number;
    const to = levels[level + 1] as number;
    for (let i = from; i < to; i++) {
      const node = order[i] as number;
      const row = (states[parents[node] as number] as number) << 2;
      rows[row + (branches[node] as number)] = states[node] as number;
    }
    for (let i = from; i < to; i++) {
      const node = order[i] as number;
      const source = (states[fallback[node] as number] as number) << 2;
      rows.copyWithin((states[node] as number) << 2, source, source + width);
    }
  }
  const endings = new Int32Array(returned + 1 - matched);
  for (let node = 0; node < size; node++) {
    const state = states[node] as number;
    if (state >= matched) endings[state - matched] = ends[node] as number;
  }
  const behindLine = states[lineStart] as number;
  rows.copyWithin(returned << 2, behindLine << 2, (behindLine << 2) + width);
  return { classes, rows, matched, endings, lineStart: behindLine, returned };
}

/**
 * The states of the nodes: first those that are quiet, then those where a stem ends, and where a
 * line begins.
 */
function statesOf({ size, width, bits, words, lineStart }: StemTree) {
  const states = new Uint32Array(size);
  const isQuiet = new Uint8Array(size);
  const step = width >> 2;
  let next = 0;
  for (let node = 0; node < size; node++) {
    let any = 0;
    for (let word = 0; word < words; word++) any |= bits[node * words + word] as number;
    isQuiet[node] = any === 0 ? 1 : 0;
    if (any === 0 && node !== lineStart) states[node] = step * next++;
  }
  const matched = step * next;
  for (let node = 0; node < size; node++) if (isQuiet[node] === 0) states[node] = step * next++;
  states[lineStart] = step * next;
  return { states, matched };
}
