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
  #read: { readonly block: number; readonly entries: Entries } | undefined;
  /** The numbers of the block that was read last: used again for the next one. */
  #numbers = new Float64Array(0);

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
    const { entries, before } = this.#entries(this.#indexOf(offset, unit));
    const index = entries.firstFrom(offset, unit);
    return index === 0 ? before.missing : entries.missing(index - 1);
  }

  /** The entries from one place up to another, each with what is missing there. */
  *within(from: number, to: number): Generator<Elision> {
    if (this.isEmpty) return;
    for (let block = this.#indexOf(from, 'bytes'); block <= this.#blocks.length; block++) {
      let { entries, before } = this.#entries(block);
      for (let i = entries.firstFrom(from, 'bytes'); i < entries.length; i++) {
        // Whoever is given an entry may have asked about another block.
        ({ entries, before } = this.#entries(block));
        const at = entries.at(i);
        if (at.bytes >= to) return;
        const missingBefore = i === 0 ? before.missing : entries.missing(i - 1);
        yield { at, missing: minus(entries.missing(i), missingBefore) };
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
  #entries(index: number): { readonly before: Elision; readonly entries: Entries } {
    const block = this.#blocks[index] ?? {
      before: this.#openBefore,
      packed: this.#open.subarray(0, this.#used),
      compressed: false,
    };
    if (this.#read?.block !== index) {
      const packed = block.compressed ? inflateRawSync(block.packed) : block.packed;
      // A number takes a byte at the least.
      if (this.#numbers.length < packed.length) this.#numbers = new Float64Array(packed.length);
      this.#read = { block: index, entries: new Entries(packed, block.before, this.#numbers) };
    }
    return { before: block.before, entries: this.#read.entries };
  }
}

/** Where the numbers of an entry stand, in the order in which they are packed. */
const COLUMNS = 6;
const AT = { bytes: 0, chars: 2, breaks: 4 } as const;

/**
 * The entries of a block in columns: there may be very many, and few are looked at. They stand until
 * another block is read.
 */
class Entries {
  readonly length: number;
  /** Of each entry, the place and all that is missing up to and with it. */
  readonly #numbers: Float64Array;

  constructor(packed: Uint8Array, { at, missing }: Elision, numbers: Float64Array) {
    const sums = [at.bytes, missing.bytes, at.chars, missing.chars, at.breaks, missing.breaks];
    let count = 0;
    for (let offset = 0; offset < packed.length; count++) {
      let byte = packed[offset++] as number;
      let number = byte & 0x7f;
      for (let scale = 128; byte >= 0x80; scale *= 128) {
        byte = packed[offset++] as number;
        number += (byte & 0x7f) * scale;
      }
      const column = count % COLUMNS;
      numbers[count] = sums[column] = (sums[column] as number) + number;
    }
    this.#numbers = numbers;
    this.length = count / COLUMNS;
  }

  at(index: number): Extent {
    return this.#extent(index * COLUMNS);
  }

  missing(index: number): Extent {
    return this.#extent(index * COLUMNS + 1);
  }

  /** The first that lies at a place or behind it. */
  firstFrom(offset: number, unit: keyof Extent): number {
    const column = AT[unit];
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#numbers[middle * COLUMNS + column] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #extent(from: number): Extent {
    const numbers = this.#numbers;
    return {
      bytes: asInteger(numbers[from] as number),
      chars: asInteger(numbers[from + 2] as number),
      breaks: asInteger(numbers[from + 4] as number),
    };
  }
}

/**
 * A number of a column as an integer: one extent that holds a double makes every later extent of
 * the process hold doubles, which takes more memory and time.
 */
function asInteger(number: number): number {
  return number < 0x7fff_ffff ? number | 0 : number;
}

function minus(a: Extent, b: Extent): Extent {
  return { bytes: a.bytes - b.bytes, chars: a.chars - b.chars, breaks: a.breaks - b.breaks };
}
