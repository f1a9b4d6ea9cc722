/**
 * A large JSON document, remembered in little memory while it streams by. Containers larger than
 * `rawBytes` become frames: of their children the first, the last and the unusual are kept, the
 * rest is counted. Everything smaller is kept as its raw bytes, unparsed. Memory is a small
 * multiple of the reach, whatever the size of the document, the number of keys or the depth of
 * nesting.
 *
 * A child's span runs from its beginning (its key, in an object) to the beginning of the next, so
 * commas and white space belong to the child before them, and spans cover the frame without gaps.
 */
import { type Extent, NOTHING, sum } from '../../../model/extent.ts';
import type { Piece } from '../../../model/piece.ts';
import { HeldBytes } from '../../../text/held-bytes.ts';
import { characterStart, measure } from '../../../text/utf8.ts';
import { JsonScanner } from '../scanner.ts';
import type { Child, Frame } from './children.ts';
import { Interest } from './interest.ts';
import { reservedNumber } from './reserved.ts';

/** Frames deeper than this share one small allowance: memory must not grow with depth. */
const HALVING_DEPTH = 4;
const LEAST_CAP_BYTES = 64;
/** So much is read before it is looked whether what is held became too large. */
const SLICE_BYTES = 8_192;
/** Containers inside each other, each too large to be kept whole, that are looked into. */
const MOST_FRAMES = 16;

interface OpenFrame extends Frame {
  headBytes: number;
  tailBytes: number;
  readonly interest: Interest | null;
  /** What the parent needs to describe it. */
  readonly index: number;
  readonly start: Extent;
  readonly lead: HeldBytes;
  current: Current | null;
}

/** The child that is being read. */
interface Current {
  readonly index: number;
  readonly start: Extent;
  chunks: Uint8Array[];
  size: number;
  /** Set once it is too long to be kept. */
  long: { readonly prefix: HeldBytes; suffix: Uint8Array; readonly opaque: boolean } | null;
  /** Set once it was a large container, and has closed. */
  closed: { readonly open: OpenFrame; readonly closeAt: Extent } | null;
}

export class JsonSketch {
  readonly #rawBytes: number;
  readonly #many: boolean;
  readonly #scanner: JsonScanner;
  readonly #stack: OpenFrame[];
  #piece: Uint8Array = new Uint8Array(0);
  #pieceStart: Extent = NOTHING;
  /** How much of the piece was handed out, and where that is. */
  #given: Extent = NOTHING;
  #total: Extent = NOTHING;
  #failure: string | null = null;

  constructor(rawBytes: number, many: boolean) {
    this.#rawBytes = rawBytes;
    this.#many = many;
    this.#scanner = new JsonScanner(
      {
        child: (at) => this.#child(at),
        close: (at) => this.#close(at),
        valueEnd: (at) => this.#valueEnd(at),
      },
      many,
    );
    this.#scanner.watch(0);
    this.#stack = [this.#open(true, 0, 0, NOTHING, new HeldBytes(new Uint8Array(0), NOTHING), many)];
  }

  push(piece: Pick<Piece, 'bytes' | 'start' | 'extent'>): void {
    if (this.#failure !== null) return;
    this.#piece = piece.bytes;
    this.#pieceStart = piece.start;
    this.#given = piece.start;
    this.#total = sum(piece.start, piece.extent);
    for (let from = 0; from < piece.bytes.length && this.#failure === null; from += SLICE_BYTES) {
      const to = Math.min(piece.bytes.length, from + SLICE_BYTES);
      this.#scanner.push(piece.bytes.subarray(from, to));
      this.#failure = this.#scanner.failure;
      if (this.#failure !== null) return;
      this.#give(piece.start.bytes + measurable(piece.bytes, to));
      this.#limitCurrent();
    }
  }

  /** Nothing follows: the values at the top, as children of one frame. */
  finish(): { readonly top: Frame; readonly total: Extent } | { readonly failure: string } {
    this.#scanner.finish();
    this.#failure ??= this.#scanner.failure;
    const [top] = this.#stack;
    if (this.#failure !== null || top === undefined || this.#stack.length > 1)
      return { failure: this.#failure ?? 'the text ends too early' };
    this.#finishChild(top, this.#total);
    top.unusual = top.interest?.unusual(top.count) ?? [];
    return { top, total: this.#total };
  }

  #top(): OpenFrame {
    const top = this.#stack.at(-1);
    if (top === undefined) throw new RangeError('the outermost frame is always there');
    return top;
  }

  #open(
    isArray: boolean,
    depth: number,
    index: number,
    start: Extent,
    lead: HeldBytes,
    interesting: boolean,
  ): OpenFrame {
    return {
      isArray,
      depth,
      index,
      start,
      lead,
      count: 0,
      reserved: 0,
      head: [],
      tail: [],
      headBytes: 0,
      tailBytes: 0,
      unusual: [],
      interest: interesting ? new Interest(this.#cap(depth) * 2) : null,
      current: null,
    };
  }

  #cap(depth: number): number {
    return Math.max(LEAST_CAP_BYTES, this.#rawBytes >> Math.min(30, Math.floor(depth / HALVING_DEPTH)));
  }

  #child(at: number): void {
    const frame = this.#top();
    const start = this.#give(at);
    this.#finishChild(frame, start);
    frame.current = { index: frame.count, start, chunks: [], size: 0, long: null, closed: null };
  }

  /** The one value of a JSON text is over: white space behind it is nobody's. */
  #valueEnd(at: number): void {
    if (this.#many) return;
    this.#finishChild(this.#top(), this.#give(at));
  }

  #close(at: number): void {
    const frame = this.#top();
    const closeAt = this.#give(at);
    this.#finishChild(frame, closeAt);
    frame.unusual = frame.interest?.unusual(frame.count) ?? [];
    this.#stack.pop();
    const parent = this.#top();
    if (parent.current !== null) parent.current.closed = { open: frame, closeAt };
    this.#scanner.watch(parent.depth);
  }

  /** Hands the bytes up to a place to the child that is being read; returns the place, measured. */
  #give(to: number): Extent {
    const from = this.#given.bytes - this.#pieceStart.bytes;
    const end = to - this.#pieceStart.bytes;
    this.#given = sum(this.#given, measure(this.#piece, from, end));
    const { current } = this.#top();
    if (current !== null && end > from) {
      current.chunks.push(this.#piece.subarray(from, end));
      current.size += end - from;
    }
    return this.#given;
  }

  /** What has become too large to be kept whole becomes a frame, or is known by its ends. */
  #limitCurrent(): void {
    const { current } = this.#top();
    if (current === null || current.size <= this.#rawBytes) return;
    const open = current.closed === null && current.long === null;
    const isContainer = open && this.#scanner.depth > this.#top().depth;
    // A frame looks through all it is made of: of containers inside each other only so many become
    // one.
    if (isContainer && this.#stack.length < MOST_FRAMES) {
      this.#becomeFrame(current);
      return;
    }
    const opaque = current.closed !== null || (open && (isContainer || !this.#scanner.inScalar));
    this.#becomeLong(current, opaque);
  }

  #becomeLong(current: Current, opaque: boolean): void {
    const cap = this.#cap(this.#top().depth);
    const all = Buffer.concat(current.chunks);
    const prefix = current.long?.prefix ?? new HeldBytes(all.slice(0, cap), current.start);
    const suffix = all.slice(Math.max(0, all.length - cap));
    current.long = { prefix, suffix, opaque: current.long?.opaque === true || opaque };
    current.closed = null;
    current.chunks = [suffix];
    current.size = suffix.length;
  }

  /** Finds the children that went by while the container was still small. */
  #becomeFrame(current: Current): void {
    const parent = this.#top();
    const raw = new HeldBytes(Buffer.concat(current.chunks), current.start);
    const bracket = valueStart(raw, parent.isArray);
    const starts: number[] = [];
    const inner = new JsonScanner(
      { child: (at) => starts.push(bracket + at), close: () => {}, valueEnd: () => {} },
      false,
    );
    inner.watch(1);
    inner.push(raw.slice(bracket, raw.end));
    const [first = raw.end] = starts;
    const isArray = raw.at(bracket) === 0x5b;
    const lead = new HeldBytes(raw.slice(raw.start.bytes, first).slice(), raw.start);
    const frame = this.#open(isArray, parent.depth + 1, current.index, current.start, lead, isArray);
    starts.forEach((start, i) => {
      const end = starts[i + 1];
      const bytes = raw.slice(start, end ?? raw.end).slice();
      const from = raw.extentAt(start);
      if (end !== undefined) this.#add(frame, { kind: 'raw', index: i, source: new HeldBytes(bytes, from) });
      else
        frame.current = {
          index: i,
          start: from,
          chunks: [bytes],
          size: bytes.length,
          long: null,
          closed: null,
        };
    });
    current.chunks = [];
    current.size = 0;
    this.#stack.push(frame);
    this.#scanner.watch(frame.depth);
  }

  #finishChild(frame: OpenFrame, end: Extent): void {
    const { current } = frame;
    frame.current = null;
    if (current === null) return;
    const { index, start } = current;
    const bytes =
      current.chunks.length === 1 && current.chunks[0] !== undefined
        ? current.chunks[0]
        : Buffer.concat(current.chunks);
    if (current.closed !== null) {
      const { open, closeAt } = current.closed;
      this.#add(frame, {
        kind: 'frame',
        index,
        start,
        end,
        lead: open.lead,
        trail: new HeldBytes(bytes, closeAt),
        frame: open,
      });
    } else if (current.long !== null) {
      const suffix = bytes.subarray(Math.max(0, bytes.length - this.#cap(frame.depth)));
      const from = {
        bytes: end.bytes - suffix.length,
        chars: end.chars - measure(suffix).chars,
        breaks: end.breaks - measure(suffix).breaks,
      };
      this.#add(frame, {
        kind: 'long',
        opaque: current.long.opaque,
        index,
        start,
        end,
        prefix: current.long.prefix,
        suffix: new HeldBytes(suffix, from),
      });
    } else {
      this.#add(frame, { kind: 'raw', index, source: new HeldBytes(bytes, start) });
    }
  }

  #add(frame: OpenFrame, child: Child): void {
    frame.count++;
    if (!frame.isArray) frame.reserved = Math.max(frame.reserved, reservedNumber(openingOf(child)));
    if (child.kind === 'raw') frame.interest?.consider(child);
    const size = sizeOf(child);
    const cap = this.#cap(frame.depth);
    if (frame.headBytes + size <= cap || frame.head.length === 0) {
      frame.head.push(child);
      frame.headBytes += size;
      return;
    }
    frame.tail.push(child);
    frame.tailBytes += size;
    while (frame.tail.length > 1 && frame.tailBytes - sizeOf(frame.tail[0]) >= cap) {
      frame.tailBytes -= sizeOf(frame.tail.shift());
    }
  }
}

/** The last place up to `at` that is neither inside a character nor between CR and LF. */
function measurable(bytes: Uint8Array, at: number): number {
  const isSplit = bytes[at - 1] === 0x0d && bytes[at] === 0x0a;
  return isSplit ? at - 1 : characterStart(bytes, at);
}

function sizeOf(child: Child | undefined): number {
  if (child === undefined) return 0;
  if (child.kind === 'raw') return child.source.bytes.length;
  if (child.kind === 'long') return child.prefix.bytes.length + child.suffix.bytes.length;
  return child.lead.bytes.length + child.trail.bytes.length + child.frame.head.length * 64;
}

/** Where the value of a child begins: behind the key and its colon, in an object. */
function valueStart(raw: HeldBytes, inArray: boolean): number {
  let at = raw.start.bytes;
  if (inArray) return at;
  for (at++; raw.at(at) !== 0x22; at++) if (raw.at(at) === 0x5c) at++;
  for (at++; raw.at(at) !== 0x5b && raw.at(at) !== 0x7b && at < raw.end; ) at++;
  return at;
}

/** The first bytes of a child: its key, in an object. */
function openingOf(child: Child): Uint8Array {
  if (child.kind === 'raw') return child.source.bytes;
  return child.kind === 'long' ? child.prefix.bytes : child.lead.bytes;
}
