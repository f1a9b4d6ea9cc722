/**
 * Counts of keys from 0 to 65,535. Most texts have few different keys: a small hash table is enough
 * for them, and grows with their number up to one slot for each key. A slot stands until a key is
 * new.
 */
const MOST_KEYS = 1 << 16;
const FIRST_SLOTS = 1 << 10;

export class KeyCounts {
  /** By slot: the key that is counted there, plus one; null where every key has its slot. */
  #keys: Uint32Array | null = new Uint32Array(FIRST_SLOTS);
  #counts = new Uint32Array(FIRST_SLOTS);
  #used = 0;

  /** Adds to the count of a key, and gives it. */
  add(key: number, more: 0 | 1): number {
    const at = this.#slotOf(key);
    const count = (this.#counts[at] as number) + more;
    this.#counts[at] = count;
    return count;
  }

  #slotOf(key: number): number {
    const keys = this.#keys;
    if (keys === null) return key;
    const last = keys.length - 1;
    let at = key & last;
    while (keys[at] !== 0 && keys[at] !== key + 1) at = (at + 1) & last;
    if (keys[at] !== 0) return at;
    if (this.#used * 2 >= keys.length) {
      this.#grow(keys);
      return this.#slotOf(key);
    }
    this.#used++;
    keys[at] = key + 1;
    return at;
  }

  #grow(keys: Uint32Array): void {
    const counts = this.#counts;
    const slots = keys.length * 4;
    this.#used = 0;
    this.#keys = slots < MOST_KEYS ? new Uint32Array(slots) : null;
    this.#counts = new Uint32Array(slots);
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number;
      if (key !== 0) this.#counts[this.#slotOf(key - 1)] = counts[at] as number;
    }
  }
}
