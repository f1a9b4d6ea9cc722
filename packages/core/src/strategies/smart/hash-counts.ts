/**
 * How often each hash of 30 bits was counted; behind a number of them, others are not remembered.
 * A table of its own takes half the time of a `Map`. A slot holds a hash plus one; 0: it is free.
 */
const FIRST_SLOTS = 256;

export class HashCounts {
  readonly #most: number;
  #hashes = new Int32Array(FIRST_SLOTS);
  #counts = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  /** `most`: how many different ones are remembered. */
  constructor(most: number) {
    this.#most = most;
  }

  /** How often it was counted before; counts it. */
  add(hash: number): number {
    const slot = this.#slotOf(hash);
    if (this.#hashes[slot] === 0) {
      if (this.#size < this.#most) this.#remember(hash, slot);
      return 0;
    }
    const before = this.#counts[slot] as number;
    this.#counts[slot] = before + 1;
    return before;
  }

  #remember(hash: number, slot: number): void {
    this.#hashes[slot] = hash + 1;
    this.#counts[slot] = 1;
    if (++this.#size * 2 > this.#hashes.length) this.#grow();
  }

  #slotOf(hash: number): number {
    const hashes = this.#hashes;
    const last = hashes.length - 1;
    // The low bits alone are alike for texts that end alike.
    let slot = (hash ^ (hash >>> 15)) & last;
    while (hashes[slot] !== 0 && hashes[slot] !== hash + 1) slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const hashes = this.#hashes;
    const counts = this.#counts;
    this.#hashes = new Int32Array(hashes.length * 4);
    this.#counts = new Uint32Array(hashes.length * 4);
    for (let i = 0; i < hashes.length; i++) {
      const held = hashes[i] as number;
      if (held === 0) continue;
      const slot = this.#slotOf(held - 1);
      this.#hashes[slot] = held;
      this.#counts[slot] = counts[i] as number;
    }
  }
}
