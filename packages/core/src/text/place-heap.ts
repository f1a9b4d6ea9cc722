/**
 * A queue of places that gives the one with the largest key first; among equal keys the largest
 * place. In flat arrays: it is pushed to and emptied thousands of times for one selection.
 */
const FIRST_LENGTH = 64;

export class PlaceHeap {
  #keys = new Float64Array(FIRST_LENGTH);
  #places = new Uint32Array(FIRST_LENGTH);
  size = 0;

  /** The key of the first place. */
  get key(): number {
    return this.#keys[0] as number;
  }

  /** Whether the first place comes before one with such a key. */
  isBefore(key: number, place: number): boolean {
    return this.size > 0 && isAfter(key, place, this.#keys[0] as number, this.#places[0] as number);
  }

  push(key: number, place: number): void {
    if (this.size === this.#keys.length) this.#grow();
    const keys = this.#keys;
    const places = this.#places;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isAfter(keys[parent] as number, places[parent] as number, key, place)) break;
      keys[at] = keys[parent] as number;
      places[at] = places[parent] as number;
      at = parent;
    }
    keys[at] = key;
    places[at] = place;
  }

  /** Takes the first place; there must be one. */
  pop(): number {
    const keys = this.#keys;
    const places = this.#places;
    const first = places[0] as number;
    const last = --this.size;
    const key = keys[last] as number;
    const place = places[last] as number;
    let at = 0;
    for (let below = 1; below < last; below = 2 * at + 1) {
      const other = below + 1;
      if (
        other < last &&
        isAfter(
          keys[below] as number,
          places[below] as number,
          keys[other] as number,
          places[other] as number,
        )
      )
        below = other;
      if (!isAfter(key, place, keys[below] as number, places[below] as number)) break;
      keys[at] = keys[below] as number;
      places[at] = places[below] as number;
      at = below;
    }
    keys[at] = key;
    places[at] = place;
    return first;
  }

  #grow(): void {
    const keys = this.#keys;
    const places = this.#places;
    this.#keys = new Float64Array(keys.length * 2);
    this.#places = new Uint32Array(keys.length * 2);
    this.#keys.set(keys);
    this.#places.set(places);
  }
}

/** Whether the first of two comes after the second. */
function isAfter(key: number, place: number, otherKey: number, otherPlace: number): boolean {
  return key < otherKey || (key === otherKey && place < otherPlace);
}
