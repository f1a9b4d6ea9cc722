/**
 * Values whose bytes are all there, known to be valid. Of a container its end, its size and whether
 * it tells of an error are known; its entries are read when somebody asks for them, and of these
 * again no more than that.
 */
import type { Extent } from '../../../model/extent.ts';
import type { HeldBytes } from '../../../text/held-bytes.ts';
import { isFailingWord, isMessageKey, saysFailure } from './failing.ts';
import { FEWEST_ITEMS, Interest } from './interest.ts';
import type { ContainerNode, Node, ValueEntry } from './nodes.ts';
import { RESERVED_BYTES, reservedNumber } from './reserved.ts';
import { DEEPEST, sizeOf, skim } from './skim.ts';
import type { Spacing } from './spacing.ts';
import { memberValue, skipSpace, stringEnd } from './tokens.ts';

/** Where an entry stands. */
export interface Standing {
  readonly index: number;
  readonly start: Extent;
  readonly next: Extent;
  readonly unusual: number | null;
  readonly inArray: boolean;
  /** Containers around its value, of those whose bytes are all there. */
  readonly depth: number;
  readonly spacing: Spacing;
}

export function rawEntry(source: HeldBytes, standing: Standing): ValueEntry {
  const { bytes } = source;
  const base = source.start.bytes;
  const { index, start, next, unusual, inArray, depth, spacing } = standing;
  const at = start.bytes - base;
  const from = inArray ? at : memberValue(bytes, at);
  const { to, size, hasError } = skim(bytes, from, depth, spacing);
  const node = nodeOf(source, base + from, base + to, size, depth, spacing);
  return {
    kind: 'value',
    index,
    start,
    next,
    leading: source,
    trailing: source,
    keySize: from === at ? 0 : sizeOf(bytes, at, from, spacing),
    trailSize: sizeOf(bytes, to, next.bytes - base, spacing),
    unusual,
    hasError: hasError || (inArray ? isFailingEvent(bytes, from, depth) : saysFailure(bytes, at)),
    isMessage: !inArray && bytes[from] === 0x22 && isMessageKey(bytes, at),
    node,
  };
}

/** An event may be an array that begins with its name. */
function isFailingEvent(bytes: Uint8Array, from: number, depth: number): boolean {
  return bytes[from] === 0x5b && depth < DEEPEST && isFailingWord(bytes, skipSpace(bytes, from + 1));
}

function nodeOf(
  source: HeldBytes,
  from: number,
  to: number,
  size: number,
  depth: number,
  spacing: Spacing,
): Node {
  const byte = source.at(from);
  if (byte === 0x22) return { kind: 'string', from, to, size, head: source, tail: source };
  if (byte !== 0x7b && byte !== 0x5b) return { kind: 'scalar', from, to, size, source };
  return new RawContainer(source, from, to, size, depth, spacing);
}

/** What the brackets of a container take, with the white space behind the first. */
export function frameSize(from: number, first: number, spacing: Spacing): number {
  return spacing === 'exact' ? first - from + 1 : 2;
}

interface Inside {
  readonly entries: readonly ValueEntry[];
  readonly count: number;
  readonly reserved: number;
  readonly first: Extent;
  readonly close: Extent;
}

class RawContainer implements ContainerNode {
  readonly kind: 'array' | 'object';
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly opening: HeldBytes;
  readonly #depth: number;
  readonly #spacing: Spacing;
  #inside: Inside | undefined;

  constructor(source: HeldBytes, from: number, to: number, size: number, depth: number, spacing: Spacing) {
    this.kind = source.at(from) === 0x5b ? 'array' : 'object';
    this.from = from;
    this.to = to;
    this.size = size;
    this.opening = source;
    this.#depth = depth;
    this.#spacing = spacing;
  }

  get closing(): HeldBytes {
    return this.opening;
  }

  get entries(): readonly ValueEntry[] {
    return this.#read().entries;
  }

  get count(): number {
    return this.#read().count;
  }

  get reserved(): number {
    return this.#read().reserved;
  }

  get first(): Extent {
    return this.#read().first;
  }

  get close(): Extent {
    return this.#read().close;
  }

  get frameSize(): number {
    return frameSize(this.from, this.first.bytes, this.#spacing);
  }

  #read(): Inside {
    this.#inside ??= this.#readInside();
    return this.#inside;
  }

  #readInside(): Inside {
    const { opening: source, kind } = this;
    const { bytes } = source;
    const base = source.start.bytes;
    const inArray = kind === 'array';
    const close = this.to - 1 - base;
    const starts = childStarts(bytes, this.from - base, close);
    const first = source.extentAt(base + (starts[0] ?? close));
    const isRead = this.#depth < DEEPEST;
    const ranks = inArray && isRead ? unusualIn(bytes, starts, close) : NO_RANKS;
    let reserved = 0;
    // Places are asked for in order: that is what makes them cheap.
    let next = first;
    const entries = (isRead ? starts : []).map((_, index) => {
      const start = next;
      next = source.extentAt(base + (starts[index + 1] ?? close));
      const unusual = ranks.get(index) ?? null;
      const depth = this.#depth + 1;
      return rawEntry(source, { index, start, next, unusual, inArray, depth, spacing: this.#spacing });
    });
    for (const start of inArray ? [] : starts)
      reserved = Math.max(reserved, reservedNumber(bytes.subarray(start, start + RESERVED_BYTES)));
    return { entries, count: starts.length, reserved, first, close: source.extentAt(base + close) };
  }
}

const NO_RANKS: ReadonlyMap<number, number> = new Map();

/** Which items differ from the rest, by their index, the most unusual first. */
function unusualIn(bytes: Uint8Array, starts: readonly number[], close: number): ReadonlyMap<number, number> {
  if (starts.length < FEWEST_ITEMS) return NO_RANKS;
  const interest = new Interest<number>();
  starts.forEach((start, index) => {
    interest.consider(index, bytes, start, starts[index + 1] ?? close);
  });
  return new Map(interest.unusual(starts.length, (index) => index).map((index, rank) => [index, rank]));
}

/** Where the children of a container begin that opens at `from` and closes at `close`. */
function childStarts(bytes: Uint8Array, from: number, close: number): number[] {
  const starts: number[] = [];
  let at = skipSpace(bytes, from + 1);
  while (at < close) {
    starts.push(at);
    at = skipSpace(bytes, commaAfter(bytes, at, close) + 1);
  }
  return starts;
}

/** The comma behind the child that begins at `from`, or `close` if it is the last. */
function commaAfter(bytes: Uint8Array, from: number, close: number): number {
  let depth = 0;
  for (let at = from; at < close; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x22) at = stringEnd(bytes, at) - 1;
    else if ((byte | 0x20) === 0x7b) depth++;
    else if ((byte | 0x20) === 0x7d) depth--;
    else if (byte === 0x2c && depth === 0) return at;
  }
  return close;
}
