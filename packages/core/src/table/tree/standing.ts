/**
 * Which of many siblings stand out, and by how much: they tell of a failure that most do not tell
 * of, have a shape, a number or a word that few have, are the first with a value of a column of few,
 * or hold something that is rare in the whole document. One pass over their fields, for JSON and XML.
 */

import { lazy } from '../../text/memo.ts';
import { Kind, PRIME } from './tree-sink.ts';

/** Fewer siblings have no norm. */
const FEWEST = 8;
const MOST_COLUMNS = 64;
const MOST_VALUES = 32;
const MOST_FIELDS = 48;
const MOST_KEPT = 96;
const LONGEST_NUMBER = 40;
/** In standard deviations from the mean. */
const OUTLIER = 5;
/** Items from this score on come before usual ones. */
export const REMARKABLE = 4;

/** What is read of a table. */
interface Tree {
  readonly rows: number;
  readonly kind: Uint8Array;
  readonly worst: Uint8Array;
  readonly name: Int32Array;
  readonly hash: Int32Array;
  readonly parent: Int32Array;
  readonly next: Int32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  slice(from: number, to: number): Buffer;
}

/** An item by its position, and the row in it. */
interface Found {
  readonly at: number;
  readonly row: number;
}

interface Column {
  readonly id: number;
  numbers: number;
  mean: number;
  squares: number;
  /** The extremes among the numbers, each with where it is first. */
  least: number;
  leastAt: number;
  leastRow: number;
  most: number;
  mostAt: number;
  mostRow: number;
  /** By word how often, and where first; null if there are too many. */
  values: Map<number, Found & { count: number }> | null;
  words: number;
}

export interface Standing {
  readonly score: Float32Array;
  readonly order: readonly number[];
  /** Columns with one value, by name hash. */
  readonly dull: ReadonlySet<number>;
}

/** How the rows of a table stand out, found out once a list: the same for every budget. */
export class Standings {
  readonly #table: Tree;
  readonly #rare: () => Uint8Array;
  readonly #known = new Map<number, Standing>();
  readonly #odd = new Set<number>();

  constructor(table: Tree) {
    this.#table = table;
    this.#rare = lazy(() => rarity(table));
  }

  of(row: number, children: readonly number[]): Standing {
    const rare = children.length > 2 ? this.#rare() : null;
    const found = this.#known.get(row) ?? standing(this.#table, children, rare, this.#odd);
    this.#known.set(row, found);
    return found;
  }

  /** Whether it is what makes an item of a list stand out. */
  isOdd(row: number): boolean {
    return this.#odd.has(row) || this.#rare()[row] === 1;
  }
}

/** `rare`: which subtrees are rare in the document, if known; `odd` is told which fields stand out. */
export function standing(
  table: Tree,
  rows: readonly number[],
  rare: Uint8Array | null,
  odd = new Set<number>(),
): Standing {
  const size = rows.length;
  const score = new Float32Array(size);
  const columns = new Map<number, Column>();
  if (size >= FEWEST) {
    const shapes = readAll(table, rows, columns);
    const few = Math.max(1, Math.floor(size / 100));
    if (shapes.size * 2 <= size)
      for (const { count, at } of shapes.values()) if (count <= few) add(score, at, 3 / count);
    const oddity = ({ at, row }: Found, worth: number) => {
      add(score, at, worth);
      if (worth >= 2) odd.add(row);
    };
    for (const column of columns.values()) scoreColumn(column, few, oddity);
  }
  for (let level = 1; level <= 3; level++)
    addWhereFew(score, (at) => (table.worst[rows[at] as number] as number) >= level);
  if (rare !== null && size > 2) addWhereFew(score, (at) => (rare[rows[at] as number] as number) > 0, 3);
  const order: number[] = [];
  for (let at = 0; at < size; at++) if ((score[at] as number) > 0) order.push(at);
  order.sort((a, b) => (score[b] as number) - (score[a] as number) || a - b);
  const dull = new Set<number>();
  for (const column of columns.values()) if (isDull(column, size)) dull.add(column.id);
  return { score, order: order.slice(0, MOST_KEPT), dull };
}

/** What is true of most is not unusual. */
function addWhereFew(score: Float32Array, is: (at: number) => boolean, worth = REMARKABLE): void {
  let count = 0;
  for (let at = 0; at < score.length; at++) if (is(at)) count++;
  if (count === 0 || count * 2 > Math.max(score.length, 2)) return;
  for (let at = 0; at < score.length; at++) if (is(at)) add(score, at, worth);
}

function add(score: Float32Array, at: number, worth: number): void {
  score[at] = (score[at] as number) + worth;
}

function readAll(
  table: Tree,
  rows: readonly number[],
  columns: Map<number, Column>,
): Map<number, { count: number; at: number }> {
  const { kind, hash, name, parent, next } = table;
  const shapes = new Map<number, { count: number; at: number }>();
  /** Most items have the same fields as the one before. */
  const expected: Column[] = [];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as number;
    const is = kind[row] as number;
    const isBox = is === Kind.object || is === Kind.element;
    const isList = is === Kind.array;
    const shape = isBox
      ? (hash[row] as number) ^ (is === Kind.element ? (name[row] as number) : 0)
      : is * PRIME;
    const seen = shapes.get(shape);
    if (seen === undefined) shapes.set(shape, { count: 1, at });
    else seen.count++;
    // Of a plain value the only field is itself.
    const isPlain = !isBox && !isList;
    const end = isPlain ? row + 1 : (next[row] as number);
    let field = 0;
    for (let inside = isPlain ? row : row + 1; inside < end && field < MOST_FIELDS; ) {
      const of = kind[inside] as number;
      if (next[inside] !== inside + 1) {
        inside = of === Kind.array ? (next[inside] as number) : inside + 1;
        continue;
      }
      let id = 0;
      if (!isPlain) {
        const up = parent[inside] as number;
        const own = of === Kind.text || of === Kind.cdata ? PRIME : (name[inside] as number);
        if (up !== row) id = Math.imul(name[up] as number, PRIME) ^ own;
        else id = isList ? field : own;
      }
      let column = expected[field];
      if (column?.id !== id) column = columns.get(id) ?? newColumn(columns, id);
      if (column !== undefined) {
        expected[field++] = column;
        addValue(table, column, inside, at);
      }
      inside++;
    }
  }
  return shapes;
}

function newColumn(columns: Map<number, Column>, id: number): Column | undefined {
  if (columns.size >= MOST_COLUMNS) return undefined;
  const least = { least: Number.POSITIVE_INFINITY, leastAt: 0, leastRow: 0 };
  const most = { most: Number.NEGATIVE_INFINITY, mostAt: 0, mostRow: 0 };
  const column: Column = {
    id,
    numbers: 0,
    mean: 0,
    squares: 0,
    ...least,
    ...most,
    values: new Map(),
    words: 0,
  };
  columns.set(id, column);
  return column;
}

function addValue(table: Tree, column: Column, row: number, at: number): void {
  if (table.kind[row] === Kind.number) {
    const value = numberAt(table, row);
    column.numbers++;
    const before = value - column.mean;
    column.mean += before / column.numbers;
    column.squares += before * (value - column.mean);
    if (value < column.least) {
      column.least = value;
      column.leastAt = at;
      column.leastRow = row;
    }
    if (value > column.most) {
      column.most = value;
      column.mostAt = at;
      column.mostRow = row;
    }
    return;
  }
  column.words++;
  if (column.values === null) return;
  const word = table.hash[row] as number;
  const known = column.values.get(word);
  if (known !== undefined) known.count++;
  else if (column.values.size < MOST_VALUES) column.values.set(word, { count: 1, at, row });
  else column.values = null;
}

/** The hash of a short whole number is its value. */
function numberAt(table: Tree, row: number): number {
  const known = table.hash[row] as number;
  if (known >= 0) return known;
  const from = table.start[row] as number;
  const to = Math.min(from + LONGEST_NUMBER, table.end[row] as number);
  return Number(table.slice(from, to).toString('latin1'));
}

function scoreColumn(column: Column, few: number, oddity: (found: Found, worth: number) => void): void {
  const { values, words, least, leastAt, leastRow, most, mostAt, mostRow } = column;
  if (column.numbers >= FEWEST) {
    if (isOutlier(column, least)) oddity({ at: leastAt, row: leastRow }, 3);
    if (isOutlier(column, most)) oddity({ at: mostAt, row: mostRow }, 3);
  }
  if (values === null || values.size < 2) {
    // A word among numbers, or the reverse.
    if (column.numbers >= FEWEST && values?.size === 1 && words <= few)
      for (const found of values.values()) oddity(found, 3);
    return;
  }
  // If most values differ (names, ids), none is unusual.
  if (values.size * 2 > words) return;
  for (const found of values.values()) oddity(found, found.count <= Math.min(few, 3) ? 2 : 0.5);
}

/** Compared with the others without it. */
function isOutlier({ numbers, mean, squares }: Column, value: number): boolean {
  const others = numbers - 1;
  const meanOfOthers = (mean * numbers - value) / others;
  const squaresOfOthers = Math.max(0, squares - (value - mean) * (value - meanOfOthers));
  const distance = Math.abs(value - meanOfOthers);
  return distance > OUTLIER * Math.sqrt(squaresOfOthers / others) && distance > 0;
}

function isDull({ numbers, least, most, values, words }: Column, size: number): boolean {
  return (values?.size === 1 && words * 10 >= size * 9) || (numbers * 10 >= size * 9 && least === most);
}

const RARE_AMONG = 16;
const MOST_NAMES = 4_096;

/**
 * Rare in the whole document: the only one of its name with this shape or value. An odd child of a
 * usual parent is found this way.
 */
function rarity(table: Tree): Uint8Array {
  const { kind, name, hash, parent, rows } = table;
  const rare = new Uint8Array(rows);
  /** By value the only row that has it; -1 if several have. Null if there are too many values. */
  type Names = {
    readonly name: number;
    readonly first: number;
    count: number;
    values: Map<number, number> | null;
    /** What came next the last time: records have the same fields again and again. */
    follower: Names | null;
  };
  const columns = new Map<number, Names>();
  let last: Names | null = null;
  for (let row = 1; row < rows; row++) {
    const is = kind[row] as number;
    const key =
      is === Kind.text ? Math.imul(name[parent[row] as number] as number, PRIME) : (name[row] as number);
    if (key === 0 || is === Kind.number) continue;
    let column: Names | null | undefined = (last as Names | null)?.follower;
    if (column?.name !== key) {
      column = columns.get(key);
      if (column === undefined) {
        if (columns.size >= MOST_NAMES) continue;
        column = { name: key, first: row, count: 0, values: new Map(), follower: null };
        columns.set(key, column);
      }
      if (last !== null) last.follower = column;
    }
    last = column;
    column.count++;
    const { values } = column;
    if (values === null) continue;
    const value = (hash[row] as number) ^ is;
    const seen = values.get(value);
    if (seen === undefined && values.size >= MOST_VALUES) column.values = null;
    else if (seen !== -1) values.set(value, seen === undefined ? row : -1);
  }
  for (const { count, values, first } of columns.values()) {
    // A name that only one of many elements or records alike has.
    const above = columns.get(name[parent[first] as number] as number)?.count ?? 0;
    if (count === 1 && above >= RARE_AMONG) rare[first] = 1;
    if (values !== null && count >= RARE_AMONG && values.size * 4 <= count)
      for (const row of values.values()) if (row > 0) rare[row] = 1;
  }
  for (let row = rows - 1; row > 0; row--) if ((rare[row] as number) > 0) rare[parent[row] as number] = 1;
  return rare;
}
