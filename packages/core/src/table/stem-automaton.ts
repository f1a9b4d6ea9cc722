/**
 * Finds which stems of a vocabulary a line holds, in one step a byte (Aho–Corasick as one table).
 * Stems are in lower case, 0 stands for any digit, LF for the beginning of a line. Bytes beyond
 * ASCII share eight classes, so a stem only says where a pattern may match. What a state has found
 * is a set of bits, `words` numbers of 32 bits each: there is no limit to how many cues there are.
 */
export const CLASS_BITS = 6;
const CLASSES = 1 << CLASS_BITS;
const LF = 10;
const SPACE = 32;

export interface Stem {
  readonly text: string;
  readonly bit: number;
}

/** A state is where its row begins in `next`. */
export interface StemAutomaton {
  readonly classes: Uint8Array;
  /** The state that follows: `next[state + class]`; `~state` if something was found there. */
  readonly next: Int32Array;
  /** What a state has found, from `(state >> CLASS_BITS) * words` on. */
  readonly found: Uint32Array;
  readonly words: number;
  /** At the beginning of a line, and behind blanks there. */
  readonly lineStart: number;
  readonly afterIndent: number;
}

export function stemAutomaton(stems: readonly Stem[], bits: number): StemAutomaton {
  const words = Math.max(1, Math.ceil(bits / 32));
  // All stems, each followed by a line feed.
  const bytes = Buffer.from(stems.map(({ text }) => `${text}\n`).join(''));
  const classes = classesOf(bytes);
  const most = bytes.length + 1;
  const found = new Uint32Array(most * words);
  // The trie: the first child of a state, its next sibling, and the class that leads to it.
  const child = new Uint32Array(most);
  const sibling = new Uint32Array(most);
  const classTo = new Uint8Array(most);
  let count = 1;
  let read = 0;
  for (const { text, bit } of stems) {
    let at = 0;
    for (const end = read + Buffer.byteLength(text); read < end; read++) {
      const cls = classes[bytes[read] as number] as number;
      let to = child[at] as number;
      while (to !== 0 && classTo[to] !== cls) to = sibling[to] as number;
      if (to === 0) {
        to = count++;
        classTo[to] = cls;
        sibling[to] = child[at] as number;
        child[at] = to;
      }
      at = to;
    }
    read++;
    const word = at * words + (bit >> 5);
    found[word] = (found[word] as number) | (1 << (bit & 31));
  }
  const next = new Int32Array(count << CLASS_BITS);
  const suffix = new Uint32Array(count);
  const queue = new Uint32Array(count);
  for (let i = 0, end = 1; i < end; i++) {
    const at = queue[i] as number;
    const row = at << CLASS_BITS;
    const back = (suffix[at] as number) << CLASS_BITS;
    if (at !== 0) next.copyWithin(row, back, back + CLASSES);
    for (let to = child[at] as number; to !== 0; to = sibling[to] as number) {
      const entry = row + (classTo[to] as number);
      const shorter = at === 0 ? 0 : stateOf(next[entry] as number) >> CLASS_BITS;
      suffix[to] = shorter;
      // What a state has found, its suffixes have found too: they came before it.
      let isMatch = false;
      for (let word = 0; word < words; word++) {
        const all = (found[to * words + word] as number) | (found[shorter * words + word] as number);
        found[to * words + word] = all;
        isMatch ||= all !== 0;
      }
      next[entry] = isMatch ? ~(to << CLASS_BITS) : to << CLASS_BITS;
      queue[end++] = to;
    }
  }
  const lineStart = stateOf(next[classes[LF] as number] as number);
  const afterIndent = stateOf(next[lineStart + (classes[SPACE] as number)] as number);
  return { classes, next, found, words, lineStart, afterIndent };
}

function stateOf(entry: number): number {
  return entry < 0 ? ~entry : entry;
}

/** Letters in either case, any digit, and bytes in no stem share classes. */
function classesOf(stems: Uint8Array): Uint8Array {
  const classes = new Uint8Array(256);
  let count = 0;
  for (let at = 0; at < stems.length; at++) {
    const byte = folded(stems[at] as number);
    // Overflowing bytes share the last class: false positives cost only time.
    if (classes[byte] === 0) classes[byte] = Math.min(CLASSES - 1, ++count);
  }
  return classes.map((_, byte) => classes[folded(byte)] as number);
}

function folded(byte: number): number {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 32;
  if (byte >= 0x30 && byte <= 0x39) return 0x30;
  if (byte >= 0x80) return 0x80 + (byte & 7);
  return byte === 9 ? SPACE : byte;
}
