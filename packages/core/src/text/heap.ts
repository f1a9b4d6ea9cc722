/**
 * A queue that gives the item with the largest key first; among equal keys the one with the largest
 * tie.
 */
interface Entry<T> {
  readonly key: number;
  readonly tie: number;
  readonly item: T;
}

export class Heap<T> {
  readonly #entries: Entry<T>[] = [];

  push(key: number, tie: number, item: T): void {
    const entries = this.#entries;
    let at = entries.length;
    const entry = { key, tie, item };
    entries.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = entries[parent] as Entry<T>;
      if (!isAfter(above, entry)) break;
      entries[at] = above;
      at = parent;
    }
    entries[at] = entry;
  }

  /** The first item, if it comes before one with such a key and tie. */
  popBefore(key: number, tie: number): Entry<T> | undefined {
    const [first] = this.#entries;
    if (first === undefined || first.key < key || (first.key === key && first.tie <= tie)) return undefined;
    return this.pop();
  }

  pop(): Entry<T> | undefined {
    const entries = this.#entries;
    const first = entries[0];
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= entries.length) break;
      if (below + 1 < entries.length && isAfter(entries[below] as Entry<T>, entries[below + 1] as Entry<T>))
        below++;
      const entry = entries[below] as Entry<T>;
      if (!isAfter(last, entry)) break;
      entries[at] = entry;
      at = below;
    }
    entries[at] = last;
    return first;
  }
}

function isAfter(a: Entry<unknown>, b: Entry<unknown>): boolean {
  return a.key < b.key || (a.key === b.key && a.tie < b.tie);
}
