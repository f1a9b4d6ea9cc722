/**
 * A JSON value that has begun in the units of a part: followed to its end, wherever it is cut, and
 * remembered as `element` remembers a document, in bounded memory. What stands on its first and
 * last line beside it belongs to it, and so does the line above if that says what it is.
 */

import type { Frame } from '../../formats/json/keep/children.ts';
import type { ContainerNode, Entry, ValueEntry } from '../../formats/json/keep/nodes.ts';
import { JsonSketch } from '../../formats/json/keep/sketch.ts';
import { entriesOf } from '../../formats/json/keep/tree.ts';
import { JsonScanner } from '../../formats/json/scanner.ts';
import { type Extent, NOTHING, sum } from '../../model/extent.ts';
import { decode, measure } from '../../text/utf8.ts';
import { movedTo, type Unit } from './units.ts';

/** A JSON value in a part, with the units it lies in. */
export interface EmbeddedBlock {
  readonly firstIndex: number;
  readonly lastIndex: number;
  /** Where its first unit begins and its last one ends. */
  readonly start: Extent;
  readonly end: Extent;
  /** Whether its first unit begins a line. */
  readonly first: boolean;
  /**
   * What stands before and behind the value in these units. The line before it, which may say what
   * it is, is one of them.
   */
  readonly lead: Uint8Array;
  readonly trail: Uint8Array;
  /** Where the value begins and ends. */
  readonly from: Extent;
  readonly to: Extent;
  /** Parsed when it is first asked for. */
  readonly value: () => ContainerNode;
  /** The score of the line in it that speaks of failure most surely. */
  readonly strongest: number;
}

/** Whether a unit lies in a block. */
export function holds({ firstIndex, lastIndex }: EmbeddedBlock, index: number): boolean {
  return index >= firstIndex && index <= lastIndex;
}

/** A smaller value is as good as its lines. */
const LEAST_BYTES = 100;
/** So much at once is looked at by its grammar. */
const GIVEN_BYTES = 8_192;

/** How far a value was read in a unit, and where that ended. */
interface Read {
  readonly state: 'open' | 'failed' | 'over';
  readonly at: number;
}

/** Follows a value to its end, wherever it is cut. */
export class Follower {
  readonly #scanner: JsonScanner;
  #end = -1;

  constructor() {
    const valueEnd = (end: number) => {
      this.#end = end;
    };
    this.#scanner = new JsonScanner({ child: IGNORE, close: IGNORE, valueEnd }, false);
  }

  read({ bytes, to }: Unit, from: number): Read {
    const before = this.#scanner.position;
    this.#scanner.push(bytes.subarray(from, to));
    if (this.#end >= 0) return { state: 'over', at: from + this.#end - before };
    if (this.#scanner.failure === null) return { state: 'open', at: to };
    return { state: 'failed', at: from + this.#scanner.position - before };
  }
}

const IGNORE = () => {};

/** A value that has begun, and goes on behind its first unit. */
export class OpenBlock {
  readonly #first: Unit;
  readonly #before: Unit | null;
  readonly #leadBytes: number;
  readonly #follower: Follower;
  readonly #rawBytes: number;
  #sketch: JsonSketch | null = null;
  /** Read, and not yet given to the sketch. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** How much the sketch was given. */
  #given: Extent = NOTHING;
  #strongest: number;
  #last: Unit;
  #trail: Uint8Array = new Uint8Array(0);

  /** The value begins at `at` in the unit, and was followed to the unit's end. */
  constructor(
    unit: Unit,
    at: number,
    own: number,
    follower: Follower,
    before: Unit | null,
    rawBytes: number,
  ) {
    this.#first = unit;
    this.#last = unit;
    this.#before = before;
    this.#leadBytes = at - unit.from;
    this.#follower = follower;
    this.#rawBytes = rawBytes;
    this.#strongest = own;
    this.#hold(unit.bytes.subarray(at, unit.to));
  }

  read(unit: Unit, own: number): Read {
    const follows = unit.start.bytes === this.#last.end.bytes;
    if (!follows) return { state: 'failed', at: unit.from };
    const read = this.#follower.read(unit, unit.from);
    if (read.state === 'failed') return read;
    this.#last = unit;
    if (own > this.#strongest) this.#strongest = own;
    this.#hold(unit.bytes.subarray(unit.from, read.at));
    if (read.state === 'over') this.#trail = new Uint8Array(unit.bytes.subarray(read.at, unit.to));
    return read;
  }

  /** Null if the value is too small, cannot be shown in part, or is itself a part of something. */
  finish(): EmbeddedBlock | null {
    if (this.#given.bytes + this.#heldBytes < LEAST_BYTES) return null;
    this.#give();
    const ownLead = new Uint8Array(bytesOf(this.#first).subarray(0, this.#leadBytes));
    const finished = this.#sketch?.finish();
    if (finished === undefined || 'failure' in finished || isFragment(ownLead, this.#trail)) return null;
    const { top } = finished;
    if (top.head[0]?.kind === 'long') return null;
    const above = this.#above(ownLead);
    const first = above ?? this.#first;
    const from = sum(this.#first.start, measure(ownLead));
    return {
      firstIndex: first.index,
      lastIndex: this.#last.index,
      start: first.start,
      end: this.#last.end,
      first: first.first,
      lead: above === null ? ownLead : Buffer.concat([bytesOf(above), ownLead]),
      trail: this.#trail,
      from,
      to: sum(from, this.#given),
      value: parsedOnce(top),
      strongest: this.#strongest,
    };
  }

  /** The line before, if it says what the value is: nothing else does. */
  #above(lead: Uint8Array): Unit | null {
    const isNext = this.#before?.end.bytes === this.#first.start.bytes;
    if (this.#before === null || !isNext || !isBlank(lead)) return null;
    return SAYS_SOMETHING.test(decode(bytesOf(this.#before))) ? this.#before : null;
  }

  #hold(bytes: Uint8Array): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= GIVEN_BYTES) this.#give();
  }

  /**
   * Gives a copy of what was read to the sketch: what that remembers must not hold on to the pieces
   * it came in.
   */
  #give(): void {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    const { illFormed: _, ...extent } = measure(bytes);
    this.#sketch ??= new JsonSketch(this.#rawBytes, false);
    this.#sketch.push({ bytes, start: this.#given, extent });
    this.#given = sum(this.#given, extent);
  }
}

/** The one value of a document, which is a container: known as its bytes until it is asked for. */
function parsedOnce(top: Frame): () => ContainerNode {
  let value: ContainerNode | undefined;
  return () => {
    value ??= entriesOf(top).find(isContainerEntry)?.node;
    if (value === undefined) throw new RangeError('a block begins with a bracket');
    return value;
  };
}

function isContainerEntry(entry: Entry): entry is ValueEntry & { readonly node: ContainerNode } {
  return entry.kind === 'value' && (entry.node.kind === 'array' || entry.node.kind === 'object');
}

/** Words, and not the end of something else. */
const SAYS_SOMETHING = /\p{L}(?:.*[^\s{[,])?\s*$/u;

/** Behind a key, or before a comma: a piece of a larger value that is not valid as a whole. */
function isFragment(lead: Uint8Array, trail: Uint8Array): boolean {
  return /"\s*:\s*$/.test(decode(lead)) || /^\s*,/.test(decode(trail));
}

function bytesOf({ bytes, from, to }: Unit): Uint8Array {
  return bytes.subarray(from, to);
}

/** A unit that does not hold on to the piece it came in. */
export function copyOf(unit: Unit): Unit {
  const bytes = Buffer.allocUnsafe(unit.to - unit.from);
  unit.bytes.copy(bytes, 0, unit.from, unit.to);
  return movedTo(unit, bytes, 0, bytes.length);
}

export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte <= 0x20);
}
