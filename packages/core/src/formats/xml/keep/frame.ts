/**
 * What is remembered of a large element: of its children the first, the last and the unusual; the
 * rest is counted. A frame can be made lighter at any time, down to a few children, so that many
 * large siblings cost no more than one.
 *
 * A child's span runs from its beginning to the beginning of the next: white space between tags
 * belongs to the child before it.
 */
import type { Extent } from '../../../model/extent.ts';
import { HeldBytes } from '../../../text/held-bytes.ts';
import { measure } from '../../../text/utf8.ts';
import type { LeafKind } from './nesting.ts';

/** White space between tags. Of a very long one only the extent is known. */
export interface Blank {
  readonly start: Extent;
  readonly end: Extent;
  source: HeldBytes | null;
}

interface Placed {
  readonly index: number;
  /** How many elements are before it. */
  readonly elements: number;
  readonly start: Extent;
  readonly end: Extent;
  after: Blank | null;
}

/** A child that is kept whole. */
export interface RawChild extends Placed {
  readonly kind: 'raw';
  readonly is: 'element' | LeafKind;
  source: HeldBytes;
}

/** A text or the like that is too long to be kept: its beginning and its end. */
interface LongChild extends Placed {
  readonly kind: 'long';
  readonly is: LeafKind;
  prefix: HeldBytes;
  suffix: HeldBytes;
}

/** A large element. */
interface FrameChild extends Placed {
  readonly kind: 'frame';
  readonly frame: Frame;
}

/** A large element nested too deep to be shown. */
interface HiddenChild extends Placed {
  readonly kind: 'hidden';
}

export type Child = RawChild | LongChild | FrameChild | HiddenChild;

export interface Frame {
  readonly name: number;
  /** The start tag, or the beginning of a very long one. */
  readonly lead: HeldBytes;
  readonly leadEnd: Extent;
  leadSlashed: boolean;
  leadBlank: Blank | null;
  count: number;
  elements: number;
  head: Child[];
  tail: Child[];
  /** Children that differ from the rest, the most unusual first. */
  unusual: Child[];
  close: Extent;
  /** The end tag; empty if there is none. */
  trail: HeldBytes;
}

/** What remembering a child costs beside its bytes. */
const CHILD_WEIGHT = 16;
/** No lighter: below it nothing is left that is worth showing. */
const LEAST_WEIGHT = 2_048;

export function isElement(child: Child): boolean {
  return child.kind === 'raw' ? child.is === 'element' : child.kind !== 'long';
}

export function weightOf(child: Child): number {
  switch (child.kind) {
    case 'raw':
      return CHILD_WEIGHT + child.source.bytes.length;
    case 'long':
      return CHILD_WEIGHT + child.prefix.bytes.length + child.suffix.bytes.length;
    case 'frame':
      return (
        CHILD_WEIGHT +
        child.frame.lead.bytes.length +
        child.frame.trail.bytes.length +
        weightOfAll(all(child.frame))
      );
    default:
      return CHILD_WEIGHT;
  }
}

function weightOfAll(children: readonly Child[]): number {
  return children.reduce((sum, child) => sum + weightOf(child), 0);
}

/** Every child that is remembered, once, in order. */
export function all({ head, unusual, tail }: Frame): readonly Child[] {
  if (unusual.length === 0) return tail.length === 0 ? head : [...head, ...tail];
  const kept = new Map<number, Child>();
  for (const child of [...head, ...unusual, ...tail]) kept.set(child.index, child);
  return [...kept.values()].sort((a, b) => a.index - b.index);
}

/**
 * Makes the heaviest ones lighter until all together weigh at most so much; false if that cannot
 * be.
 */
export function squeeze(children: readonly Child[], most: number): boolean {
  const weights = children.map(weightOf);
  let total = weights.reduce((sum, weight) => sum + weight, 0);
  while (total > most) {
    let heaviest = -1;
    for (let at = 0; at < children.length; at++) {
      const kind = children[at]?.kind;
      const thinnable = (kind === 'frame' || kind === 'long') && (weights[at] ?? 0) > LEAST_WEIGHT;
      if (thinnable && (weights[at] ?? 0) > (weights[heaviest] ?? 0)) heaviest = at;
    }
    const child = children[heaviest];
    const before = weights[heaviest] ?? 0;
    if (child === undefined) return false;
    thin(child, Math.max(LEAST_WEIGHT / 2, before >> 1));
    // What cannot be made lighter is left alone from here on.
    const after = weightOf(child);
    weights[heaviest] = after < before * 0.9 ? after : LEAST_WEIGHT;
    total -= before - after;
  }
  return true;
}

/** Lets go of the middle of what a child remembers. */
export function thin(child: Child, most: number): void {
  if (child.kind === 'long') {
    const { prefix, suffix } = child;
    child.prefix = new HeldBytes(prefix.bytes.slice(0, Math.ceil(most * 0.7)), prefix.start);
    child.suffix = endOf(suffix.bytes, Math.ceil(most * 0.3), child.end);
  } else if (child.kind === 'frame') {
    thinFrame(child.frame, most);
  }
}

function thinFrame(frame: Frame, most: number): void {
  const children = all(frame);
  const head = taken(children, most * 0.4);
  const tail = taken(children.slice(head.length).reverse(), most * 0.35).reverse();
  frame.unusual = taken(frame.unusual, most * 0.25);
  frame.head = head;
  frame.tail = tail;
}

/** The first ones, up to a weight; the very first in any case, made lighter if it must be. */
function taken(children: readonly Child[], most: number): Child[] {
  let weight = 0;
  const kept: Child[] = [];
  for (const child of children) {
    if (kept.length === 0) thin(child, most);
    weight += weightOf(child);
    if (weight > most && kept.length > 0) break;
    kept.push(child);
  }
  return kept;
}

/** The last bytes of a range, from a character on. */
export function endOf(bytes: Uint8Array, most: number, end: Extent): HeldBytes {
  let at = Math.max(0, bytes.length - most);
  const latest = at + 3;
  while (at > 0 && at < bytes.length && at < latest && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  if (at > 0 && bytes[at] === 0x0a) at++;
  const kept = bytes.slice(at);
  const { chars, breaks } = measure(kept);
  return new HeldBytes(kept, {
    bytes: end.bytes - kept.length,
    chars: end.chars - chars,
    breaks: end.breaks - breaks,
  });
}

/** Copies what a child remembers, so that the pieces it came in can be let go. */
export function detach(child: Child): void {
  if (child.after !== null) detachBlank(child.after);
  if (child.kind === 'raw') child.source = copied(child.source);
  else if (child.kind === 'frame') {
    if (child.frame.leadBlank !== null) detachBlank(child.frame.leadBlank);
    for (const inner of all(child.frame)) detach(inner);
  }
}

function detachBlank(blank: Blank): void {
  if (blank.source !== null) blank.source = copied(blank.source);
}

function copied(source: HeldBytes): HeldBytes {
  const { bytes, start } = source;
  return bytes.buffer.byteLength === bytes.length ? source : new HeldBytes(bytes.slice(), start);
}
