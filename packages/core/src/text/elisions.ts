/**
 * Where formatting was left out of a text: the way from a place in the cleaned text back to the
 * stored one. Entries are in order; each says where in the cleaned text it lies and how much is
 * missing there. They are packed (three bytes for a colour code), and packed ones are compressed by
 * the block. The map takes no more than `MOST_BYTES`; once it is full, nothing more may be left
 * out. Units: see `Extent`.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Extent, NOTHING, sum } from '../model/extent.ts';

/** What is missing, and the place in the cleaned text that it stood before. */
export interface Elision {
  readonly at: Extent;
  readonly missing: Extent;
}

const MOST_BYTES = 8 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;
/** Bytes that an entry takes at the most. */
const ENTRY_BYTES = 64;

/** Entries up to the next block. `before`: the last place and what was missing before it. */
interface Block {
  readonly before: Elision;
  readonly packed: Uint8Array;
  readonly compressed: boolean;
}

export class Elisions {
  readonly #mostBytes: number;
  readonly #blocks: Block[] = [];
  #open = new Uint8Array(0);
  #used = 0;
  #bytes = 0;
  /** The last entry, and all that is missing with it. */
  #last: Elision = { at: NOTHING, missing: NOTHING };
  #openBefore: Elision = this.#last;
  #read: { readonly block: number; readonly entries: readonly Elision[] } | undefined;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  get isFull(): boolean {
    return this.#bytes + this.#used > this.#mostBytes;
  }

  get isEmpty(): boolean {
    return this.#last.missing.bytes === 0;
  }

  /** All that is missing. */
  get total(): Extent {
    return this.#last.missing;
  }

  /** Adds the next entry: `at` in the cleaned text, behind the ones before. */
  add({ at, missing }: Elision): void {
    if (this.#used + ENTRY_BYTES > this.#open.length) this.#makeRoom();
    const last = this.#last;
    this.#varint(at.bytes - last.at.bytes);
    this.#varint(missing.bytes);
    this.#varint(at.chars - last.at.chars);
    this.#varint(missing.chars);
    this.#varint(at.breaks - last.at.breaks);
    this.#varint(missing.breaks);
    this.#last = { at, missing: sum(last.missing, missing) };
    this.#read = undefined;
  }

  /**
   * What is missing before a place of the cleaned text; what is missing right at the place does not
   * count.
   */
  before(offset: number, unit: keyof Extent = 'bytes'): Extent {
    const { entries, before } = this.#blockWith(offset, unit);
    const index = firstFrom(entries, offset, unit);
    return index === 0 ? before.missing : (entries[index - 1] as Elision).missing;
  }

  /** The entries from one place up to another, each with what is missing there. */
  *within(from: number, to: number): Generator<Elision> {
    if (this.isEmpty) return;
    for (let block = this.#indexOf(from, 'bytes'); block <= this.#blocks.length; block++) {
      const { entries, before } = this.#entries(block);
      for (let i = firstFrom(entries, from, 'bytes'); i < entries.length; i++) {
        const { at, missing } = entries[i] as Elision;
        if (at.bytes >= to) return;
        yield { at, missing: minus(missing, (entries[i - 1] ?? before).missing) };
      }
    }
  }

  #makeRoom(): void {
    if (this.#used + ENTRY_BYTES > BLOCK_BYTES) this.#closeBlock();
    const larger = new Uint8Array(Math.min(BLOCK_BYTES, Math.max(1_024, this.#open.length * 4)));
    if (larger.length <= this.#open.length) return;
    larger.set(this.#open.subarray(0, this.#used));
    this.#open = larger;
  }

  #closeBlock(): void {
    const packed = deflateRawSync(this.#open.subarray(0, this.#used), { level: 1 });
    this.#blocks.push({ before: this.#openBefore, packed, compressed: true });
    this.#bytes += packed.length;
    this.#openBefore = this.#last;
    this.#used = 0;
  }

  #varint(number: number): void {
    let rest = number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#open[this.#used++] = (rest % 128) | 0x80;
    this.#open[this.#used++] = rest;
  }

  #blockWith(offset: number, unit: keyof Extent) {
    return this.#entries(this.#indexOf(offset, unit));
  }

  /** The last block whose entries may begin before a place. */
  #indexOf(offset: number, unit: keyof Extent): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const before = middle < this.#blocks.length ? (this.#blocks[middle] as Block).before : this.#openBefore;
      if (before.at[unit] < offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The entries of a block, each with all that is missing up to and with it. */
  #entries(index: number): { readonly before: Elision; readonly entries: readonly Elision[] } {
    const block = this.#blocks[index] ?? {
      before: this.#openBefore,
      packed: this.#open.subarray(0, this.#used),
      compressed: false,
    };
    if (this.#read?.block !== index) {
      const packed = block.compressed ? inflateRawSync(block.packed) : block.packed;
      this.#read = { block: index, entries: unpacked(packed, block.before) };
    }
    return { before: block.before, entries: this.#read.entries };
  }
}

/** The first of some entries that lies at a place or behind it. */
function firstFrom(entries: readonly Elision[], offset: number, unit: keyof Extent): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Elision).at[unit] < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function unpacked(packed: Uint8Array, before: Elision): Elision[] {
  const entries: Elision[] = [];
  const numbers: Numbers = [0, 0, 0, 0, 0, 0];
  let { at, missing } = before;
  for (let offset = 0; offset < packed.length; ) {
    for (let i = 0; i < numbers.length; i++) {
      let byte = packed[offset++] ?? 0;
      let number = byte & 0x7f;
      for (let scale = 128; byte >= 0x80; scale *= 128) {
        byte = packed[offset++] ?? 0;
        number += (byte & 0x7f) * scale;
      }
      numbers[i] = number;
    }
    const [bytes, goneBytes, chars, goneChars, breaks, goneBreaks] = numbers;
    at = { bytes: at.bytes + bytes, chars: at.chars + chars, breaks: at.breaks + breaks };
    missing = {
      bytes: missing.bytes + goneBytes,
      chars: missing.chars + goneChars,
      breaks: missing.breaks + goneBreaks,
    };
    entries.push({ at, missing });
  }
  return entries;
}

/** Of an entry, in the order in which they are packed. */
type Numbers = [number, number, number, number, number, number];

function minus(a: Extent, b: Extent): Extent {
  return { bytes: a.bytes - b.bytes, chars: a.chars - b.chars, breaks: a.breaks - b.breaks };
}
