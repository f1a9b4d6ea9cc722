/**
 * Finds the names in a run of bytes: identifiers, words, paths and quoted phrases, each as a hash
 * and a weight. Identifiers with a shape of their own (`max_chars`, `readFile`, `utf8`) weigh most,
 * since they are what an agent searches for and edits. One pass over bytes, no strings and no
 * patterns. Bytes outside ASCII count as letters. Units: bytes.
 */
import { fnv, isStopWord } from './stop-words.ts';

/**
 * About how often each sort of name is used later by an agent that read it: 1 is a shaped one.
 * `path`: `src/a.ts`; `folders`: `src/lib`; `dotted`: `a.run`; `dashed`: `max-width`.
 */
const WEIGHT = {
  declared: 1.6,
  shaped: 1,
  numbered: 0.3,
  word: 0.1,
  path: 1.2,
  folders: 0.2,
  dotted: 0.55,
  dashed: 0.25,
  version: 0,
  phrase: 0.85,
  shortPhrase: 0.4,
};
/** The name behind one of these is the one that is declared. */
const DECLARES = new Set(
  `class const def enum fn func function impl interface let module namespace struct trait type val
  var`
    .split(/\s+/)
    .map((word) => fnv(Buffer.from(word), 0, word.length)),
);
const SHAPED_BYTES = 6;
const WORD_BYTES = 5;
const PATH_BYTES = 8;
const PHRASE_BYTES = { least: 8, long: 20, most: 160 };
const EXTENSION_BYTES = 6;

const OTHER = 0;
const LETTER = 1;
const CAPITAL = 2;
const DIGIT = 3;
const UNDERSCORE = 4;
/** `@ . / -` join words to paths and versions. */
const JOINER = 5;
const QUOTE = 6;
const BREAK = 7;
const CLASSES = classes();
const SPACE = 0x20;
const DASH = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;

export class NameScan {
  /** The last result, up to `count`, with repetitions. */
  hashes = new Int32Array(256);
  weights = new Float32Array(256);
  count = 0;
  #isDeclaring = false;

  scan(bytes: Uint8Array, from: number, to: number): void {
    this.count = 0;
    this.#isDeclaring = false;
    let quoteAt = -1;
    let at = from;
    while (at < to) {
      const kind = CLASSES[bytes[at] as number] as number;
      if (kind === OTHER) at++;
      else if (kind < QUOTE) at = this.#words(bytes, at, to);
      else {
        quoteAt = kind === QUOTE ? this.#quote(bytes, quoteAt, at) : -1;
        at++;
      }
    }
  }

  /** The words, and the run if it joins several. */
  #words(bytes: Uint8Array, from: number, to: number): number {
    let first = -1;
    let last = -1;
    let isJoined = false;
    let at = from;
    for (; at < to; ) {
      const kind = CLASSES[bytes[at] as number] as number;
      if (kind === OTHER || kind >= QUOTE) break;
      if (kind === JOINER) {
        at++;
        continue;
      }
      if (last < 0) first = at;
      else isJoined = true;
      at = this.#word(bytes, at, to);
      last = at;
    }
    if (isJoined && last - first >= PATH_BYTES)
      this.#add(fnv(bytes, first, last), joinedWeight(bytes, first, last));
    return at;
  }

  /** Shaped: contains `a_b`, `aB`, `a1` or `1a`. */
  #word(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && CLASSES[bytes[at] as number] === DIGIT) at++;
    const start = at;
    let hash = 0x811c9dc5;
    let before = OTHER;
    let last = OTHER;
    let isShaped = false;
    let isNumbered = true;
    for (; at < to; at++) {
      const byte = bytes[at] as number;
      const kind = CLASSES[byte] as number;
      if (kind === OTHER || kind > UNDERSCORE) break;
      // Digits count as one: `step_1` and `step_2` are the same name to a reader.
      if (kind !== DIGIT || last !== DIGIT)
        hash = Math.imul(hash ^ (kind === DIGIT ? DIGIT : byte), 0x01000193);
      if (kind !== last) {
        const joins = last === UNDERSCORE ? before !== OTHER : false;
        const turns = last !== UNDERSCORE && kind !== UNDERSCORE && last !== OTHER;
        isShaped ||= joins || (turns && (last !== CAPITAL || kind === DIGIT));
        isNumbered &&= !joins && !(turns && last === LETTER && kind === CAPITAL);
        before = last;
        last = kind;
      }
    }
    const length = at - start;
    const isDeclared = this.#isDeclaring;
    this.#isDeclaring = DECLARES.has(hash);
    if (isShaped && length >= SHAPED_BYTES)
      this.#add(hash, isDeclared ? WEIGHT.declared : isNumbered ? WEIGHT.numbered : WEIGHT.shaped);
    else if (length >= WORD_BYTES && !isStopWord(hash)) this.#add(hash, WEIGHT.word);
    return at;
  }

  /** Returns where a phrase is open. */
  #quote(bytes: Uint8Array, open: number, at: number): number {
    if (open < 0 || bytes[open] !== bytes[at]) return at;
    const length = at - open - 1;
    if (length < PHRASE_BYTES.least || length > PHRASE_BYTES.most) return at;
    const isPhrase = bytes.subarray(open + 2, at - 1).includes(SPACE);
    const weight = length < PHRASE_BYTES.long ? WEIGHT.shortPhrase : WEIGHT.phrase;
    if (isPhrase) this.#add(fnv(bytes, open + 1, at), weight);
    return -1;
  }

  #add(hash: number, weight: number): void {
    if (this.count === this.hashes.length) this.#grow();
    this.hashes[this.count] = hash;
    this.weights[this.count++] = weight;
  }

  #grow(): void {
    const { hashes, weights } = this;
    this.hashes = new Int32Array(hashes.length * 2);
    this.weights = new Float32Array(hashes.length * 2);
    this.hashes.set(hashes);
    this.weights.set(weights);
  }
}

function joinedWeight(bytes: Uint8Array, from: number, to: number): number {
  let hasSlash = false;
  let hasDash = false;
  let dot = from;
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === SLASH) hasSlash = true;
    else if (byte === DASH) hasDash = true;
    else if (byte === DOT) dot = at;
  }
  if (hasSlash) return dot > from && to - dot <= EXTENSION_BYTES ? WEIGHT.path : WEIGHT.folders;
  if (CLASSES[bytes[from] as number] === DIGIT) return WEIGHT.version;
  return hasDash ? WEIGHT.dashed : WEIGHT.dotted;
}

function classes(): Uint8Array {
  const table = new Uint8Array(256);
  const mark = (chars: string, kind: number) => {
    for (const char of chars) table[char.charCodeAt(0)] = kind;
  };
  table.fill(LETTER, 0x80);
  table.fill(LETTER, 0x61, 0x7b);
  table.fill(CAPITAL, 0x41, 0x5b);
  table.fill(DIGIT, 0x30, 0x3a);
  mark('_$', UNDERSCORE);
  mark('@./-', JOINER);
  mark('"\'`', QUOTE);
  mark('\r\n', BREAK);
  return table;
}

const TABLE_BITS = 16;

/**
 * What the names of a stream weigh that were not there before. Names are known by a table of fixed
 * size, so memory does not grow with the stream.
 */
export class FirstSeen {
  readonly #scan = new NameScan();
  readonly #table = new Int32Array(1 << TABLE_BITS);

  /** Adds the weights of new names to `sum`; they are known from then on. */
  add(bytes: Uint8Array, from: number, to: number, sum = 0): number {
    this.#scan.scan(bytes, from, to);
    const { hashes, weights, count } = this.#scan;
    let all = sum;
    for (let i = 0; i < count; i++) {
      const hash = hashes[i] as number;
      const slot = (hash ^ (hash >>> TABLE_BITS)) & ((1 << TABLE_BITS) - 1);
      if (this.#table[slot] === hash) continue;
      this.#table[slot] = hash;
      all += weights[i] as number;
    }
    return all;
  }
}
