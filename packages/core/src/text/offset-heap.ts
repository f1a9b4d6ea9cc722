/**
 * A queue of offsets that gives the one with the largest key first; among equal keys the largest
 * offset. In flat arrays: it is pushed to and emptied thousands of times for one selection.
 */
const FIRST_LENGTH = 64;

export class OffsetHeap {
  #keys = new Float64Array(FIRST_LENGTH);
  #offsets = new Uint32Array(FIRST_LENGTH);
  size = 0;

  /** The key of the first offset. */
  get key(): number {
    return this.#keys[0] as number;
  }

  /** Whether the first offset comes before one with such a key. */
  isBefore(key: number, offset: number): boolean {
    return this.size > 0 && isAfter(key, offset, this.#keys[0] as number, this.#offsets[0] as number);
  }

  push(key: number, offset: number): void {
    if (this.size === this.#keys.length) this.#grow();
    const keys = this.#keys;
    const offsets = this.#offsets;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isAfter(keys[parent] as number, offsets[parent] as number, key, offset)) break;
      keys[at] = keys[parent] as number;
      offsets[at] = offsets[parent] as number;
      at = parent;
    }
    keys[at] = key;
    offsets[at] = offset;
  }

  /** Takes the first offset; there must be one. */
  pop(): number {
    const keys = this.#keys;
    const offsets = this.#offsets;
    const first = offsets[0] as number;
    const last = --this.size;
    const key = keys[last] as number;
    const offset = offsets[last] as number;
    let at = 0;
    for (let below = 1; below < last; below = 2 * at + 1) {
      const other = below + 1;
      if (
        other < last &&
        isAfter(
          keys[below] as number,
          offsets[below] as number,
          keys[other] as number,
          offsets[other] as number,
        )
      )
        below = other;
      if (!isAfter(key, offset, keys[below] as number, offsets[below] as number)) break;
      keys[at] = keys[below] as number;
      offsets[at] = offsets[below] as number;
      at = below;
    }
    keys[at] = key;
    offsets[at] = offset;
    return first;
  }

  #grow(): void {
    const keys = this.#keys;
    const offsets = this.#offsets;
    this.#keys = new Float64Array(keys.length * 2);
    this.#offsets = new Uint32Array(keys.length * 2);
    this.#keys.set(keys);
    this.#offsets.set(offsets);
  }
}

/** Whether the first of two comes after the second. */
function isAfter(key: number, offset: number, otherKey: number, otherOffset: number): boolean {
  return key < otherKey || (key === otherKey && offset < otherOffset);
}
