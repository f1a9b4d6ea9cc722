/**
 * Which items of a long array differ from the rest: a shape (keys and kinds of values) that few
 * others have, a null where others have a value, a field that speaks of an error, a number far from
 * its column, a rare value in a column of few. Looks at each item once, in bounded memory; keeps
 * the first of each kind of oddity. Numbers are only compared, never written.
 */
import { Description, type FieldSink } from './describe.ts';

const MOST_SHAPES = 2_000;
const MOST_COLUMNS = 64;
const MOST_VALUES = 24;
const KEPT_PER_SHAPE = 2;
const MOST_ERRORS = 16;
const ERROR_SCORE = 8;
/** How far from the mean, in standard deviations, a number counts as an outlier. */
const OUTLIER = 5;
/** Few items tell nothing about what is usual. */
export const FEWEST_ITEMS = 8;
/** Fields whose columns are looked for where they were in the item before. */
const MOST_FIELDS = 256;

interface Extreme<T> {
  value: number;
  item: T;
}

interface Column<T> {
  readonly name: number;
  count: number;
  mean: number;
  squares: number;
  least: Extreme<T> | null;
  most: Extreme<T> | null;
  /** Null once there are too many distinct values to say that one is rare. */
  values: Map<number, { count: number; item: T }> | null;
}

/** `T`: what an item is known by. */
export class Interest<T> implements FieldSink {
  readonly #description = new Description();
  readonly #shapes = new Map<number, { count: number; items: T[] }>();
  readonly #columns = new Map<number, Column<T>>();
  /** The columns of the last items, field by field: most items of an array have the same fields. */
  readonly #fields: Column<T>[] = [];
  #field = 0;
  readonly #errors: T[] = [];
  #errorCount = 0;
  #current: T | undefined;

  /** The item lies in `bytes[from, to)`. */
  consider(item: T, bytes: Uint8Array, from: number, to: number): void {
    this.#current = item;
    this.#field = 0;
    this.#description.read(bytes, from, to, this);
    this.#shape(this.#description.shape, item);
    if (!this.#description.error) return;
    this.#errorCount++;
    if (this.#errors.length < MOST_ERRORS) this.#errors.push(item);
  }

  /** The unusual ones of so many, the most unusual first. */
  unusual(count: number, indexOf: (item: T) => number): T[] {
    if (count < FEWEST_ITEMS) return [];
    const scores = new Map<T, number>();
    const add = (item: T, score: number) => scores.set(item, (scores.get(item) ?? 0) + score);
    // Where most tell of an error, none is unusual for it.
    if (this.#errorCount * 2 <= count) for (const item of this.#errors) add(item, ERROR_SCORE);
    const rare = Math.max(1, Math.floor(count / 100));
    for (const { count: same, items } of this.#shapes.values()) {
      if (same <= rare) for (const item of items) add(item, 3 / same);
    }
    for (const column of this.#columns.values()) {
      for (const item of outliers(column)) add(item, 3);
      for (const item of rareValues(column, rare)) add(item, 2);
    }
    return [...scores].sort(([a, x], [b, y]) => y - x || indexOf(a) - indexOf(b)).map(([item]) => item);
  }

  #shape(shape: number, item: T): void {
    const known = this.#shapes.get(shape);
    if (known === undefined) {
      if (this.#shapes.size < MOST_SHAPES) this.#shapes.set(shape, { count: 1, items: [item] });
      return;
    }
    known.count++;
    if (known.items.length < KEPT_PER_SHAPE) known.items.push(item);
    // What has become usual need not be remembered.
    else if (known.count > 1_000) known.items.length = 0;
  }

  number(name: number, value: number): void {
    const column = this.#column(name);
    if (column !== undefined) addNumber(column, value, this.#current as T);
  }

  word(name: number, hash: number): void {
    const column = this.#column(name);
    if (column !== undefined) addWord(column, hash, this.#current as T);
  }

  #column(name: number): Column<T> | undefined {
    const field = this.#field++;
    const expected = field < this.#fields.length ? this.#fields[field] : undefined;
    if (expected?.name === name) return expected;
    const column = this.#columns.get(name) ?? this.#newColumn(name);
    if (column !== undefined && field <= this.#fields.length && field < MOST_FIELDS)
      this.#fields[field] = column;
    return column;
  }

  #newColumn(name: number): Column<T> | undefined {
    if (this.#columns.size >= MOST_COLUMNS) return undefined;
    const column: Column<T> = {
      name,
      count: 0,
      mean: 0,
      squares: 0,
      least: null,
      most: null,
      values: new Map(),
    };
    this.#columns.set(name, column);
    return column;
  }
}

function addNumber<T>(column: Column<T>, value: number, item: T): void {
  column.count++;
  const before = value - column.mean;
  column.mean += before / column.count;
  column.squares += before * (value - column.mean);
  if (column.least === null || value < column.least.value) column.least = { value, item };
  if (column.most === null || value > column.most.value) column.most = { value, item };
}

function addWord<T>(column: Column<T>, word: number, item: T): void {
  if (column.values === null) return;
  const known = column.values.get(word);
  if (known !== undefined) known.count++;
  else if (column.values.size < MOST_VALUES) column.values.set(word, { count: 1, item });
  else column.values = null;
}

/** The least and the most of a column, if without it they would be far from all others. */
function outliers<T>({ count, mean, squares, least, most }: Column<T>): T[] {
  if (count < FEWEST_ITEMS) return [];
  return [least, most].flatMap((extreme) => {
    if (extreme === null) return [];
    const others = count - 1;
    const meanOfOthers = (mean * count - extreme.value) / others;
    const squaresOfOthers = Math.max(0, squares - (extreme.value - mean) * (extreme.value - meanOfOthers));
    const deviation = Math.sqrt(squaresOfOthers / others);
    const distance = Math.abs(extreme.value - meanOfOthers);
    return distance > OUTLIER * deviation && distance > 0 ? [extreme.item] : [];
  });
}

function rareValues<T>({ values }: Column<T>, rare: number): T[] {
  if (values === null || values.size < 2) return [];
  const total = [...values.values()].reduce((sum, { count }) => sum + count, 0);
  // Where most values differ, as names and ids do, none of them is unusual.
  if (values.size * 2 > total) return [];
  return [...values.values()].filter(({ count }) => count <= Math.min(rare, 3)).map(({ item }) => item);
}
