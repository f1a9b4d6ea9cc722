/**
 * Records of a table that are unlike the others: those with the largest numbers, and those with a
 * value that few have. Records are numbered from 0.
 */
import { spread } from '../../table/plan.ts';
import type { Cells } from './cells.ts';

export const NUMBER = /^[-+$€]?(\d[\d,]*(?:\.\d+)?)(?:%|[KMGTP]i?B?)?$/;
const UNITS: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
const LARGEST = 10;
/** Columns that are looked at, and those of them whose largest numbers are shown. */
export const MOST_COLUMNS = 16;
const MEASURES = 2;
/** A value is rare that so few records have; so many of them are shown. */
const RARE = 0.03;
const MOST_RARE = 32;
/** A column has few values if it has so many for each record. */
const FEW_VALUES = 0.1;

/** Numbers of each list in turn, those of a list spread over it. */
export function inTurns(lists: readonly (readonly number[])[]): number[] {
  const orders = lists.map((list) => spread(list.length).map((at) => list[at] as number));
  const longest = Math.max(0, ...orders.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => orders.flatMap((order) => order[turn] ?? [])).flat();
}

/**
 * Records with the largest numbers, of the columns in which they stand out most and do not merely
 * count on; and whether such numbers fall from the first record to the last.
 */
export function numbersIn(records: readonly Cells[]): { largest: number[]; isRanked: boolean } {
  const columns: { readonly far: number; readonly largest: number[] }[] = [];
  let isRanked = false;
  for (let column = 0; column < MOST_COLUMNS; column++) {
    const values = records.map((cells) => amountIn(cells[column] ?? '', cells[column + 1] ?? ''));
    const numbers = values.filter((value) => !Number.isNaN(value));
    if (numbers.length < 0.8 * records.length || new Set(numbers).size < 0.1 * numbers.length) continue;
    const rising = numbers.filter((value, at) => value >= (numbers[at - 1] ?? value)).length;
    const falling = numbers.filter((value, at) => value <= (numbers[at - 1] ?? value)).length;
    if (falling > 0.95 * numbers.length) isRanked = true;
    else if (rising > 0.97 * numbers.length) continue;
    const order = [...values.keys()].filter((at) => (values[at] as number) > 0);
    const largest = order.sort((a, b) => (values[b] as number) - (values[a] as number)).slice(0, LARGEST);
    const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
    columns.push({ far: (values[largest[0] ?? 0] as number) / mean, largest });
  }
  const measures = columns.sort((a, b) => b.far - a.far).slice(0, MEASURES);
  return { largest: [...new Set(measures.flatMap(({ largest }) => largest))], isRanked };
}

/** `12.5M`, or `12.5` with the unit behind it. */
function amountIn(word: string, next: string): number {
  const digits = NUMBER.exec(word)?.[1];
  if (digits === undefined) return Number.NaN;
  const unit = /^(?:.*\d)?([KMGTP])i?B?$/i.exec(/\d$/.test(word) ? next : word)?.[1]?.toUpperCase();
  return Number(digits.replaceAll(',', '')) * (UNITS[unit ?? ''] ?? 1);
}

/**
 * Records with a value that few have in a column of few values, or with another number of cells;
 * each value once, then again. Values that differ in numbers only are one where there are many.
 */
export function rareIn(records: readonly Cells[]): number[] {
  const columns = Array.from({ length: MOST_COLUMNS }, (_, column) => (cells: Cells) => cells[column]);
  const exact = columns.map((cellOf) => positionsOf(records, cellOf));
  const masked = columns
    .filter((_, column) => !hasFew(exact[column] as Positions, records))
    .map((cellOf) => positionsOf(records, (cells) => cellOf(cells)?.replace(/\d+/g, '0')));
  const lengths = positionsOf(records, ({ length }) => String(length));
  const listsOf = (all: readonly Positions[]) =>
    all
      .filter((values) => values.size > 1 && hasFew(values, records))
      .flatMap((values) => [...values.values()])
      .filter(({ length }) => length <= RARE * records.length)
      .sort((a, b) => a.length - b.length);
  const rare = [exact, [lengths, ...masked]].flatMap((each) => inTurns(listsOf(each)));
  return [...new Set(rare)].slice(0, MOST_RARE);
}

type Positions = ReadonlyMap<string, readonly number[]>;

function positionsOf(records: readonly Cells[], cellOf: (cells: Cells) => string | undefined): Positions {
  const positions = new Map<string, number[]>();
  for (const [at, cells] of records.entries()) {
    const value = cellOf(cells);
    if (value === undefined) continue;
    const known = positions.get(value);
    if (known === undefined) positions.set(value, [at]);
    else known.push(at);
  }
  return positions;
}

function hasFew(values: Positions, { length }: readonly Cells[]): boolean {
  return values.size <= FEW_VALUES * length;
}
