/**
 * Reads a start tag once: whether XML allows it, and what it says to whoever compares elements. One
 * reader serves for many tags, one after the other; what it knows is valid until the next one. Most
 * tags have no attributes and a name that was seen before: of these nothing is read again.
 */
import type { Markup } from '../scanner.ts';
import { type Attribute, attributeAt, endsTag, nameEnd, nameFault, nameKey, valueFault } from './tags.ts';

const SEED = 0x811c9dc5;
const COLON = 0x3a;
const GT = 0x3e;
export const LONGEST_WORD = 24;
/** More attributes are not compared with each other: it would take too long. */
const MOST_COMPARED = 256;
/** Names that are remembered, one for each value of their last bits. */
const KNOWN_NAMES = 0x400;
const FEW_BITS = 0x3ff;

/** Also what reports of analyses are made of. */
const FAILING_NAMES = keys(
  'failure error exception fault fatal crash failed rerunfailure flakyfailure problem violation buginstance issue defect vulnerability',
);
/** They speak of failures only if there is something in them. */
const FAILING_LISTS = keys('failures errors exceptions faults');
const JUDGING = keys('status severity level result outcome state type kind class conclusion');
const FAILING_WORDS = keys(
  'failed failure fail error errored fatal critical broken severe exception crashed aborted',
);
const APPROVING = keys('success passed successful ok');
const COUNTING = keys('failures errors failed fatals errored');
const FALSE_WORDS = keys('false no 0');
/** By a few bits of a number: whether it may be the name of such an attribute. Most are none. */
const MAY_JUDGE = fewBits(JUDGING, APPROVING, COUNTING);

/** Tags without attributes that were read before, by their names: whether they speak of a failure. */
export class KnownTags {
  readonly #names = new Float64Array(KNOWN_NAMES).fill(-1);
  readonly #failing = new Uint8Array(KNOWN_NAMES);

  get(name: number): boolean | undefined {
    const at = name & (KNOWN_NAMES - 1);
    return this.#names[at] === name ? this.#failing[at] === 1 : undefined;
  }

  set(name: number, failing: boolean): void {
    const at = name & (KNOWN_NAMES - 1);
    this.#names[at] = name;
    this.#failing[at] = failing ? 1 : 0;
  }
}

export class TagReader {
  readonly #markup: Markup;
  readonly #known: KnownTags;
  #bytes: Uint8Array = new Uint8Array(0);
  #from = 0;
  #to = 0;
  name = 0;
  /** A number made of its name and the names of its attributes. */
  shape = SEED;
  failing = false;
  /** Its short values, and the columns they belong to. */
  readonly columns: number[] = [];
  readonly words: number[] = [];
  readonly #seen: number[] = [];

  constructor(markup: Markup, known: KnownTags) {
    this.#markup = markup;
    this.#known = known;
  }

  /** The tag; of a very long one the beginning. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(this.#from, this.#to);
  }

  /** Reads the tag in `bytes[from, to)`, of so many bytes in all. What is wrong with it, or null. */
  read(bytes: Uint8Array, from: number, to: number, size: number): string | null {
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
    const end = nameEnd(bytes, from + 1, to);
    this.name = nameKey(bytes, from + 1, end, this.#markup);
    this.shape = mix(SEED, this.name >>> 0);
    this.columns.length = 0;
    this.words.length = 0;
    const isBare = end === to - 1 && bytes[end] === GT;
    const known = isBare ? this.#known.get(this.name) : undefined;
    if (known !== undefined) {
      this.failing = known;
      return null;
    }
    const local = localKey(bytes, from + 1, end);
    const isEmpty = bytes[to - 2] === 0x2f;
    this.failing = FAILING_NAMES.has(local) || (FAILING_LISTS.has(local) && !isEmpty);
    const fault = this.#readRest(end, to - from === size);
    if (isBare && fault === null) this.#known.set(this.name, this.failing);
    return fault;
  }

  #readRest(end: number, isWhole: boolean): string | null {
    const isStrict = this.#markup === 'xml';
    const wrong = isStrict ? nameFault(this.#bytes, this.#from + 1, end) : null;
    if (wrong !== null) return wrong;
    this.#seen.length = 0;
    let at = end;
    for (;;) {
      const attribute = attributeAt(this.#bytes, at, this.#to);
      if (attribute === undefined) break;
      if (isStrict && attribute.from === at) return 'a space is missing between attributes';
      const fault = this.#attribute(attribute, isStrict);
      if (fault !== null) return fault;
      at = attribute.to;
    }
    return !isStrict || !isWhole || endsTag(this.#bytes, at, this.#to) ? null : 'a tag is not complete';
  }

  #attribute(attribute: Attribute, isStrict: boolean): string | null {
    const { from, nameEnd: end, valueFrom, valueTo } = attribute;
    const bytes = this.#bytes;
    const name = nameKey(bytes, from, end, this.#markup);
    if (isStrict) {
      const fault = nameFault(bytes, from, end);
      if (fault !== null) return fault;
      if (attribute.quote === 0) return 'a value has no quotes';
      if (this.#seen.includes(name)) return 'an attribute is there twice';
      if (this.#seen.length < MOST_COMPARED) this.#seen.push(name);
      const wrong = valueFault(bytes, valueFrom, valueTo);
      if (wrong !== null) return wrong;
    }
    this.failing ||= fails(bytes, attribute);
    const key = name >>> 0;
    this.shape = mix(this.shape, key);
    if (valueTo - valueFrom > LONGEST_WORD) return null;
    this.columns.push(mix(this.name >>> 0, key));
    this.words.push(nameKey(bytes, valueFrom, valueTo, 'xml'));
    return null;
  }
}

/** `status="failed"`, `success="false"`, `failures="2"`. */
function fails(tag: Uint8Array, { from, nameEnd: end, valueFrom, valueTo }: Attribute): boolean {
  const length = valueTo - valueFrom;
  if (length === 0 || length > LONGEST_WORD) return false;
  const name = localKey(tag, from, end);
  if (MAY_JUDGE[name & FEW_BITS] === 0) return false;
  if (JUDGING.has(name)) return FAILING_WORDS.has(nameKey(tag, valueFrom, valueTo, 'html'));
  if (APPROVING.has(name)) return FALSE_WORDS.has(nameKey(tag, valueFrom, valueTo, 'html'));
  if (!COUNTING.has(name)) return false;
  for (let at = valueFrom; at < valueTo; at++) {
    const byte = tag[at] ?? 0;
    if (byte < 0x30 || byte > 0x39) return false;
    if (byte > 0x30) return true;
  }
  return false;
}

/** Of the name behind a prefix, in any case. */
function localKey(tag: Uint8Array, from: number, to: number): number {
  let start = from;
  for (let at = from; at < to; at++) if (tag[at] === COLON) start = at + 1;
  return nameKey(tag, start, to, 'html');
}

function keys(names: string): Set<number> {
  return new Set(
    names.split(' ').map((name) => nameKey(Buffer.from(name, 'latin1'), 0, name.length, 'html')),
  );
}

function fewBits(...sets: readonly Set<number>[]): Uint8Array {
  const table = new Uint8Array(FEW_BITS + 1);
  for (const set of sets) for (const key of set) table[key & FEW_BITS] = 1;
  return table;
}

export function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193) >>> 0;
}
