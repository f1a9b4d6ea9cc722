/**
 * What the names of a stream weigh that were not there before. Names are known by a table of fixed
 * size, so memory does not grow with the stream.
 */
import { NameScan } from './name-scan.ts';

const TABLE_BITS = 16;

export class FirstSeen {
  readonly #scan = new NameScan();
  readonly #table = new Int32Array(1 << TABLE_BITS);

  /** Adds the weights of new names to `sum`; they are known from then on. */
  add(bytes: Uint8Array, from: number, to: number, sum = 0): number {
    this.#scan.scan(bytes, from, to);
    const { hashes, weights, count } = this.#scan;
    let all = sum;
    for (let i = 0; i < count; i++) {
      const hash = hashes[i] as number;
      const slot = (hash ^ (hash >>> TABLE_BITS)) & ((1 << TABLE_BITS) - 1);
      if (this.#table[slot] === hash) continue;
      this.#table[slot] = hash;
      all += weights[i] as number;
    }
    return all;
  }
}
