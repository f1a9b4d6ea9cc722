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
import { joined } from '../../../text/kept-bytes.ts';
import { characterStart, measure } from '../../../text/utf8.ts';
import { JsonScanner } from '../scanner.ts';
import { type Child, type Frame, RawChild } from './children.ts';
import { Interest } from './interest.ts';
import { reservedNumber } from './reserved.ts';

/** Frames deeper than this share one small allowance: memory must not grow with depth. */
const HALVING_DEPTH = 4;
const LEAST_CAP_BYTES = 64;
/** So much is read before it is looked whether what is held became too large. */
const SLICE_BYTES = 8_192;
/** Containers inside each other, each too large to be kept whole, that are looked into. */
const MOST_FRAMES = 16;
const MOST_DROPPED = 128;

interface OpenFrame extends Frame {
  headBytes: number;
  tailBytes: number;
  /** How many at the beginning of the tail are dropped: they are taken out many at once. */
  tailFrom: number;
  readonly interest: Interest<RawChild> | null;
  /** What the parent needs to describe it. */
  readonly index: number;
  readonly start: Extent;
  readonly lead: HeldBytes;
  current: Current | null;
}

/** The child that is being read. */
interface Current {
  readonly index: number;
  /** Where it begins, in bytes; measured once it goes on behind the piece that it began in. */
  readonly from: number;
  start: Extent | null;
  /** What of it lies in earlier pieces, and its size. */
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
  #piece = new HeldBytes(new Uint8Array(0), NOTHING);
  /** Up to where bytes were handed out, or passed over. */
  #given = 0;
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
    this.#piece = new HeldBytes(piece.bytes, piece.start, piece.extent);
    this.#given = piece.start.bytes;
    this.#total = sum(piece.start, piece.extent);
    for (let from = 0; from < piece.bytes.length && this.#failure === null; from += SLICE_BYTES) {
      const to = Math.min(piece.bytes.length, from + SLICE_BYTES);
      this.#scanner.push(piece.bytes.subarray(from, to));
      this.#failure = this.#scanner.failure;
      if (this.#failure !== null) return;
      this.#limitCurrent(piece.start.bytes + measurable(piece.bytes, to));
    }
    this.#give(this.#total.bytes);
  }

  /** Nothing follows: the values at the top, as children of one frame. */
  finish(): { readonly top: Frame; readonly total: Extent } | { readonly failure: string } {
    this.#scanner.finish();
    this.#failure ??= this.#scanner.failure;
    const [top] = this.#stack;
    if (this.#failure !== null || top === undefined || this.#stack.length > 1)
      return { failure: this.#failure ?? 'the text ends too early' };
    this.#finishChild(top, this.#total.bytes);
    dropTail(top);
    top.unusual = top.interest?.unusual(top.count, indexOf) ?? [];
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
      tailFrom: 0,
      unusual: [],
      interest: interesting ? new Interest() : null,
      current: null,
    };
  }

  #cap(depth: number): number {
    return Math.max(LEAST_CAP_BYTES, this.#rawBytes >> Math.min(30, Math.floor(depth / HALVING_DEPTH)));
  }

  #child(at: number): void {
    const frame = this.#top();
    this.#finishChild(frame, at);
    frame.current = {
      index: frame.count,
      from: at,
      start: null,
      chunks: NO_CHUNKS,
      size: 0,
      long: null,
      closed: null,
    };
    this.#given = at;
  }

  /** The one value of a JSON text is over: white space behind it is nobody's. */
  #valueEnd(at: number): void {
    if (!this.#many) this.#finishChild(this.#top(), at);
  }

  #close(at: number): void {
    const frame = this.#top();
    this.#finishChild(frame, at);
    dropTail(frame);
    frame.unusual = frame.interest?.unusual(frame.count, indexOf) ?? [];
    this.#stack.pop();
    const parent = this.#top();
    if (parent.current !== null) parent.current.closed = { open: frame, closeAt: this.#extentAt(at) };
    this.#given = at;
    this.#scanner.watch(parent.depth);
  }

  /** Hands the bytes up to a place to the child that is being read. */
  #give(to: number): void {
    const { current } = this.#top();
    if (current !== null && to > this.#given) {
      current.start ??= this.#extentAt(current.from);
      current.chunks = [...current.chunks, this.#piece.slice(this.#given, to)];
      current.size += to - this.#given;
    }
    this.#given = to;
  }

  #extentAt(at: number): Extent {
    return at === this.#total.bytes ? this.#total : this.#piece.extentAt(at);
  }

  /** What has become too large to be kept whole becomes a frame, or is known by its ends. */
  #limitCurrent(to: number): void {
    const { current } = this.#top();
    if (current === null || current.size + to - this.#given <= this.#rawBytes) return;
    this.#give(to);
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
    const start = current.start ?? NOTHING;
    const prefix = current.long?.prefix ?? new HeldBytes(all.slice(0, cap), start);
    const suffix = all.slice(Math.max(0, all.length - cap));
    current.long = { prefix, suffix, opaque: current.long?.opaque === true || opaque };
    current.closed = null;
    current.chunks = [suffix];
    current.size = suffix.length;
  }

  /** Finds the children that went by while the container was still small. */
  #becomeFrame(current: Current): void {
    const parent = this.#top();
    const start = current.start ?? NOTHING;
    const raw = new HeldBytes(Buffer.concat(current.chunks), start);
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
    const frame = this.#open(isArray, parent.depth + 1, current.index, start, lead, isArray);
    starts.forEach((from, index) => {
      const end = starts[index + 1] ?? raw.end;
      const own = new HeldBytes(raw.slice(from, end).slice(), raw.extentAt(from));
      if (index + 1 < starts.length) this.#add(frame, new RawChild(index, own, from, end));
      else {
        const chunks = [own.bytes];
        frame.current = { index, from, start: own.start, chunks, size: end - from, long: null, closed: null };
      }
    });
    current.chunks = NO_CHUNKS;
    current.size = 0;
    this.#stack.push(frame);
    this.#scanner.watch(frame.depth);
  }

  /** `to`: where it ends, in bytes. */
  #finishChild(frame: OpenFrame, to: number): void {
    const { current } = frame;
    frame.current = null;
    if (current === null) return;
    const { index, from } = current;
    if (current.start === null) {
      // Most children lie in one piece.
      this.#add(frame, new RawChild(index, this.#piece, from, to));
      return;
    }
    const { start } = current;
    const rest = this.#piece.slice(Math.min(this.#given, to), to);
    const bytes = joined(rest.length === 0 ? current.chunks : [...current.chunks, rest]);
    if (current.closed === null && current.long === null) {
      this.#add(frame, new RawChild(index, new HeldBytes(bytes, start), from, to));
      return;
    }
    const end = this.#extentAt(to);
    if (current.closed !== null) {
      const { open, closeAt } = current.closed;
      const trail = new HeldBytes(bytes, closeAt);
      this.#add(frame, { kind: 'frame', index, start, end, lead: open.lead, trail, frame: open });
    } else if (current.long !== null) {
      const { opaque, prefix } = current.long;
      const suffix = endOf(bytes, this.#cap(frame.depth), end);
      this.#add(frame, { kind: 'long', opaque, index, start, end, prefix, suffix });
    }
  }

  #add(frame: OpenFrame, child: Child): void {
    frame.count++;
    if (!frame.isArray) frame.reserved = Math.max(frame.reserved, reservedNumber(openingOf(child)));
    const cap = this.#cap(frame.depth);
    const size = sizeOf(child);
    // Longer ones are not remembered.
    if (child.kind === 'raw' && frame.interest !== null && size <= cap * 2) child.tell(frame.interest);
    if (frame.headBytes + size <= cap || frame.head.length === 0) {
      frame.head.push(child);
      frame.headBytes += size;
      return;
    }
    frame.tail.push(child);
    frame.tailBytes += size;
    for (let left = frame.tail.length - frame.tailFrom; left > 1; left--) {
      const oldest = sizeOf(frame.tail[frame.tailFrom]);
      if (frame.tailBytes - oldest < cap) break;
      frame.tailBytes -= oldest;
      frame.tailFrom++;
    }
    if (frame.tailFrom >= MOST_DROPPED) dropTail(frame);
  }
}

function dropTail(frame: OpenFrame): void {
  frame.tail.splice(0, frame.tailFrom);
  frame.tailFrom = 0;
}

const NO_CHUNKS: Uint8Array[] = [];

function indexOf(child: Child): number {
  return child.index;
}

/** The last bytes of a child that ends there. */
function endOf(bytes: Uint8Array, most: number, end: Extent): HeldBytes {
  const suffix = bytes.subarray(Math.max(0, bytes.length - most));
  const { chars, breaks } = measure(suffix);
  return new HeldBytes(suffix, {
    bytes: end.bytes - suffix.length,
    chars: end.chars - chars,
    breaks: end.breaks - breaks,
  });
}

/** The last place up to `at` that is neither inside a character nor between CR and LF. */
function measurable(bytes: Uint8Array, at: number): number {
  const isSplit = bytes[at - 1] === 0x0d && bytes[at] === 0x0a;
  return isSplit ? at - 1 : characterStart(bytes, at);
}

function sizeOf(child: Child | undefined): number {
  if (child === undefined) return 0;
  if (child.kind === 'raw') return child.size;
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
  if (child.kind === 'raw') return child.opening;
  return child.kind === 'long' ? child.prefix.bytes : child.lead.bytes;
}
