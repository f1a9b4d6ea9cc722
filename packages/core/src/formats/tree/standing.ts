/**
 * Which of many siblings stand out, and by how much: they tell of a failure that most do not tell
 * of, have a shape, a number or a word that few have, are the first with a value of a column of few,
 * or hold something that is rare in the whole document. One pass over their fields, for JSON and XML.
 */
import { Kind, PRIME } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';
import { lazy } from '../../text/memo.ts';

/** Fewer siblings have no norm. */
const FEWEST = 8;
const MOST_COLUMNS = 64;
const MOST_VALUES = 32;
const MOST_FIELDS = 48;
const MOST_KEPT = 96;
/** In standard deviations from the mean. */
const OUTLIER = 5;
/** Items from this score on come before usual ones. */
export const REMARKABLE = 4;

interface Column {
  readonly id: number;
  numbers: number;
  mean: number;
  squares: number;
  least: number;
  most: number;
  leastAt: number;
  mostAt: number;
  /** Count and first position by word; null if there are too many. */
  values: Map<number, { count: number; at: number }> | null;
  words: number;
}

export interface Standing {
  readonly score: Float32Array;
  readonly order: readonly number[];
  /** Columns with one value, by name hash. */
  readonly dull: ReadonlySet<number>;
}

/** How the children of a row stand out: the same for every budget. */
export type StandingOf = (row: number, children: readonly number[]) => Standing;

/** Finds that out once a row. */
export function standings(table: TreeTable): StandingOf {
  const rare = lazy(() => rarity(table));
  const known = new Map<number, Standing>();
  return (row, children) => {
    const found = known.get(row) ?? standing(table, children, children.length > 2 ? rare() : null);
    known.set(row, found);
    return found;
  };
}

/** `rare`: how rare each subtree is in the document, if known. */
export function standing(table: TreeTable, rows: readonly number[], rare: Float32Array | null): Standing {
  const size = rows.length;
  const score = new Float32Array(size);
  const columns = new Map<number, Column>();
  if (size >= FEWEST) {
    const shapes = readAll(table, rows, columns);
    const few = Math.max(1, Math.floor(size / 100));
    if (shapes.size * 2 <= size)
      for (const { count, at } of shapes.values()) add(score, at, count <= few ? 3 / count : 0.5);
    for (const column of columns.values()) scoreColumn(column, few, score);
  }
  for (let level = 1; level <= 3; level++)
    addWhereFew(score, (at) => (table.worst[rows[at] as number] as number) >= level);
  if (rare !== null && size > 2) addWhereFew(score, (at) => (rare[rows[at] as number] as number) > 0, 3);
  const order = [...score.keys()].filter((at) => (score[at] as number) > 0);
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
  table: TreeTable,
  rows: readonly number[],
  columns: Map<number, Column>,
): Map<number, { count: number; at: number }> {
  const { kind, hash, name, parent, next } = table;
  const shapes = new Map<number, { count: number; at: number }>();
  /** Most items have the same fields as the one before. */
  const expected: Column[] = [];
  let field = 0;
  const take = (row: number, id: number, at: number) => {
    let column = expected[field];
    if (column?.id !== id) {
      column = columns.get(id) ?? newColumn(columns, id);
      if (column === undefined) return;
      expected[field] = column;
    }
    field++;
    addValue(table, column, row, at);
  };
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as number;
    const is = kind[row] as number;
    const isBox = is === Kind.object || is === Kind.element;
    const shape = isBox
      ? (hash[row] as number) ^ (is === Kind.element ? (name[row] as number) : 0)
      : is * PRIME;
    const seen = shapes.get(shape);
    if (seen === undefined) shapes.set(shape, { count: 1, at });
    else seen.count++;
    field = 0;
    if (!isBox && is !== Kind.array) {
      take(row, 0, at);
      continue;
    }
    const end = next[row] as number;
    for (let inside = row + 1; inside < end && field < MOST_FIELDS; ) {
      const of = kind[inside] as number;
      const up = parent[inside] as number;
      const isEmpty = next[inside] === inside + 1;
      if (isEmpty) {
        const own = of === Kind.text || of === Kind.cdata ? PRIME : (name[inside] as number);
        const id =
          is === Kind.array && up === row
            ? field
            : up === row
              ? own
              : Math.imul(name[up] as number, PRIME) ^ own;
        take(inside, id, at);
        inside++;
      } else inside = of === Kind.array ? (next[inside] as number) : inside + 1;
    }
  }
  return shapes;
}

function newColumn(columns: Map<number, Column>, id: number): Column | undefined {
  if (columns.size >= MOST_COLUMNS) return undefined;
  const none = {
    numbers: 0,
    mean: 0,
    squares: 0,
    least: Number.POSITIVE_INFINITY,
    most: Number.NEGATIVE_INFINITY,
  };
  const column: Column = { id, ...none, leastAt: 0, mostAt: 0, values: new Map(), words: 0 };
  columns.set(id, column);
  return column;
}

function addValue(table: TreeTable, column: Column, row: number, at: number): void {
  if (table.kind[row] === Kind.number) {
    const value = numberAt(table, row);
    column.numbers++;
    const before = value - column.mean;
    column.mean += before / column.numbers;
    column.squares += before * (value - column.mean);
    if (value < column.least) {
      column.least = value;
      column.leastAt = at;
    }
    if (value > column.most) {
      column.most = value;
      column.mostAt = at;
    }
    return;
  }
  column.words++;
  if (column.values === null) return;
  const word = table.hash[row] as number;
  const known = column.values.get(word);
  if (known !== undefined) known.count++;
  else if (column.values.size < MOST_VALUES) column.values.set(word, { count: 1, at });
  else column.values = null;
}

function numberAt(table: TreeTable, row: number): number {
  const from = table.start[row] as number;
  const size = Math.min(40, (table.end[row] as number) - from);
  let value = 0;
  for (let at = 0; at < size && size < 16; at++) {
    const digit = table.byteAt(from + at) - 0x30;
    if (digit < 0 || digit > 9) return Number(table.slice(from, from + size).toString('latin1'));
    value = value * 10 + digit;
  }
  return size < 16 ? value : Number(table.slice(from, from + size).toString('latin1'));
}

function scoreColumn(column: Column, few: number, score: Float32Array): void {
  if (column.numbers >= FEWEST)
    for (const [value, at] of [
      [column.least, column.leastAt],
      [column.most, column.mostAt],
    ] as const)
      if (isOutlier(column, value)) add(score, at, 3);
  const { values, words } = column;
  if (values === null || values.size < 2) {
    // A word among numbers, or the reverse.
    if (column.numbers >= FEWEST && values?.size === 1 && words <= few)
      for (const { at } of values.values()) add(score, at, 3);
    return;
  }
  // If most values differ (names, ids), none is unusual.
  if (values.size * 2 > words) return;
  for (const { count, at } of values.values()) add(score, at, count <= Math.min(few, 3) ? 2 : 0.5);
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
function rarity(table: TreeTable): Float32Array {
  const { kind, name, hash, parent, rows } = table;
  const rare = new Float32Array(rows);
  const columns = new Map<
    number,
    { count: number; values: Map<number, number> | null; last: Map<number, number>; readonly first: number }
  >();
  for (let row = 1; row < rows; row++) {
    const is = kind[row] as number;
    const key =
      is === Kind.text ? Math.imul(name[parent[row] as number] as number, PRIME) : (name[row] as number);
    if (key === 0 || is === Kind.number) continue;
    let column = columns.get(key);
    if (column === undefined) {
      if (columns.size >= MOST_NAMES) continue;
      column = { count: 0, values: new Map(), last: new Map(), first: row };
      columns.set(key, column);
    }
    column.count++;
    if (column.values === null) continue;
    const value = (hash[row] as number) ^ is;
    const seen = column.values.get(value) ?? 0;
    if (seen === 0 && column.values.size >= MOST_VALUES) {
      column.values = null;
      column.last.clear();
      continue;
    }
    column.values.set(value, seen + 1);
    if (seen === 0) column.last.set(value, row);
    else column.last.delete(value);
  }
  for (const { count, values, last, first } of columns.values()) {
    // A name that only one of many elements or records alike has.
    const above = columns.get(name[parent[first] as number] as number)?.count ?? 0;
    if (count === 1 && above >= RARE_AMONG) rare[first] = 1;
    if (values !== null && count >= RARE_AMONG && values.size * 4 <= count)
      for (const row of last.values()) rare[row] = 1;
  }
  for (let row = rows - 1; row > 0; row--) if ((rare[row] as number) > 0) rare[parent[row] as number] = 1;
  return rare;
}
