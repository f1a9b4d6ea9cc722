/**
 * A queue that gives the number with the largest key first, among equal keys the largest number.
 * Flat arrays, because one selection uses it thousands of times.
 */
const FIRST_LENGTH = 64;

export class Heap {
  #keys: Float64Array<ArrayBuffer>;
  #items: Float64Array<ArrayBuffer>;
  size = 0;

  constructor(length = FIRST_LENGTH) {
    this.#keys = new Float64Array(length);
    this.#items = new Float64Array(length);
  }

  get key(): number {
    return this.#keys[0] as number;
  }

  push(key: number, item: number): void {
    if (this.size === this.#keys.length) {
      this.#keys = grown(this.#keys);
      this.#items = grown(this.#items);
    }
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isAfter(parent, key, item)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#keys[at] = key;
    this.#items[at] = item;
  }

  pop(): number {
    const first = this.#items[0] as number;
    const last = --this.size;
    const key = this.#keys[last] as number;
    const item = this.#items[last] as number;
    let at = 0;
    for (let below = 1; below < last; below = 2 * at + 1) {
      const other = below + 1;
      if (other < last && this.#isAfter(below, this.#keys[other] as number, this.#items[other] as number))
        below = other;
      if (this.#isAfter(below, key, item)) break;
      this.#move(below, at);
      at = below;
    }
    this.#keys[at] = key;
    this.#items[at] = item;
    return first;
  }

  #move(from: number, to: number): void {
    this.#keys[to] = this.#keys[from] as number;
    this.#items[to] = this.#items[from] as number;
  }

  #isAfter(at: number, key: number, item: number): boolean {
    const own = this.#keys[at] as number;
    return own < key || (own === key && (this.#items[at] as number) < item);
  }
}

function grown(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}
