/**
 * The order in which the bytes of several streams arrived, as a part of its own: a list of runs
 * `(part, bytes)`, both as LEB128 varints. Consecutive bytes of one part are one run, so the order
 * of a quiet stderr costs next to nothing.
 */
import { byte } from './utf8.ts';

export interface Arrival {
  readonly part: number;
  readonly bytes: number;
}

export class ArrivalEncoder {
  #part = -1;
  #bytes = 0;

  /** Returns the encoded run that it ended, if any. */
  push(part: number, byteCount: number): Uint8Array {
    if (part === this.#part) {
      this.#bytes += byteCount;
      return EMPTY;
    }
    const ended = this.finish();
    this.#part = part;
    this.#bytes = byteCount;
    return ended;
  }

  finish(): Uint8Array {
    if (this.#part < 0) return EMPTY;
    const run = Uint8Array.from(varints(this.#part, this.#bytes));
    this.#part = -1;
    return run;
  }
}

/** Chunks may end anywhere. */
export class ArrivalDecoder {
  #held: Uint8Array = EMPTY;

  *push(bytes: Uint8Array): Generator<Arrival> {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    let at = 0;
    for (const reader = new VarintReader(all); ; at = reader.at) {
      const arrival = { part: reader.next(), bytes: reader.next() };
      if (reader.short) break;
      yield arrival;
    }
    this.#held = all.slice(at);
  }
}

const EMPTY = new Uint8Array(0);

/** Numbers as LEB128. */
export function varints(...values: readonly number[]): number[] {
  const bytes: number[] = [];
  for (let value of values) {
    for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
    bytes.push(value);
  }
  return bytes;
}

/** Reads numbers as LEB128. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  at: number;
  /** Whether the bytes ended before a number did. */
  short = false;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  next(): number {
    let value = 0;
    for (let scale = 1; this.at < this.#bytes.length; scale *= 128) {
      const next = byte(this.#bytes, this.at++);
      value += (next & 0x7f) * scale;
      if (next < 0x80) return value;
    }
    this.short = true;
    return value;
  }

  text(length: number): string {
    const start = this.at;
    // Past the end, if the text was cut off: the number that must follow is missing too.
    this.at += length;
    return Buffer.from(this.#bytes.subarray(start, this.at)).toString();
  }
}
