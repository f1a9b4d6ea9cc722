/**
 * Finds JSON that stands in the middle of a log: printed over several lines, or in a line too long
 * to be one unit; also behind words on its first line. Each block is checked to its end and
 * remembered as `element` remembers a document, in bounded memory; a few blocks are kept, those
 * that speak of failure and large ones first. What turns out not to be JSON is text as before. Any
 * chunking of the part gives the same blocks.
 */
import { type EmbeddedBlock, Follower, OpenBlock } from './open-block.ts';
import type { Unit } from './units.ts';

const MOST_BLOCKS = 4;
/** Bytes kept unparsed of one block, for each char that may be shown. */
const RAW_FACTOR = 4;
const LEAST_RAW_BYTES = 16_384;
/** What doubling its size adds to the rank of a block, in the measure of scores. */
const PER_DOUBLING = 0.25;

export class EmbeddedJson {
  readonly #rawBytes: number;
  #open: OpenBlock | null = null;
  #awaited: Awaited | null = null;
  /** The line before, where it is not remarkable by itself. */
  #before: Unit | null = null;
  #blocks: EmbeddedBlock[] = [];

  constructor(budget: number) {
    this.#rawBytes = Math.max(LEAST_RAW_BYTES, budget * RAW_FACTOR);
  }

  /** Takes the next unit. `own`: its score. */
  add(unit: Unit, own: number): void {
    if (this.#awaited !== null) this.#decide(this.#awaited, unit);
    const isUsed = this.#open !== null;
    const from = this.#open === null ? unit.from : this.#continue(this.#open, unit, own);
    if (from < unit.to && this.#open === null) this.#search(unit, from, own);
    this.#before = own === 0 && !isUsed ? unit : null;
  }

  /** The blocks that are worth showing, in order. */
  get blocks(): readonly EmbeddedBlock[] {
    return this.#blocks.toSorted((a, b) => a.firstIndex - b.firstIndex);
  }

  /**
   * Reads on; tells from where on the unit is to be searched again, if the block came to nothing.
   */
  #continue(open: OpenBlock, unit: Unit, own: number): number {
    const read = open.read(unit, own);
    if (read.state === 'open') return unit.to;
    this.#open = null;
    if (read.state === 'failed') return read.at;
    this.#keep(open.finish());
    // Its last unit is shown with it.
    return unit.to;
  }

  #search(unit: Unit, from: number, own: number): void {
    if (!mayGoOn(unit)) return;
    for (let at = from; at < unit.to; at++) {
      const opening = openingAt(unit, at);
      if (opening === 'none') continue;
      if (opening === 'last') {
        this.#awaited = { unit, at, own, before: this.#before };
        return;
      }
      const follower = new Follower();
      const read = follower.read(unit, at);
      if (read.state === 'open') {
        this.#open = new OpenBlock(unit, at, own, follower, this.#before, this.#rawBytes);
        return;
      }
      at = Math.max(at, read.at - 1);
    }
  }

  /** Whether a bracket at the end of a line opens a value shows in what follows it. */
  #decide({ unit, at, own, before }: Awaited, next: Unit): void {
    this.#awaited = null;
    let first = next.from;
    while (first < next.to && isSpace(next.bytes[first])) first++;
    if (first === next.to || !mayFollow(unit.bytes[at], next.bytes[first])) return;
    const follower = new Follower();
    if (follower.read(unit, at).state === 'open')
      this.#open = new OpenBlock(unit, at, own, follower, before, this.#rawBytes);
  }

  #keep(block: EmbeddedBlock | null): void {
    if (block === null) return;
    this.#blocks.push(block);
    if (this.#blocks.length <= MOST_BLOCKS) return;
    const least = this.#blocks.reduce((a, b) => (rankOf(b) <= rankOf(a) ? b : a));
    this.#blocks = this.#blocks.filter((each) => each !== least);
  }
}

/** A bracket at the end of a line. */
interface Awaited {
  readonly unit: Unit;
  readonly at: number;
  readonly own: number;
  readonly before: Unit | null;
}

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;

/**
 * Whether a value that begins in this unit may go on in the next: a line that is over goes on
 * behind a bracket or a comma only.
 */
function mayGoOn({ bytes, from, to }: Unit): boolean {
  const last = bytes[to - 1];
  if (last !== LF && last !== CR) return true;
  let at = to - 1;
  while (at >= from && isSpace(bytes[at])) at--;
  const byte = bytes[at];
  return byte === 0x7b || byte === 0x5b || byte === 0x2c;
}

/**
 * Whether a bracket stands here that JSON may begin with: what follows it does not speak against
 * it, or nothing follows it in the unit.
 */
function openingAt({ bytes, to }: Unit, at: number): 'none' | 'followed' | 'last' {
  const byte = bytes[at];
  if (byte !== 0x7b && byte !== 0x5b) return 'none';
  let next = at + 1;
  while (next < to && isSpace(bytes[next])) next++;
  if (next >= to) return 'last';
  return mayFollow(byte, bytes[next]) ? 'followed' : 'none';
}

function mayFollow(bracket: number | undefined, byte: number | undefined): boolean {
  return bracket === 0x7b ? byte === 0x22 : BEGINS_ITEM.has(byte ?? 0);
}

/** Brackets, quotes, digits, a minus sign; not words, which follow a bracket in many logs. */
const BEGINS_ITEM: ReadonlySet<number> = new Set(Buffer.from('{["-0123456789'));

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}

function rankOf({ strongest, from, to }: EmbeddedBlock): number {
  return strongest + PER_DOUBLING * Math.log2(to.bytes - from.bytes);
}
