/**
 * What is remembered of a container's children: whole, by their ends, or as a frame of their own.
 */
import type { Extent } from '../../../model/extent.ts';
import type { HeldBytes } from '../../../text/held-bytes.ts';
import type { Interest } from './interest.ts';

/** More than any key that means something to us has. */
const OPENING_BYTES = 64;

/**
 * A child that is kept whole: a range of bytes that are held. Most children are only passed by, so
 * that nothing is made of one before somebody asks.
 */
export class RawChild {
  readonly kind = 'raw';
  readonly index: number;
  readonly #held: HeldBytes;
  readonly #from: number;
  readonly #to: number;
  #source: HeldBytes | undefined;

  constructor(index: number, held: HeldBytes, from: number, to: number) {
    this.index = index;
    this.#held = held;
    this.#from = from;
    this.#to = to;
  }

  get size(): number {
    return this.#to - this.#from;
  }

  /** Shows its bytes to whoever compares it with others. */
  tell(interest: Interest<RawChild>): void {
    const base = this.#held.start.bytes;
    interest.consider(this, this.#held.bytes, this.#from - base, this.#to - base);
  }

  /** Its first bytes: its key, in an object. */
  get opening(): Uint8Array {
    return this.#held.slice(this.#from, Math.min(this.#to, this.#from + OPENING_BYTES));
  }

  get source(): HeldBytes {
    const held = this.#held;
    const isAll = held.start.bytes === this.#from && held.end === this.#to;
    this.#source ??= isAll ? held : held.part(this.#from, this.#to);
    return this.#source;
  }

  get start(): Extent {
    return this.source.start;
  }

  get end(): Extent {
    return this.source.extentAt(this.#to);
  }
}

/** A string or number too long to be kept: its beginning and its end. */
interface LongChild {
  readonly kind: 'long';
  /** It cannot be shown at all: a flood of white space lies in it. */
  readonly opaque: boolean;
  readonly index: number;
  readonly start: Extent;
  readonly end: Extent;
  readonly prefix: HeldBytes;
  readonly suffix: HeldBytes;
}

/** A large container. */
interface FrameChild {
  readonly kind: 'frame';
  readonly index: number;
  readonly start: Extent;
  readonly end: Extent;
  /** From the child's beginning to its first child: key, bracket, white space. */
  readonly lead: HeldBytes;
  /** The closing bracket, comma and white space. */
  readonly trail: HeldBytes;
  readonly frame: Frame;
}

export type Child = RawChild | LongChild | FrameChild;

export interface Frame {
  readonly isArray: boolean;
  readonly depth: number;
  count: number;
  /** The highest number of our reserved key among all its keys. */
  reserved: number;
  readonly head: Child[];
  readonly tail: Child[];
  /** Children in between that differ from the rest, the most unusual first. */
  unusual: readonly Child[];
}
