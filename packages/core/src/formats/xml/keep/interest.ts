/**
 * Which of many siblings differ from the rest: one that speaks of a failure, a shape that few
 * others have, a rare value in a column of few. Looks at each once, in bounded memory: what it
 * remembers weighs no more than `mostWeight`, twice.
 */
import type { Description } from './describe.ts';

const MOST_SHAPES = 500;
const MOST_COLUMNS = 48;
const MOST_VALUES = 16;
const KEPT_PER_SHAPE = 2;
const MOST_FAILING = 16;
/** A shape or value seen more often than this is not rare. */
const MOST_RARE = 64;
/** Few siblings tell nothing about what is usual. */
export const FEWEST = 8;

interface Seen<T> {
  count: number;
  kept: { readonly item: T; readonly weight: number }[];
}

export class Interest<T> {
  readonly #mostWeight: number;
  readonly #shapes = new Map<number, Seen<T>>();
  /** Null once there are too many values to say that one is rare. */
  readonly #columns = new Map<number, Map<number, Seen<T>> | null>();
  readonly #failing: T[] = [];
  #failingCount = 0;
  #failingWeight = 0;
  #rareWeight = 0;
  #count = 0;
  #took = false;

  constructor(mostWeight: number) {
    this.#mostWeight = mostWeight;
  }

  /** Whether it is remembered, for now. */
  consider(item: T, { shape, failing, columns, words }: Description, weight: number): boolean {
    this.#count++;
    this.#took = false;
    if (failing) this.#fail(item, weight);
    this.#seen(this.#shapes, shape, item, weight, MOST_SHAPES);
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at] as number;
      let values = this.#columns.get(column);
      if (values === undefined) {
        if (this.#columns.size >= MOST_COLUMNS) continue;
        values = new Map();
        this.#columns.set(column, values);
      }
      if (values !== null && !this.#seen(values, words[at] as number, item, weight, MOST_VALUES))
        this.#drop(column, values);
    }
    return this.#took;
  }

  /** Something that cannot be described but speaks of a failure. */
  considerFailing(item: T, weight: number): boolean {
    this.#count++;
    return this.#fail(item, weight);
  }

  /** The unusual ones, the most unusual first. */
  unusual(order: (item: T) => number): T[] {
    const scores = new Map<T, number>();
    const add = (item: T, score: number) => scores.set(item, (scores.get(item) ?? 0) + score);
    if (this.#failingCount * 2 <= Math.max(this.#count, 2)) for (const item of this.#failing) add(item, 8);
    if (this.#count >= FEWEST) {
      const rare = Math.max(1, Math.floor(this.#count / 100));
      for (const { count, kept } of this.#shapes.values())
        if (count <= rare) for (const { item } of kept) add(item, 3 / count);
      for (const values of this.#columns.values()) {
        if (values === null || values.size < 2 || !isOfFew(values)) continue;
        for (const { count, kept } of values.values())
          if (count <= Math.min(rare, 3)) for (const { item } of kept) add(item, 2);
      }
    }
    return [...scores].sort(([a, x], [b, y]) => y - x || order(a) - order(b)).map(([item]) => item);
  }

  #fail(item: T, weight: number): boolean {
    this.#failingCount++;
    if (this.#failing.length >= MOST_FAILING) return false;
    if (this.#failing.length > 0 && this.#failingWeight + weight > this.#mostWeight) return false;
    this.#failing.push(item);
    this.#failingWeight += weight;
    this.#took = true;
    return true;
  }

  /** False if there are too many already. */
  #seen(map: Map<number, Seen<T>>, key: number, item: T, weight: number, most: number): boolean {
    let known = map.get(key);
    if (known === undefined) {
      if (map.size >= most) return false;
      known = { count: 0, kept: [] };
      map.set(key, known);
    }
    known.count++;
    if (known.count > MOST_RARE) this.#forget(known);
    else if (known.kept.length < KEPT_PER_SHAPE && this.#rareWeight + weight <= this.#mostWeight) {
      known.kept.push({ item, weight });
      this.#took = true;
      this.#rareWeight += weight;
    }
    return true;
  }

  #drop(column: number, values: Map<number, Seen<T>>): void {
    for (const seen of values.values()) this.#forget(seen);
    this.#columns.set(column, null);
  }

  #forget(seen: Seen<T>): void {
    for (const { weight } of seen.kept) this.#rareWeight -= weight;
    seen.kept = [];
  }
}

/** Where most values differ, as names and ids do, none of them is unusual. */
function isOfFew(values: ReadonlyMap<number, { readonly count: number }>): boolean {
  const total = [...values.values()].reduce((sum, { count }) => sum + count, 0);
  return values.size * 2 <= total;
}
