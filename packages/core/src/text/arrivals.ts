/**
 * The order in which the bytes of several streams arrived, as a part of its own: a list of runs
 * `(part, bytes)`, both as LEB128 varints. Consecutive bytes of one part are one run, so the order
 * of a quiet stderr costs next to nothing.
 */

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
  #value = 0;
  #scale = 1;
  #part: number | undefined;

  *push(bytes: Uint8Array): Generator<Arrival> {
    for (const byte of bytes) {
      this.#value += (byte & 0x7f) * this.#scale;
      this.#scale *= 128;
      if (byte >= 0x80) continue;
      if (this.#part === undefined) this.#part = this.#value;
      else {
        yield { part: this.#part, bytes: this.#value };
        this.#part = undefined;
      }
      this.#value = 0;
      this.#scale = 1;
    }
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
