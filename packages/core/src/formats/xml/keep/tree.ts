/**
 * What is left of a text as a tree: elements with the children that are still known and runs of
 * children that are only counted. Raw bytes are parsed here, on demand; they are known to be
 * well-formed. `size` is the chars a node takes with its indentation left out; a node of which
 * something was dropped has an infinite one. Elements nested deeper than can be shown are left
 * unparsed.
 */
import { type Extent, NOTHING } from '../../../model/extent.ts';
import { HeldBytes } from '../../../text/held-bytes.ts';
import { measure } from '../../../text/utf8.ts';
import { isSpace } from '../bytes.ts';
import type { Markup } from '../scanner.ts';
import { Description } from './describe.ts';
import { all, type Blank, type Child, type Frame, isElement, type RawChild } from './frame.ts';
import { html } from './html.ts';
import { FEWEST, Interest } from './interest.ts';
import { type LeafKind, Nesting, type Structure } from './nesting.ts';
import type { KnownTags, TagReader } from './tag-reader.ts';
import { TextReader } from './text-reader.ts';

const DEEPEST = 64;

/** A text, comment, or other thing without children. */
export interface LeafNode {
  readonly kind: 'leaf';
  readonly is: LeafKind;
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly head: HeldBytes;
  /** The same as `head` unless it was too long to be kept. */
  readonly tail: HeldBytes;
}

export interface ElementNode {
  readonly kind: 'element';
  readonly name: number;
  readonly from: number;
  readonly to: number;
  size: number;
  /** The start tag; of a very long one the beginning. */
  readonly tag: HeldBytes;
  readonly tagEnd: Extent;
  readonly tagSize: number;
  /** What a start tag that is cut ends in. */
  readonly slashed: boolean;
  lead: Blank | null;
  readonly entries: Entry[];
  /** Elements among the children. */
  elements: number;
  close: Extent;
  endSize: number;
  trail: HeldBytes;
  /** All of its bytes, and the white space between tags in them; null if some are gone. */
  readonly whole: { readonly source: HeldBytes; readonly blanks: readonly Blank[] } | null;
}

export type Node = LeafNode | ElementNode;

export interface NodeEntry {
  readonly kind: 'node';
  readonly node: Node;
  readonly start: Extent;
  /** Where the next child begins, or the parent ends. */
  next: Extent;
  after: Blank | null;
  unusual: number | null;
}

interface DroppedEntry {
  readonly kind: 'dropped';
  readonly elements: number;
  readonly start: Extent;
  next: Extent;
}

export type Entry = NodeEntry | DroppedEntry;

/** What is not to be shown, though it is well-formed. */
export interface Reading {
  readonly markup: Markup;
  /** Whether a text with such bytes may be shown whole. */
  readonly allows: (bytes: Uint8Array) => boolean;
  /** Tags that were read before. */
  readonly known: KnownTags;
}

/**
 * The children of a frame: its head, what is unusual, its tail, and runs of dropped ones between
 * them.
 */
export function entriesOf(frame: Frame, reading: Reading): Entry[] {
  const ranks = new Map(frame.unusual.map((child, rank) => [child.index, rank]));
  const entries: Entry[] = [];
  let index = 0;
  let elements = 0;
  let at = frame.leadBlank?.end ?? frame.leadEnd;
  for (const child of all(frame)) {
    if (child.index > index)
      entries.push({ kind: 'dropped', elements: child.elements - elements, start: at, next: child.start });
    index = child.index + 1;
    elements = child.elements + (isElement(child) ? 1 : 0);
    at = child.after?.end ?? child.end;
    entries.push(entryOf(child, ranks.get(child.index) ?? null, at, reading));
  }
  if (frame.count > index)
    entries.push({ kind: 'dropped', elements: frame.elements - elements, start: at, next: frame.close });
  return entries;
}

function entryOf(child: Child, unusual: number | null, next: Extent, reading: Reading): Entry {
  const { start, after } = child;
  if (child.kind === 'hidden') return { kind: 'dropped', elements: 1, start, next };
  const placed = { kind: 'node', start, next, after, unusual } as const;
  if (child.kind === 'raw') return { ...placed, node: parse(child, reading) };
  const from = start.bytes;
  const to = child.end.bytes;
  if (child.kind === 'long')
    return {
      ...placed,
      node: {
        kind: 'leaf',
        is: child.is,
        from,
        to,
        size: Number.POSITIVE_INFINITY,
        head: child.prefix,
        tail: child.suffix,
      },
    };
  const { frame } = child;
  const isWholeTag = from + frame.lead.bytes.length === frame.leadEnd.bytes;
  const node: ElementNode = {
    kind: 'element',
    name: frame.name,
    from,
    to,
    size: Number.POSITIVE_INFINITY,
    tag: frame.lead,
    tagEnd: frame.leadEnd,
    tagSize: isWholeTag ? sizeOf(frame.lead.bytes, reading) : Number.POSITIVE_INFINITY,
    slashed: frame.leadSlashed,
    lead: frame.leadBlank,
    entries: entriesOf(frame, reading),
    elements: frame.elements,
    close: frame.close,
    endSize: frame.trail.bytes.length,
    trail: frame.trail,
    whole: null,
  };
  return { ...placed, node };
}

function sizeOf(bytes: Uint8Array, reading: Reading): number {
  return reading.allows(bytes) ? measure(bytes).chars : Number.POSITIVE_INFINITY;
}

function parse({ is, source, start, end }: RawChild, reading: Reading): Node {
  if (is !== 'element') {
    const size = sizeOf(source.bytes, reading);
    return { kind: 'leaf', is, from: start.bytes, to: end.bytes, size, head: source, tail: source };
  }
  const builder = new Builder(source, reading);
  const nesting = new Nesting(builder, reading.markup, source.bytes.length, reading.known);
  nesting.push(source.bytes);
  nesting.flush();
  builder.closeRest();
  return builder.root;
}

interface Growing {
  readonly node: ElementNode;
  readonly description: Description;
  readonly described: { readonly entry: NodeEntry; readonly description: Description }[];
}

/** Builds the tree of one element whose bytes are all there. */
class Builder implements Structure {
  readonly #source: HeldBytes;
  readonly #reading: Reading;
  readonly #text = new TextReader();
  readonly #blanks: Blank[] = [];
  readonly #stack: Growing[] = [];
  /** Levels below the deepest one that is parsed. */
  #below = 0;
  /** Where the outermost of them begins. */
  #deep: Extent = NOTHING;
  #root: ElementNode | undefined;

  constructor(source: HeldBytes, reading: Reading) {
    this.#source = source;
    this.#reading = reading;
  }

  /** The tree, once everything was read. */
  get root(): ElementNode {
    if (this.#root === undefined) throw new RangeError('what is kept raw is a whole element');
    return this.#root;
  }

  open(from: number, to: number, tag: TagReader): void {
    // How an element looks depends on two levels below it; that it fails is told on closing.
    this.#stack.at(-1)?.description.open(1 + this.#below, tag);
    this.#stack.at(-2)?.description.open(2 + this.#below, tag);
    if (this.#stack.length >= DEEPEST) {
      if (this.#below === 0) this.#deep = this.#extent(from);
      this.#below++;
      return;
    }
    const description = new Description();
    description.open(0, tag);
    const start = this.#extent(from);
    const tagEnd = this.#extent(to);
    const { name, bytes } = tag;
    const node: ElementNode = {
      kind: 'element',
      name,
      from: this.#offsetOf(from),
      to: this.#offsetOf(to),
      size: 0,
      tag: new HeldBytes(bytes, start),
      tagEnd,
      tagSize: this.#sizeOf(bytes, start, tagEnd),
      slashed: bytes[bytes.length - 2] === 0x2f,
      lead: null,
      entries: [],
      elements: 0,
      close: tagEnd,
      endSize: 0,
      trail: this.#source,
      whole: { source: this.#source, blanks: this.#blanks },
    };
    this.#stack.push({ node, description, described: [] });
  }

  close(from: number, to: number): void {
    if (this.#below > 0) {
      this.#below--;
      const deepest = this.#stack.at(-1)?.node;
      if (this.#below > 0 || deepest === undefined) return;
      deepest.elements++;
      deepest.entries.push({ kind: 'dropped', elements: 1, start: this.#deep, next: this.#extent(to) });
      return;
    }
    const growing = this.#stack.pop();
    if (growing === undefined) return;
    const { node, description, described } = growing;
    const close = this.#extent(from);
    const end = this.#extent(to);
    node.close = close;
    node.endSize = end.chars - close.chars;
    (node as { to: number }).to = end.bytes;
    node.size = wholeSize(node, this.#source, this.#reading);
    rankUnusual(described);
    const parent = this.#stack.at(-1);
    if (parent === undefined) {
      this.#root = node;
      return;
    }
    parent.node.elements++;
    parent.description.failing ||= description.failing;
    const entry = this.#addEntry(parent.node, node, node.from - this.#source.start.bytes, end);
    parent.described.push({ entry, description });
  }

  leaf(kind: LeafKind, from: number, to: number): void {
    const parent = this.#stack.at(-1)?.node;
    if (parent === undefined || this.#below > 0) return;
    const start = this.#extent(from);
    const end = this.#extent(to);
    if (kind === 'blank') {
      const blank = { start, end, source: this.#source };
      this.#blanks.push(blank);
      const last = parent.entries.at(-1);
      if (last === undefined) parent.lead = blank;
      else {
        last.next = end;
        if (last.kind === 'node') last.after = blank;
      }
      return;
    }
    const bytes = this.#source.bytes.subarray(from, to);
    if (kind === 'text') {
      this.#text.read(bytes, 0, bytes.length);
      for (let level = 0; level < 3; level++) this.#stack.at(-1 - level)?.description.text(level, this.#text);
    }
    const size = this.#sizeOf(bytes, start, end);
    const ranges = { from: start.bytes, to: end.bytes, head: this.#source, tail: this.#source };
    this.#addEntry(parent, { kind: 'leaf', is: kind, size, ...ranges }, from, end);
  }

  /** End tags that HTML leaves out at the end of the element's own bytes. */
  closeRest(): void {
    while (this.#below > 0 || this.#stack.length > 0)
      this.close(this.#source.bytes.length, this.#source.bytes.length);
  }

  #addEntry(parent: ElementNode, node: Node, from: number, next: Extent): NodeEntry {
    const entry: NodeEntry = {
      kind: 'node',
      node,
      start: this.#extent(from),
      next,
      after: null,
      unusual: null,
    };
    parent.entries.push(entry);
    return entry;
  }

  #sizeOf(bytes: Uint8Array, start: Extent, end: Extent): number {
    return this.#reading.allows(bytes) ? end.chars - start.chars : Number.POSITIVE_INFINITY;
  }

  #offsetOf(at: number): number {
    return this.#source.start.bytes + at;
  }

  #extent(at: number): Extent {
    return this.#source.extentAt(this.#offsetOf(at));
  }
}

/** The sizes of all that is in it; of what was not looked at, of its bytes. */
function wholeSize(node: ElementNode, source: HeldBytes, reading: Reading): number {
  let size = node.tagSize + blankSize(node.lead) + node.endSize;
  for (const entry of node.entries)
    size +=
      entry.kind === 'node'
        ? entry.node.size + blankSize(entry.after)
        : sizeOf(source.slice(entry.start.bytes, entry.next.bytes), reading);
  return size;
}

/** Of white space between tags the first line end is shown, or its first character. */
export function blankSize(blank: Blank | null): number {
  if (blank === null || blank.source === null) return 0;
  const { from, to } = shownOfBlank(blank, blank.source);
  return to - from;
}

export function shownOfBlank({ start, end }: Blank, source: HeldBytes): { from: number; to: number } {
  for (let at = start.bytes; at < end.bytes; at++) {
    const byte = source.at(at);
    if (byte === 0x0a) return { from: at, to: at + 1 };
    if (byte === 0x0d)
      return { from: at, to: at + (at + 1 < end.bytes && source.at(at + 1) === 0x0a ? 2 : 1) };
  }
  return { from: start.bytes, to: start.bytes + (isSpace(source.at(start.bytes)) ? 1 : 0) };
}

function rankUnusual(described: Growing['described']): void {
  if (described.length < 2) return;
  if (described.length < FEWEST && !described.some(({ description }) => description.failing)) return;
  const interest = new Interest<NodeEntry>(Number.POSITIVE_INFINITY);
  for (const { entry, description } of described) interest.consider(entry, description, 0);
  interest
    .unusual((entry) => entry.start.bytes)
    .forEach((entry, rank) => {
      entry.unusual = rank;
    });
}

/** Whether it is to be shown only where there is room for all else. */
export function isLeast(node: Node, markup: Markup): boolean {
  if (node.kind === 'element') return markup === 'html' && html.isLeast(node.name);
  return node.is === 'comment' || node.is === 'instruction' || node.is === 'stray';
}
