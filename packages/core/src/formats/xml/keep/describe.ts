/**
 * What an element looks like: a number made of its names and attributes (to three levels; how often
 * a child repeats does not matter), its attributes and texts by column, and whether a tag speaks of
 * a failure. A text's column is its place, e.g. the second cell of a row. All long texts are one
 * word; a text with digits is also compared with its digits masked.
 */
import type { Markup } from '../scanner.ts';
import { type Attribute, attributeAt, nameEnd, nameKey } from './tags.ts';

interface Field {
  readonly column: number;
  readonly word: number;
}

const SEED = 0x811c9dc5;
/** The element itself is level 0. */
const DEEPEST = 2;
const DEEPEST_FIELDS = 1;
const MOST_FIELDS = 32;
const LONGEST_WORD = 24;
const COLON = 0x3a;
const SPACE = 0x20;
const TEXT = 0x7e57;
const LONG_TEXT = 1;

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

export class Description {
  shape = SEED;
  failing = false;
  readonly fields: Field[] = [];
  readonly #last = [0, 0, 0];
  /** How many elements were opened on each level, within the one above. */
  readonly #ordinals = [0, 0, 0];
  readonly #markup: Markup;

  constructor(markup: Markup) {
    this.#markup = markup;
  }

  /** A start tag so many levels below the element. */
  open(level: number, name: number, tag: Uint8Array): void {
    const { shape, failing } = this.#read(level, name, tag);
    this.failing ||= failing;
    if (level <= DEEPEST) {
      this.#ordinals[level] = (this.#ordinals[level] ?? 0) + 1;
      this.#ordinals.fill(0, level + 1);
    }
    if (level > DEEPEST || this.#last[level] === shape) return;
    this.#last[level] = shape;
    for (let below = level + 1; below <= DEEPEST; below++) this.#last[below] = 0;
    this.shape = mix(mix(this.shape, level), shape);
  }

  /** A text in an element so many levels below. */
  text(level: number, bytes: Uint8Array): void {
    if (level > DEEPEST) return;
    let from = 0;
    let to = bytes.length;
    while (from < to && (bytes[from] ?? 0) <= SPACE) from++;
    while (to > from && (bytes[to - 1] ?? 0) <= SPACE) to--;
    if (from === to) return;
    const column = this.#ordinals.slice(1, level + 1).reduce(mix, mix(TEXT, level));
    if (to - from > LONGEST_WORD) {
      this.#addField(column, LONG_TEXT);
      return;
    }
    this.#addField(column, nameKey(bytes, from, to, 'xml'));
    const masked = maskDigits(bytes.subarray(from, to));
    if (masked !== null) this.#addField(mix(column, TEXT), nameKey(masked, 0, masked.length, 'xml'));
  }

  #read(level: number, name: number, tag: Uint8Array): { shape: number; failing: boolean } {
    let at = nameEnd(tag, 1);
    const local = localKey(tag, 1, at);
    const isEmpty = tag[tag.length - 2] === 0x2f;
    let failing = FAILING_NAMES.has(local) || (FAILING_LISTS.has(local) && !isEmpty);
    let shape = mix(SEED, name >>> 0);
    for (;;) {
      const attribute = attributeAt(tag, at);
      if (attribute === undefined) return { shape, failing };
      at = attribute.to;
      failing ||= fails(tag, attribute);
      if (level > DEEPEST) continue;
      const key = nameKey(tag, attribute.from, attribute.nameEnd, this.#markup) >>> 0;
      shape = mix(shape, key);
      if (level <= DEEPEST_FIELDS) this.#field(tag, attribute, mix(name >>> 0, key));
    }
  }

  #field(tag: Uint8Array, { valueFrom, valueTo }: Attribute, column: number): void {
    if (valueTo - valueFrom <= LONGEST_WORD) this.#addField(column, nameKey(tag, valueFrom, valueTo, 'xml'));
  }

  #addField(column: number, word: number): void {
    if (this.fields.length < MOST_FIELDS) this.fields.push({ column, word });
  }
}

/** Each run of digits as one `0`; null where there is none. */
function maskDigits(bytes: Uint8Array): Uint8Array | null {
  const isDigit = (at: number) => (bytes[at] ?? 0) >= 0x30 && (bytes[at] ?? 0) <= 0x39;
  const kept = [...bytes.keys()].filter((at) => !isDigit(at) || !isDigit(at - 1));
  if (!kept.some(isDigit)) return null;
  return Uint8Array.from(kept, (at) => (isDigit(at) ? 0x30 : (bytes[at] ?? 0)));
}

/** `status="failed"`, `success="false"`, `failures="2"`. */
function fails(tag: Uint8Array, { from, nameEnd: end, valueFrom, valueTo }: Attribute): boolean {
  const length = valueTo - valueFrom;
  if (length === 0 || length > LONGEST_WORD) return false;
  const name = localKey(tag, from, end);
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

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193) >>> 0;
}
