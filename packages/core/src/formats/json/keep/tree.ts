/**
 * What is left of a document as a tree: containers with the entries that are still known and runs
 * of entries that are only counted. Raw bytes are parsed here, on demand; they are known to be
 * valid. `size` is the chars a value takes with the white space that is kept; one of which something was
 * dropped has an infinite one. Containers nested deeper than can be shown are left unparsed.
 */
import type { Extent } from '../../../model/extent.ts';
import { HeldBytes } from '../../../text/held-bytes.ts';
import { measure } from '../../../text/utf8.ts';
import type { Child, Frame } from './children.ts';
import { isFailingWord, isMessageKey, saysFailure } from './failing.ts';
import { Interest } from './interest.ts';
import { RESERVED_BYTES, reservedNumber } from './reserved.ts';
import { isSpace, keepsSpace, type Spacing } from './spacing.ts';
import { scalarEnd, skipSpace, stringEnd } from './tokens.ts';

const DEEPEST = 64;

export interface StringNode {
  readonly kind: 'string';
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly head: HeldBytes;
  /** The same as `head` unless the string was too long to be kept. */
  readonly tail: HeldBytes;
}

interface ScalarNode {
  readonly kind: 'scalar';
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly source: HeldBytes;
}

export interface ContainerNode {
  readonly kind: 'array' | 'object';
  readonly from: number;
  readonly to: number;
  readonly size: number;
  /** Holds the opening bracket, and the closing one. */
  readonly opening: HeldBytes;
  readonly closing: HeldBytes;
  readonly count: number;
  /** What its brackets take. */
  readonly frameSize: number;
  /** The highest number of our reserved key that it uses itself. */
  readonly reserved: number;
  readonly entries: readonly Entry[];
  /** Where the first entry begins and where the closing bracket is. */
  readonly first: Extent;
  readonly close: Extent;
}

export type Node = StringNode | ScalarNode | ContainerNode;

export interface ValueEntry {
  readonly kind: 'value';
  readonly index: number;
  readonly start: Extent;
  readonly next: Extent;
  /** Holds the key. */
  readonly leading: HeldBytes;
  /** Holds the comma. */
  readonly trailing: HeldBytes;
  readonly keySize: number;
  /** What follows the value: its comma, and white space. */
  readonly trailSize: number;
  readonly unusual: number | null;
  /** Whether it is called an error and is not empty, or holds something that is. */
  readonly hasError: boolean;
  /** Whether it is what a record says in words: its message, its title. */
  readonly isMessage: boolean;
  readonly node: Node;
}

interface DroppedEntry {
  readonly kind: 'dropped';
  readonly count: number;
  readonly start: Extent;
  readonly next: Extent;
}

export type Entry = ValueEntry | DroppedEntry;

/**
 * The entries of a frame: its head, what is unusual, its tail, and runs of dropped ones between
 * them.
 */
export function entriesOf(frame: Frame, spacing: Spacing = 'none'): Entry[] {
  const kept = new Map<number, Child>();
  for (const child of [...frame.head, ...frame.unusual, ...frame.tail]) kept.set(child.index, child);
  const ranks = new Map(frame.unusual.map((child, rank) => [child.index, rank]));
  const entries: Entry[] = [];
  const ordered = [...kept.values()].sort((a, b) => a.index - b.index);
  ordered.forEach((child, i) => {
    const before = ordered[i - 1];
    if (before !== undefined && before.index + 1 < child.index) {
      entries.push({
        kind: 'dropped',
        count: child.index - before.index - 1,
        start: spanOf(before).end,
        next: spanOf(child).start,
      });
    }
    entries.push(entryOf(child, ranks.get(child.index) ?? null, frame.isArray, spacing));
  });
  return entries;
}

function spanOf(child: Child): { start: Extent; end: Extent } {
  if (child.kind !== 'raw') return child;
  return { start: child.source.start, end: child.source.extentAt(child.source.end) };
}

function entryOf(child: Child, unusual: number | null, inArray: boolean, spacing: Spacing): ValueEntry {
  if (child.kind === 'raw') return rawEntry(child.source, child.index, unusual, inArray, spacing);
  const { index, start, end: next } = child;
  if (child.kind === 'long') {
    const from = inArray ? start.bytes : valueStart(child.prefix, start.bytes);
    const to = valueEndBefore(child.suffix);
    const node: Node =
      child.prefix.at(from) === 0x22 && !child.opaque
        ? { kind: 'string', from, to, size: Number.POSITIVE_INFINITY, head: child.prefix, tail: child.suffix }
        : { kind: 'scalar', from, to, size: Number.POSITIVE_INFINITY, source: child.prefix };
    return {
      kind: 'value',
      index,
      start,
      next,
      leading: child.prefix,
      trailing: child.suffix,
      keySize: from - start.bytes,
      trailSize: sizeOf(child.suffix, to, child.suffix.end, spacing),
      unusual,
      hasError: !inArray && saysFailure(child.prefix.bytes, 0),
      isMessage: !inArray && isMessageKey(child.prefix.bytes, 0),
      node,
    };
  }
  const { lead, trail, frame } = child;
  const bracket = inArray ? start.bytes : valueStart(lead, start.bytes);
  const close = trail.start;
  const node: ContainerNode = {
    kind: frame.isArray ? 'array' : 'object',
    from: bracket,
    to: close.bytes + 1,
    size: Number.POSITIVE_INFINITY,
    opening: lead,
    closing: trail,
    count: frame.count,
    reserved: frame.reserved,
    frameSize: frameSize(bracket, lead.end, spacing),
    entries: entriesOf(frame, spacing),
    first: lead.extentAt(lead.end),
    close,
  };
  return {
    kind: 'value',
    index,
    start,
    next,
    leading: lead,
    trailing: trail,
    keySize: bracket - start.bytes,
    trailSize: sizeOf(trail, close.bytes + 1, trail.end, spacing),
    unusual,
    hasError: (!inArray && saysFailure(lead.bytes, 0)) || node.entries.some(isErrorEntry),
    isMessage: false,
    node,
  };
}

function rawEntry(
  source: HeldBytes,
  index: number,
  unusual: number | null,
  inArray: boolean,
  spacing: Spacing,
): ValueEntry {
  const start = source.start.bytes;
  const from = inArray ? start : valueStart(source, start);
  const node = parseNode(source, from, 0, spacing);
  const keySize = from === start ? 0 : sizeOf(source, start, from, spacing);
  return {
    kind: 'value',
    index,
    start: source.start,
    next: source.extentAt(source.end),
    leading: source,
    trailing: source,
    keySize,
    trailSize: sizeOf(source, node.to, source.end, spacing),
    unusual,
    hasError: reportsError(source, start, node, inArray),
    isMessage: node.kind === 'string' && !inArray && isMessageKey(source.bytes, 0),
    node,
  };
}

function isErrorEntry(entry: Entry): boolean {
  return entry.kind === 'value' && entry.hasError;
}

/** Whether a member, or item, tells of an error. `start`: where it begins. */
function reportsError(source: HeldBytes, start: number, node: Node, inArray: boolean): boolean {
  const isContainer = node.kind === 'array' || node.kind === 'object';
  if (isContainer && node.entries.some(isErrorEntry)) return true;
  if (!inArray) return saysFailure(source.bytes, start - source.start.bytes);
  // An event may be an array that begins with its name.
  const [first] = node.kind === 'array' ? node.entries : [];
  return first !== undefined && isFailingWord(source.bytes, first.start.bytes - source.start.bytes);
}

/** Behind a key and its colon. */
function valueStart(source: HeldBytes, start: number): number {
  const { bytes } = source;
  const base = source.start.bytes;
  const colon = skipSpace(bytes, stringEnd(bytes, start - base));
  return base + skipSpace(bytes, colon + 1);
}

/** Before the comma and white space that end a source. */
function valueEndBefore(source: HeldBytes): number {
  let end = source.end;
  while (end > source.start.bytes && isSpaceOrComma(source.at(end - 1))) end--;
  return end;
}

function isSpaceOrComma(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x2c;
}

function parseNode(source: HeldBytes, from: number, depth: number, spacing: Spacing): Node {
  const base = source.start.bytes;
  const byte = source.at(from);
  if (byte === 0x22) {
    const to = base + stringEnd(source.bytes, from - base);
    return {
      kind: 'string',
      from,
      to,
      size: measure(source.bytes, from - base, to - base).chars,
      head: source,
      tail: source,
    };
  }
  if (byte !== 0x7b && byte !== 0x5b) {
    const to = base + scalarEnd(source.bytes, from - base);
    return { kind: 'scalar', from, to, size: to - from, source };
  }
  return parseContainer(source, from, depth, spacing);
}

function parseContainer(source: HeldBytes, from: number, depth: number, spacing: Spacing): ContainerNode {
  const base = source.start.bytes;
  const isArray = source.at(from) === 0x5b;
  const children = childStarts(source, from);
  const { close } = children;
  const starts = depth < DEEPEST ? children.starts : [];
  const ranks = isArray ? unusualIn(source, starts, close) : NO_RANKS;
  const first = source.extentAt(children.starts[0] ?? close);
  // Places are asked for in order: that is what makes them cheap.
  let end = first;
  const entries = starts.map((start, index): ValueEntry => {
    const next = starts[index + 1] ?? close;
    const begin = end;
    const valueFrom = isArray
      ? start
      : base + skipSpace(source.bytes, skipSpace(source.bytes, stringEnd(source.bytes, start - base)) + 1);
    const keySize = isArray ? 0 : sizeOf(source, start, valueFrom, spacing);
    const node = parseNode(source, valueFrom, depth + 1, spacing);
    end = source.extentAt(next);
    return {
      kind: 'value',
      index,
      start: begin,
      next: end,
      leading: source,
      trailing: source,
      keySize,
      trailSize: sizeOf(source, node.to, next, spacing),
      unusual: ranks.get(index) ?? null,
      hasError: reportsError(source, start, node, isArray),
      isMessage: node.kind === 'string' && !isArray && isMessageKey(source.bytes, start - base),
      node,
    };
  });
  return {
    kind: isArray ? 'array' : 'object',
    from,
    to: close + 1,
    size: sizeOf(source, from, close + 1, spacing),
    frameSize: frameSize(from, children.starts[0] ?? close, spacing),
    opening: source,
    closing: source,
    count: children.starts.length,
    reserved: isArray
      ? 0
      : children.starts.reduce(
          (most, start) => Math.max(most, reservedNumber(source.slice(start, start + RESERVED_BYTES))),
          0,
        ),
    entries,
    first,
    close: source.extentAt(close),
  };
}

const NO_RANKS: ReadonlyMap<number, number> = new Map();

/** Which items differ from the rest, by their index, the most unusual first. */
function unusualIn(source: HeldBytes, starts: readonly number[], close: number): ReadonlyMap<number, number> {
  const interest = new Interest(Number.POSITIVE_INFINITY);
  starts.forEach((start, index) => {
    const bytes = source.slice(start, starts[index + 1] ?? close);
    interest.consider({ kind: 'raw', index, source: new HeldBytes(bytes, source.start) });
  });
  return new Map(interest.unusual(starts.length).map((child, rank) => [child.index, rank]));
}

/** Where the children of a container begin, and where it closes; without recursion. */
function childStarts(source: HeldBytes, from: number): { starts: number[]; close: number } {
  const { bytes } = source;
  const base = source.start.bytes;
  const starts: number[] = [];
  let depth = 0;
  let expecting = false;
  for (let at = from - base; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
    if ((byte === 0x5d || byte === 0x7d) && --depth === 0) return { starts, close: base + at };
    if (depth === 1 && expecting && byte !== 0x5d && byte !== 0x7d) {
      starts.push(base + at);
      expecting = false;
    }
    if (byte === 0x22) at = stringEnd(bytes, at) - 1;
    else if (byte === 0x5b || byte === 0x7b) {
      depth++;
      if (depth === 1) expecting = true;
    } else if (byte === 0x2c && depth === 1) expecting = true;
  }
  return { starts, close: source.end - 1 };
}

/** What the brackets of a container take, with the white space behind the first. */
function frameSize(from: number, first: number, spacing: Spacing): number {
  return spacing === 'exact' ? first - from + 1 : 2;
}

/** Chars of a range, with the white space between its tokens that is kept. */
function sizeOf(source: HeldBytes, from: number, to: number, spacing: Spacing): number {
  const { bytes } = source;
  const base = source.start.bytes;
  const end = to - base;
  let size = 0;
  for (let at = from - base; at < end; ) {
    const start = at;
    if (bytes[at] === 0x22) {
      at = stringEnd(bytes, at);
      size += measure(bytes, start, at).chars;
    } else if (isSpace(bytes[at])) {
      while (at < end && isSpace(bytes[at])) at++;
      if (keepsSpace(bytes, start, at, spacing)) size += at - start;
    } else {
      at++;
      size++;
    }
  }
  return size;
}
