/**
 * Which items of a long array differ from the rest: a shape (keys and kinds of values) that few
 * others have, a null where others have a value, a field that speaks of an error, a number far from
 * its column, a rare value in a column of few. Looks at each item once, in bounded memory; keeps
 * the first of each kind of oddity. Numbers are only compared, never written.
 */

import type { RawChild } from './children.ts';
import { describeItem, type FieldSink } from './describe.ts';

const MOST_SHAPES = 2_000;
const MOST_COLUMNS = 64;
const MOST_VALUES = 24;
const KEPT_PER_SHAPE = 2;
const MOST_ERRORS = 16;
const ERROR_SCORE = 8;
/** How far from the mean, in standard deviations, a number counts as an outlier. */
const OUTLIER = 5;
/** Few items tell nothing about what is usual. */
const FEWEST_ITEMS = 8;

interface Column {
  count: number;
  mean: number;
  squares: number;
  least: { value: number; child: RawChild } | null;
  most: { value: number; child: RawChild } | null;
  /** Null once there are too many distinct values to say that one is rare. */
  values: Map<number, { count: number; child: RawChild }> | null;
}

export class Interest implements FieldSink {
  readonly #mostBytes: number;
  readonly #shapes = new Map<number, { count: number; children: RawChild[] }>();
  readonly #columns = new Map<number, Column>();
  readonly #errors: RawChild[] = [];
  #errorCount = 0;
  #current: RawChild | null = null;

  /** Items longer than that are not remembered. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  consider(child: RawChild): void {
    if (child.source.bytes.length > this.#mostBytes) return;
    this.#current = child;
    const item = describeItem(child.source.bytes, this);
    this.#shape(item.shape, child);
    if (!item.error) return;
    this.#errorCount++;
    if (this.#errors.length < MOST_ERRORS) this.#errors.push(child);
  }

  /** The unusual ones, the most unusual first. */
  unusual(count: number): RawChild[] {
    if (count < FEWEST_ITEMS) return [];
    const scores = new Map<RawChild, number>();
    const add = (child: RawChild | undefined, score: number) => {
      if (child !== undefined) scores.set(child, (scores.get(child) ?? 0) + score);
    };
    // Where most tell of an error, none is unusual for it.
    if (this.#errorCount * 2 <= count) for (const child of this.#errors) add(child, ERROR_SCORE);
    const rare = Math.max(1, Math.floor(count / 100));
    for (const { count: same, children } of this.#shapes.values()) {
      if (same <= rare) for (const child of children) add(child, 3 / same);
    }
    for (const column of this.#columns.values()) {
      for (const child of outliers(column)) add(child, 3);
      for (const child of rareValues(column, rare)) add(child, 2);
    }
    return [...scores].sort(([a, x], [b, y]) => y - x || a.index - b.index).map(([child]) => child);
  }

  #shape(shape: number, child: RawChild): void {
    const known = this.#shapes.get(shape);
    if (known === undefined) {
      if (this.#shapes.size < MOST_SHAPES) this.#shapes.set(shape, { count: 1, children: [child] });
      return;
    }
    known.count++;
    if (known.children.length < KEPT_PER_SHAPE) known.children.push(child);
    // What has become usual need not be remembered.
    else if (known.count > 1_000) known.children.length = 0;
  }

  number(name: number, value: number): void {
    const column = this.#column(name);
    if (column !== null && this.#current !== null) addNumber(column, value, this.#current);
  }

  word(name: number, hash: number): void {
    const column = this.#column(name);
    if (column !== null && this.#current !== null) addWord(column, hash, this.#current);
  }

  #column(name: number): Column | null {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    if (this.#columns.size >= MOST_COLUMNS) return null;
    const column: Column = { count: 0, mean: 0, squares: 0, least: null, most: null, values: new Map() };
    this.#columns.set(name, column);
    return column;
  }
}

function addNumber(column: Column, value: number, child: RawChild): void {
  column.count++;
  const before = value - column.mean;
  column.mean += before / column.count;
  column.squares += before * (value - column.mean);
  if (column.least === null || value < column.least.value) column.least = { value, child };
  if (column.most === null || value > column.most.value) column.most = { value, child };
}

function addWord(column: Column, word: number, child: RawChild): void {
  if (column.values === null) return;
  const known = column.values.get(word);
  if (known !== undefined) known.count++;
  else if (column.values.size < MOST_VALUES) column.values.set(word, { count: 1, child });
  else column.values = null;
}

/** The least and the most of a column, if without it they would be far from all others. */
function outliers({ count, mean, squares, least, most }: Column): RawChild[] {
  if (count < FEWEST_ITEMS) return [];
  return [least, most].flatMap((extreme) => {
    if (extreme === null) return [];
    const others = count - 1;
    const meanOfOthers = (mean * count - extreme.value) / others;
    const squaresOfOthers = Math.max(0, squares - (extreme.value - mean) * (extreme.value - meanOfOthers));
    const deviation = Math.sqrt(squaresOfOthers / others);
    const distance = Math.abs(extreme.value - meanOfOthers);
    return distance > OUTLIER * deviation && distance > 0 ? [extreme.child] : [];
  });
}

function rareValues({ values }: Column, rare: number): RawChild[] {
  if (values === null || values.size < 2) return [];
  const total = [...values.values()].reduce((sum, { count }) => sum + count, 0);
  // Where most values differ, as names and ids do, none of them is unusual.
  if (values.size * 2 > total) return [];
  return [...values.values()].filter(({ count }) => count <= Math.min(rare, 3)).map(({ child }) => child);
}
