/**
 * Looks for many short strings at once, a table step for each byte: which of them, in one line. Built from the stems of the lexicon, so that a
 * line without any of them costs next to nothing. Letters match in either case, any digit is `0`, and a stem that begins with LF stands at
 * the beginning of a line. Units: bytes.
 */
export interface Stem {
  readonly text: string;
  /** Set in a line's mask where the stem occurs. */
  readonly bits: number;
}

/** The tables of the scanner. States are multiplied by `WIDTH`, so that a step is one addition and one load. */
export interface StemTable {
  readonly classes: Uint8Array;
  readonly next: Uint32Array;
  /** Bits of the stems that end in a state. */
  readonly found: Int32Array;
  /** States from here on have something to tell. */
  readonly telling: number;
  readonly lineStart: number;
}

/** A state is its number times the width of a row: the most different bytes that stems may hold. */
export const STATE_BITS = 6;
const WIDTH = 1 << STATE_BITS;
const LF = 10;

interface Node {
  readonly children: Map<number, Node>;
  bits: number;
  fallback: Node | null;
  state: number;
}

export function stemTable(stems: readonly Stem[]): StemTable {
  const classes = new Uint8Array(256);
  let used = 1;
  const classOf = (byte: number) => {
    if (classes[byte] === 0) classes[byte] = used++;
    return classes[byte] as number;
  };
  const root = node();
  for (const { text, bits } of stems) {
    let at = root;
    for (const byte of new TextEncoder().encode(text)) at = child(at, classOf(byte));
    at.bits |= bits;
  }
  classOf(LF);
  if (used > WIDTH)
    throw new RangeError(`stems may hold ${WIDTH - 1} different bytes; these hold ${used - 1}`);
  foldBytes(classes);
  const inOrder = linkFallbacks(root);
  // Those with something to tell come last, so that one comparison finds them.
  const nodes = [...inOrder].sort((a, b) => Number(a.bits !== 0) - Number(b.bits !== 0));
  nodes.forEach((entry, i) => {
    entry.state = i * WIDTH;
  });
  const next = stepsOf(inOrder);
  const quiet = nodes.findIndex((entry) => entry.bits !== 0);
  return {
    classes,
    next,
    found: Int32Array.from(nodes, (entry) => entry.bits),
    telling: (quiet < 0 ? nodes.length : quiet) * WIDTH,
    lineStart: step(root, classOf(LF), root).state,
  };
}

/** The bits of the stems in a range that begins a line, or (`from` a state) goes on. */
export function stemsIn(
  table: StemTable,
  bytes: Uint8Array,
  from: number,
  to: number,
  state: number,
): number {
  const { classes, next, found, telling } = table;
  let at = state;
  let mask = 0;
  for (let i = from; i < to; i++) {
    at = next[at + (classes[bytes[i] as number] as number)] as number;
    if (at >= telling) mask |= found[at >>> STATE_BITS] as number;
  }
  return mask;
}

/** The row of a node is that of its fallback, which comes before it, but for its own children. */
function stepsOf(inOrder: readonly Node[]): Uint32Array {
  const next = new Uint32Array(inOrder.length * WIDTH);
  const root = inOrder[0]?.state ?? 0;
  next.fill(root, root, root + WIDTH);
  for (const { state, fallback, children } of inOrder) {
    if (fallback !== null) next.copyWithin(state, fallback.state, fallback.state + WIDTH);
    for (const [cls, target] of children) next[state + cls] = target.state;
  }
  return next;
}

function node(): Node {
  return { children: new Map(), bits: 0, fallback: null, state: 0 };
}

function child(parent: Node, cls: number): Node {
  const known = parent.children.get(cls);
  if (known !== undefined) return known;
  const made = node();
  parent.children.set(cls, made);
  return made;
}

/** Capitals and digits step like the lower case letter and the zero. */
function foldBytes(classes: Uint8Array): void {
  for (let letter = 0x61; letter <= 0x7a; letter++) classes[letter - 0x20] = classes[letter] as number;
  for (let digit = 0x31; digit <= 0x39; digit++) classes[digit] = classes[0x30] as number;
}

/** Breadth first: where to go on when a stem breaks off, and what ends there too. */
function linkFallbacks(root: Node): Node[] {
  const nodes = [root];
  for (const entry of nodes) {
    for (const [cls, target] of entry.children) {
      target.fallback = entry === root ? root : step(entry.fallback ?? root, cls, root);
      target.bits |= target.fallback.bits;
      nodes.push(target);
    }
  }
  return nodes;
}

function step(from: Node, cls: number, root: Node): Node {
  for (let at: Node | null = from; at !== null; at = at.fallback) {
    const target = at.children.get(cls);
    if (target !== undefined) return target;
  }
  return root;
}
