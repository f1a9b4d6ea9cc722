/**
 * What a call asks for, as terms: the parts of the words in the tool's input, in the agent's last
 * message, in the task and in the user's latest message. Units that hold rare terms, and their
 * neighbours, count more. Terms are hashes of stems in lower case; `readFiles` gives `read`,
 * `file` and itself.
 */
import { ABOUT_CHARS, type About } from '../model/about.ts';
import { fnvLower, isStopWord } from './stop-words.ts';
import { encode } from './utf8.ts';

const WEIGHT = { input: 1, lastMessage: 1, task: 0.3, userMessage: 0.3 };
/** A term in more units than this asks for nothing. */
const COMMON_SHARE = 0.1;
const COMMON_UNITS = 3;
const MOST_RELEVANCE = 1.5;
/** In units. */
const REACH = 4;
const LEAST_TERM = 4;
const NOTHING = new Uint8Array(0);
const SIEVE_BITS = 1 << 15;

export class Query {
  readonly #terms = new Map<number, number>();
  /** How terms begin; rules out most words. */
  readonly #sieve = new Int32Array(SIEVE_BITS / 32);
  readonly #seen = new Map<number, number>();
  readonly #found = new Set<number>();
  #bytes: Uint8Array = NOTHING;
  readonly #find: Sink = (from, to, isName) => {
    const bytes = this.#bytes;
    if (!isIn(this.#sieve, beginning(bytes, from))) return;
    const term = isName ? nameOf(bytes, from, to) : termOf(bytes, from, to);
    if (term !== null && this.#terms.has(term)) this.#found.add(term);
  };

  constructor(input: unknown, about: About = {}) {
    this.#add(textOf(input), WEIGHT.input);
    this.#add(about.lastMessage, WEIGHT.lastMessage);
    this.#add(about.task, WEIGHT.task);
    this.#add(about.userMessage, WEIGHT.userMessage);
  }

  /** Less for terms that came before. */
  worthOf(bytes: Uint8Array, from: number, to: number): number {
    if (this.#terms.size === 0) return 0;
    let worth = 0;
    for (const term of this.#termsIn(bytes, from, to)) {
      const before = this.#seen.get(term) ?? 0;
      this.#seen.set(term, before + 1);
      worth += (this.#terms.get(term) ?? 0) / (1 + before);
    }
    return worth;
  }

  /** Including neighbours: 0 … 1.5. */
  relevance(units: readonly Uint8Array[]): Float64Array {
    const spread = new Float64Array(units.length);
    if (this.#terms.size === 0) return spread;
    const held = units.map((bytes) => [...this.#termsIn(bytes, 0, bytes.length)]);
    const counts = new Map<number, number>();
    for (const terms of held) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    const common = Math.max(COMMON_UNITS, COMMON_SHARE * units.length);
    held.forEach((terms, i) => {
      let own = 0;
      for (const term of terms) {
        const count = counts.get(term) ?? 1;
        if (count <= common)
          own += (this.#terms.get(term) ?? 0) * (1 - Math.log(count) / Math.log(common + 1));
      }
      own = Math.min(MOST_RELEVANCE, own);
      for (let k = Math.max(0, i - REACH); own > 0 && k <= Math.min(units.length - 1, i + REACH); k++)
        spread[k] = Math.max(spread[k] as number, own * (1 - Math.abs(k - i) / (REACH + 1)));
    });
    return spread;
  }

  #add(text: string | undefined, weight: number): void {
    if (text === undefined || text === '') return;
    const bytes = encode(text.slice(0, ABOUT_CHARS));
    forEachWord(bytes, 0, bytes.length, (from, to, isName) => {
      const term = isName ? nameOf(bytes, from, to) : termOf(bytes, from, to);
      if (term === null || isStopWord(term) || (this.#terms.get(term) ?? 0) >= weight) return;
      this.#terms.set(term, weight);
      const bit = beginning(bytes, from);
      this.#sieve[bit >> 5] = (this.#sieve[bit >> 5] as number) | (1 << (bit & 31));
    });
  }

  /** Parts of words and whole names, each once; valid until the next call. */
  #termsIn(bytes: Uint8Array, start: number, end: number): ReadonlySet<number> {
    this.#bytes = bytes;
    if (this.#found.size > 0) this.#found.clear();
    forEachWord(bytes, start, end, this.#find);
    return this.#found;
  }
}

function isIn(sieve: Int32Array, bit: number): boolean {
  return ((sieve[bit >> 5] as number) & (1 << (bit & 31))) !== 0;
}

function beginning(bytes: Uint8Array, from: number): number {
  const [first, second, third] = [bytes[from], bytes[from + 1], bytes[from + 2]] as [number, number, number];
  return ((first & 0x1f) << 10) | ((second & 0x1f) << 5) | (third & 0x1f);
}

/** Classes: outside of names, letters, capitals, digits, `_`. */
const OUTSIDE = 0;
const LOWER = 1;
const UPPER = 2;
const OTHER = 3;
const CLASSES = new Uint8Array(256)
  .fill(LOWER, 0x80)
  .fill(LOWER, 0x61, 0x7b)
  .fill(UPPER, 0x41, 0x5b)
  .fill(OTHER, 0x30, 0x3a)
  .fill(OTHER, 0x5f, 0x60);

/** A part: a run of letters, split at capitals. A name: several parts, as `read_file`. */
type Sink = (from: number, to: number, isName: boolean) => void;

function forEachWord(bytes: Uint8Array, first: number, end: number, sink: Sink): void {
  for (let at = first; at < end; at++) {
    let last = CLASSES[bytes[at] as number] as number;
    if (last === OUTSIDE) continue;
    const start = at;
    let from = at;
    let parts = 1;
    for (at++; at < end; at++) {
      const kind = CLASSES[bytes[at] as number] as number;
      if (kind === last) continue;
      if (kind === OUTSIDE) break;
      if (last !== UPPER || kind !== LOWER) {
        if (last !== OTHER && at - from >= LEAST_TERM) sink(from, at, false);
        from = at;
        parts++;
      }
      last = kind;
    }
    if (last !== OTHER && at - from >= LEAST_TERM) sink(from, at, false);
    if (parts > 1 && at - start >= LEAST_NAME) sink(start, at, true);
  }
}

/** Separates hashes of whole names from those of parts. */
const WHOLE_NAME = 0x5bd1e995;
const LEAST_NAME = 6;

function nameOf(bytes: Uint8Array, from: number, to: number): number {
  return fnvLower(bytes, from, to) ^ WHOLE_NAME;
}

/** Null if too short. */
function termOf(bytes: Uint8Array, from: number, to: number): number | null {
  const end = stemEnd(bytes, from, to);
  return end - from < LEAST_TERM ? null : fnvLower(bytes, from, end);
}

/** Without `ing`, `ed` and plural. */
function stemEnd(bytes: Uint8Array, from: number, to: number): number {
  const last = (back: number) => (bytes[to - back] ?? 0) | 0x20;
  const length = to - from;
  if (length > 6 && last(3) === 0x69 && last(2) === 0x6e && last(1) === 0x67) return to - 3;
  if (length > 5 && last(2) === 0x65 && last(1) === 0x64) return to - 2;
  return last(1) === 0x73 && last(2) !== 0x73 ? to - 1 : to;
}

function textOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value.slice(0, ABOUT_CHARS);
  if (value === null || typeof value !== 'object' || depth > 4) return '';
  return Object.values(value)
    .slice(0, 100)
    .map((each) => textOf(each, depth + 1))
    .join('\n');
}
