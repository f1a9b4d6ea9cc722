/**
 * Finds which stems of a vocabulary a line holds, in one step a byte (Aho–Corasick as one table).
 * Stems are in lower case, 0 stands for any digit, LF for the beginning of a line. Bytes beyond
 * ASCII share eight classes, so a stem only says where a pattern may match. What a state has found
 * is a set of bits, `words` numbers of 32 bits each: there is no limit to how many cues there are.
 */
const CLASS_BITS = 6;
const CLASSES = 1 << CLASS_BITS;
const LF = 10;
const SPACE = 32;

/** A stem and the number of the bit that it sets. */
export interface Stem {
  readonly text: string;
  readonly bit: number;
}

export interface StemAutomaton {
  /** The class of each byte. */
  readonly classes: Uint8Array;
  /** The state that follows: `next[(state << 6) | class]`. */
  readonly next: Uint16Array;
  /** States from here on have found something: that of state `s` is at `(s - firstMatch) * words`. */
  readonly firstMatch: number;
  readonly found: Uint32Array;
  readonly words: number;
  /** The state at the beginning of a line, and behind blanks there. */
  readonly lineStart: number;
  readonly afterIndent: number;
}

export function stemAutomaton(stems: readonly Stem[], bits: number): StemAutomaton {
  const words = Math.max(1, Math.ceil(bits / 32));
  const encoded = stems.map(({ text, bit }) => ({ bytes: Buffer.from(text), bit }));
  const classes = classesOf(encoded.map(({ bytes }) => bytes));
  const trie: Map<number, number>[] = [new Map()];
  const ends: Uint32Array[] = [new Uint32Array(words)];
  for (const { bytes, bit } of encoded) {
    let at = 0;
    for (const byte of bytes) {
      const cls = classes[byte] as number;
      let to = trie[at]?.get(cls);
      if (to === undefined) {
        to = trie.push(new Map()) - 1;
        ends.push(new Uint32Array(words));
        trie[at]?.set(cls, to);
      }
      at = to;
    }
    const set = ends[at] as Uint32Array;
    set[bit >> 5] = (set[bit >> 5] as number) | (1 << (bit & 31));
  }
  return ordered(trie, linked(trie, ends), ends, classes, words);
}

/** Which bytes mean the same: a letter in either case, any digit, any byte in no stem. */
function classesOf(stems: readonly Uint8Array[]): Uint8Array {
  const known = new Map<number, number>();
  // Bytes beyond the last class share it: then a stem is found where it is not, which costs time only.
  for (const stem of stems)
    for (const byte of stem)
      if (!known.has(folded(byte))) known.set(folded(byte), Math.min(CLASSES - 1, known.size + 1));
  return Uint8Array.from({ length: 256 }, (_, byte) => known.get(folded(byte)) ?? 0);
}

function folded(byte: number): number {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 32;
  if (byte >= 0x30 && byte <= 0x39) return 0x30;
  if (byte >= 0x80) return 0x80 + (byte & 7);
  return byte === 9 ? SPACE : byte;
}

/** The rows of all states; what a state has found, its suffixes have found too. */
function linked(trie: readonly Map<number, number>[], ends: readonly Uint32Array[]): Uint16Array {
  const rows = new Uint16Array(trie.length << CLASS_BITS);
  const suffix = new Uint16Array(trie.length);
  const queue = [0];
  for (let i = 0; i < queue.length; i++) {
    const at = queue[i] as number;
    const row = at << CLASS_BITS;
    const back = suffix[at] as number;
    if (at !== 0) {
      rows.copyWithin(row, back << CLASS_BITS, (back + 1) << CLASS_BITS);
      const own = ends[at] as Uint32Array;
      for (const [k, word] of (ends[back] as Uint32Array).entries()) own[k] = (own[k] as number) | word;
    }
    for (const [cls, to] of trie[at] ?? []) {
      suffix[to] = at === 0 ? 0 : (rows[row + cls] as number);
      rows[row + cls] = to;
      queue.push(to);
    }
  }
  return rows;
}

/** Numbers states anew, those that found something last: one comparison a byte tells. */
function ordered(
  trie: readonly Map<number, number>[],
  rows: Uint16Array,
  ends: readonly Uint32Array[],
  classes: Uint8Array,
  words: number,
): StemAutomaton {
  const count = trie.length;
  const numbers = new Uint16Array(count);
  let firstMatch = 0;
  let last = count - 1;
  for (let at = 0; at < count; at++)
    numbers[at] = (ends[at] as Uint32Array).every((word) => word === 0) ? firstMatch++ : last--;
  const next = new Uint16Array(count << CLASS_BITS);
  const found = new Uint32Array((count - firstMatch) * words);
  for (let at = 0; at < count; at++) {
    const number = numbers[at] as number;
    for (let cls = 0; cls < CLASSES; cls++)
      next[(number << CLASS_BITS) | cls] = numbers[rows[(at << CLASS_BITS) | cls] as number] as number;
    if (number >= firstMatch) found.set(ends[at] as Uint32Array, (number - firstMatch) * words);
  }
  const lineStart = next[classes[LF] as number] as number;
  const afterIndent = next[(lineStart << CLASS_BITS) | (classes[SPACE] as number)] as number;
  return { classes, next, firstMatch, found, words, lineStart, afterIndent };
}
