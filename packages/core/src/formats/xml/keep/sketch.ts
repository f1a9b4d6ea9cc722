/**
 * A large XML or HTML text, remembered in little memory while it streams by. An element of more
 * than `rawBytes` becomes a frame; everything smaller is kept as its raw bytes, unparsed. What
 * becomes a frame depends on the bytes alone, not on the pieces they come in. Memory is a small
 * multiple of the reach, whatever the size of the text, the number of siblings or the depth of
 * nesting.
 */
import { type Extent, NOTHING, sum } from '../../../model/extent.ts';
import type { Piece } from '../../../model/piece.ts';
import { HeldBytes } from '../../../text/held-bytes.ts';
import type { Markup } from '../scanner.ts';
import { Description } from './describe.ts';
import {
  type Blank,
  type Child,
  detach,
  endOf,
  type Frame,
  isElement,
  squeeze,
  thin,
  weightOf,
} from './frame.ts';
import { Interest } from './interest.ts';
import { type LeafKind, Nesting, type Structure } from './nesting.ts';
import { KnownTags, type TagReader } from './tag-reader.ts';
import { TextReader } from './text-reader.ts';
import { Window } from './window.ts';

/** Deeper frames are allowed less: memory must not grow with depth. */
const HALVING_DEPTH = 4;
const LEAST_CAP_BYTES = 64;
const MOST_FRAMES = 64;
const LONGEST_BLANK = 256;
const NO_BYTES = new Uint8Array(0);

interface OpenFrame extends Frame {
  name: number;
  lead: HeldBytes;
  leadEnd: Extent;
  readonly depth: number;
  headWeight: number;
  tailWeight: number;
  readonly interest: Interest<Child>;
  failing: boolean;
  current: Current | null;
  last: Child | null;
}

/** The element that is being read. */
interface Current {
  readonly from: number;
  readonly start: Extent;
  readonly description: Description;
  /** Too large, and nested too deep to be shown. */
  hidden: boolean;
}

export interface Sketched {
  readonly top: Frame;
  readonly total: Extent;
  /** Of the text; 0 if it is empty. */
  readonly lastByte: number;
}

export class XmlSketch implements Structure {
  readonly #rawBytes: number;
  readonly #markup: Markup;
  readonly #nesting: Nesting;
  readonly #window = new Window();
  readonly #text = new TextReader();
  readonly #known = new KnownTags();
  readonly #stack: OpenFrame[];
  #depth = 0;
  /** The last piece. */
  #held = new HeldBytes(NO_BYTES, NOTHING);
  #total: Extent = NOTHING;
  /** Where the token begins that was not complete at the end of the last piece. */
  #pending: Extent = NOTHING;
  #undecided: Extent = NOTHING;
  #pendingPrefix: Uint8Array | null = null;
  /** Set while what went by is read again. */
  #replayed: HeldBytes | null = null;

  constructor(rawBytes: number, markup: Markup) {
    this.#rawBytes = rawBytes;
    this.#markup = markup;
    this.#nesting = new Nesting(this, markup, rawBytes, this.#known);
    this.#stack = [this.#newFrame(0, 0)];
  }

  push(piece: Piece): void {
    if (this.#nesting.failure !== null) return;
    this.#held = new HeldBytes(piece.bytes, piece.start, piece.extent);
    this.#total = sum(piece.start, piece.extent);
    this.#window.push(piece.start.bytes, piece.bytes);
    this.#nesting.push(piece.bytes);
    if (this.#nesting.failure === null) this.#endPiece();
  }

  /** Nothing follows: what stands at the top, as children of one frame. */
  finish(): Sketched | { readonly failure: string } {
    this.#nesting.finish();
    const [top] = this.#stack;
    if (this.#nesting.failure !== null || top === undefined)
      return { failure: this.#nesting.failure ?? 'the text ends too early' };
    top.close = this.#total;
    top.unusual = top.interest.unusual((child) => child.index);
    return { top, total: this.#total, lastByte: this.#held.bytes.at(-1) ?? 0 };
  }

  open(from: number, to: number, tag: TagReader): void {
    this.#makeRoom(from, to);
    const frame = this.#top();
    if (this.#depth === frame.depth - 1) {
      // The frame's own tag, read again.
      frame.name = tag.name;
      frame.lead = new HeldBytes(tag.bytes.slice(), this.#extent(from));
      frame.leadEnd = this.#extent(to);
    } else if (this.#depth === frame.depth) {
      const description = new Description();
      description.open(0, tag);
      frame.current = { from, start: this.#extent(from), description, hidden: false };
      if (to - from > this.#rawBytes) this.#openLong(frame, frame.current, tag, to);
    } else {
      frame.current?.description.open(this.#depth - frame.depth, tag);
    }
    this.#depth++;
  }

  close(from: number, to: number): void {
    this.#makeRoom(from, to);
    this.#depth--;
    const frame = this.#top();
    const { current } = frame;
    if (this.#depth === frame.depth && current !== null) {
      const { start, description, hidden } = current;
      const end = this.#extent(to);
      frame.current = null;
      const placed = { index: frame.count, elements: frame.elements, start, end, after: null };
      const child: Child = hidden
        ? { ...placed, kind: 'hidden' }
        : {
            ...placed,
            kind: 'raw',
            is: 'element',
            source: new HeldBytes(this.#slice(current.from, to), start),
          };
      this.#add(frame, child, description);
    } else if (this.#depth === frame.depth - 1) {
      this.#closeFrame(frame, from, to);
    }
  }

  leaf(kind: LeafKind, from: number, to: number): void {
    this.#makeRoom(from, to);
    const frame = this.#top();
    if (this.#depth !== frame.depth) {
      if (kind === 'text' && frame.current?.hidden === false)
        this.#describe(frame.current.description, this.#depth - frame.depth - 1, from, to);
      return;
    }
    const start = this.#extent(from);
    const end = this.#extent(to);
    if (kind === 'blank') {
      const source = to - from <= LONGEST_BLANK ? new HeldBytes(this.#slice(from, to), start) : null;
      const blank: Blank = { start, end, source };
      if (frame.last === null) frame.leadBlank = blank;
      else frame.last.after = blank;
      return;
    }
    const placed = { index: frame.count, elements: frame.elements, start, end, after: null };
    if (to - from <= this.#rawBytes) {
      this.#add(
        frame,
        { ...placed, kind: 'raw', is: kind, source: new HeldBytes(this.#slice(from, to), start) },
        null,
      );
      return;
    }
    const cap = this.#rawBytes;
    const remembered = from === this.#pending.bytes ? this.#pendingPrefix : null;
    const prefix = new HeldBytes(remembered ?? this.#slice(from, from + cap).slice(), start);
    const suffix = endOf(this.#slice(to - (cap >> 1), to), cap >> 1, end);
    this.#add(frame, { ...placed, kind: 'long', is: kind, prefix, suffix }, null);
  }

  #describe(description: Description, level: number, from: number, to: number): void {
    // Texts further below say nothing of it.
    if (level > 2) return;
    const { bytes, start } = this.#replayed ?? this.#held;
    if (from >= start.bytes) this.#text.read(bytes, from - start.bytes, to - start.bytes);
    else {
      const text = this.#window.slice(from, to);
      this.#text.read(text, 0, text.length);
    }
    description.text(level, this.#text);
  }

  #top(): OpenFrame {
    const top = this.#stack.at(-1);
    if (top === undefined) throw new RangeError('the outermost frame is always there');
    return top;
  }

  #newFrame(name: number, depth: number): OpenFrame {
    const none = new HeldBytes(NO_BYTES, NOTHING);
    return {
      name,
      depth,
      lead: none,
      leadEnd: NOTHING,
      leadSlashed: false,
      leadBlank: null,
      count: 0,
      elements: 0,
      head: [],
      tail: [],
      unusual: [],
      close: NOTHING,
      trail: none,
      headWeight: 0,
      tailWeight: 0,
      interest: new Interest(this.#cap(depth) >> 1),
      failing: false,
      current: null,
      last: null,
    };
  }

  #cap(depth: number): number {
    return Math.max(LEAST_CAP_BYTES, this.#rawBytes >> Math.min(30, Math.floor(depth / HALVING_DEPTH)));
  }

  /**
   * Before a token: what it would make too large to be kept whole becomes a frame, with all that
   * went by.
   */
  #makeRoom(from: number, to: number): void {
    for (;;) {
      const frame = this.#top();
      const { current } = frame;
      if (current === null || current.hidden || this.#depth <= frame.depth) return;
      if (to - from <= this.#rawBytes && to - current.from <= this.#rawBytes) return;
      if (this.#stack.length > MOST_FRAMES) current.hidden = true;
      else this.#becomeFrame(frame, current, from);
    }
  }

  /** Finds the children that went by while the element was still small. */
  #becomeFrame(parent: OpenFrame, current: Current, upTo: number): void {
    const raw = new HeldBytes(this.#slice(current.from, upTo), current.start);
    const depth = this.#depth;
    const offset = current.from;
    this.#stack.push(this.#newFrame(0, parent.depth + 1));
    this.#depth = parent.depth;
    this.#replayed = raw;
    const again = new Nesting(
      {
        open: (from, to, tag) => this.open(offset + from, offset + to, tag),
        close: (from, to) => this.close(offset + from, offset + to),
        leaf: (kind, from, to) => this.leaf(kind, offset + from, offset + to),
      },
      this.#markup,
      this.#rawBytes,
      this.#known,
    );
    again.push(raw.bytes);
    again.flush();
    this.#replayed = null;
    this.#depth = depth;
  }

  /** An element whose start tag alone is too long. */
  #openLong(parent: OpenFrame, current: Current, tag: TagReader, to: number): void {
    if (this.#stack.length > MOST_FRAMES) {
      current.hidden = true;
      return;
    }
    const frame = this.#newFrame(tag.name, parent.depth + 1);
    frame.lead = new HeldBytes(tag.bytes.slice(), current.start);
    frame.leadEnd = this.#extent(to);
    frame.leadSlashed = this.#slice(to - 2, to)[0] === 0x2f;
    this.#stack.push(frame);
  }

  #closeFrame(frame: OpenFrame, from: number, to: number): void {
    frame.close = this.#extent(from);
    frame.trail = new HeldBytes(this.#slice(from, to).slice(), frame.close);
    frame.unusual = frame.interest.unusual((child) => child.index);
    this.#stack.pop();
    const parent = this.#top();
    const { current } = parent;
    parent.current = null;
    if (current === null) return;
    const placed = {
      index: parent.count,
      elements: parent.elements,
      start: current.start,
      end: this.#extent(to),
    };
    const child: Child = { ...placed, after: null, kind: 'frame', frame: bare(frame) };
    detach(child);
    current.description.failing ||= frame.failing;
    this.#add(parent, child, current.description);
  }

  #add(frame: OpenFrame, child: Child, description: Description | null): void {
    frame.count++;
    if (isElement(child)) frame.elements++;
    frame.last = child;
    const cap = this.#cap(frame.depth);
    const isHead = this.#addToHead(frame, child, cap);
    if (!isHead) addToTail(frame, child, cap);
    if (description === null) return;
    frame.failing ||= description.failing;
    if (child.kind === 'raw') {
      if (frame.interest.consider(child, description, weightOf(child))) detach(child);
    } else if (child.kind === 'frame' && description.failing) {
      if (!isHead) {
        frame.tailWeight -= weightOf(child);
        thin(child, cap >> 2);
        frame.tailWeight += weightOf(child);
      }
      frame.interest.considerFailing(child, isHead ? 0 : weightOf(child));
    }
  }

  #addToHead(frame: OpenFrame, child: Child, cap: number): boolean {
    if (frame.tail.length > 0) return false;
    const weight = weightOf(child);
    const isHeavy = child.kind === 'frame' || child.kind === 'long';
    if (frame.head.length > 0 && !isHeavy && frame.headWeight + weight > cap) return false;
    if (isHeavy && frame.head.length > 0 && frame.headWeight + weight > cap * 3) {
      const fits = squeeze([...frame.head, child], cap * 3);
      frame.headWeight = frame.head.reduce((sum, one) => sum + weightOf(one), 0);
      if (!fits) return false;
      frame.headWeight += weightOf(child);
    } else {
      frame.headWeight += weight;
    }
    frame.head.push(child);
    return true;
  }

  #extent(offset: number): Extent {
    if (this.#replayed !== null) return this.#replayed.extentAt(offset);
    if (offset === this.#pending.bytes) return this.#pending;
    if (offset === this.#undecided.bytes) return this.#undecided;
    return this.#held.extentAt(offset);
  }

  #slice(from: number, to: number): Uint8Array {
    const held = this.#replayed ?? this.#held;
    // Most of what is asked for lies in the last piece.
    return from >= held.start.bytes ? held.slice(from, to) : this.#window.slice(from, to);
  }

  /** Remembers where the open token begins, and lets go of what is not needed any more. */
  #endPiece(): void {
    const start = this.#nesting.tokenStart;
    const end = this.#total.bytes;
    if (start !== this.#pending.bytes) {
      this.#pending = start === end ? this.#total : this.#extent(start);
      this.#pendingPrefix = null;
    }
    if (this.#nesting.undecided !== this.#undecided.bytes)
      this.#undecided = this.#extent(this.#nesting.undecided);
    if (end - start > this.#rawBytes) {
      this.#makeRoom(start, end);
      this.#pendingPrefix ??= this.#window.slice(start, start + this.#rawBytes).slice();
      this.#window.release(end - this.#rawBytes);
      return;
    }
    const { current } = this.#top();
    this.#window.release(current === null || current.hidden ? start : Math.min(start, current.from));
  }
}

function addToTail(frame: OpenFrame, child: Child, cap: number): void {
  const { tail } = frame;
  tail.push(child);
  frame.tailWeight += weightOf(child);
  for (;;) {
    const [first] = tail;
    const weight = first === undefined ? 0 : weightOf(first);
    if (tail.length < 2 || frame.tailWeight - weight < cap) return;
    tail.shift();
    frame.tailWeight -= weight;
  }
}

/** Without what was only needed to build it. */
function bare(frame: OpenFrame): Frame {
  const { name, lead, leadEnd, leadSlashed, leadBlank, count, elements, head, tail, unusual, close, trail } =
    frame;
  return { name, lead, leadEnd, leadSlashed, leadBlank, count, elements, head, tail, unusual, close, trail };
}
