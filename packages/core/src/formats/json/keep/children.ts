/**
 * What is remembered of a container's children: whole, by their ends, or as a frame of their own.
 */
import type { Extent } from '../../../model/extent.ts';
import type { HeldBytes } from '../../../text/held-bytes.ts';

/** A child that is kept whole. */
export interface RawChild {
  readonly kind: 'raw';
  readonly index: number;
  readonly source: HeldBytes;
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
