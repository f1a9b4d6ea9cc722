/**
 * `reading`: for source files, Markdown, reports and other text that is read rather than searched
 * for failures. Shows both ends, and of the middle the units with most new names for their price,
 * or those the call asks for. A unit is a row, or in a file a block of up to six rows. Text is
 * exact.
 */

import type { Plan } from '../model/plan.ts';
import type { KeptLines } from '../model/strategy.ts';
import { CONTINUED, type LineTable, OPEN } from '../table/line-table.ts';
import type { UnitRanks } from '../table/row-fit.ts';
import { FirstSeen, NameScan } from '../text/name-scan.ts';
import { isBlank } from '../text/numbered-blank.ts';
import type { Query } from '../text/query.ts';
import { linesOfRows } from './reasons.ts';

/** Share of the room for the beginning. */
const TOP = 0.15;
/**
 * The price of a gap in chars, the worth of a char without names, and the share of the end.
 * Commands report at their end how they went.
 */
const RULES = {
  blocks: { gap: 100, base: 0.005, bottom: 0.1 },
  lines: { gap: 60, base: 0.002, bottom: 0.2 },
} as const;
const SEGMENT_GAP = 60;
const BLOCK_ROWS = 6;
/** The bonus for being asked for: per name, and by itself. */
const ASKED = { names: 1, alone: 1 };
const BLANK_FACTOR = 0.2;
/** The bonus of a heading. */
const HEADING = 2;
const DEEPEST_HEADING = 4;
/** If less of the room is used, plain ends are better. */
const LEAST_USED = 0.5;
/** With fewer names there is nothing to choose by. */
const LEAST_NAMES = 3;

export type UnitShape = keyof typeof RULES;

interface ReadingUnit {
  readonly first: number;
  readonly last: number;
  readonly chars: number;
  readonly isSegment: boolean;
  readonly isBlank: boolean;
  readonly isHeading: boolean;
  /** Each name once, and their weight. */
  readonly names: readonly number[];
  readonly weights: readonly number[];
}

/** `plan`: what rows count, and what is shown with them. */
export function rankReading(
  table: LineTable,
  shape: UnitShape,
  query: Query,
  plan: Pick<Plan, 'rest' | 'with'> = {},
): ReadingRanks {
  const names = new UnitNames();
  const rules = RULES[shape];
  const units = rowsOfUnits(table, shape).map(([first, last]) => unitOf(table, first, last, names));
  const asked = query.relevance(
    units.map(({ first, last }) => table.bytes.subarray(table.from[first], table.to[last])),
  );
  const factorOf = ({ first, isBlank }: ReadingUnit) =>
    (isBlank ? BLANK_FACTOR : 1) * (plan.rest?.(first) ?? 1);
  return {
    units: units.map((unit, i) => {
      const wanted = asked[i] ?? 0;
      const worth = ASKED.alone * wanted + rules.base * unit.chars + (unit.isHeading ? HEADING : 0);
      return {
        ...unit,
        worth: factorOf(unit) * worth,
        perName: factorOf(unit) * (1 + ASKED.names * wanted),
        with: plan.with?.(unit.first),
        gapChars: unit.isSegment ? Math.min(SEGMENT_GAP, rules.gap) : rules.gap,
      };
    }),
    nameCount: names.count,
    ends: { top: TOP, bottom: rules.bottom },
    asked,
  };
}

/** Then plain ends show more. */
export function saysLittle({ nameCount }: ReadingRanks, leftChars: number, roomChars: number): boolean {
  return leftChars > roomChars * (1 - LEAST_USED) || nameCount < LEAST_NAMES;
}

export interface ReadingRanks extends UnitRanks {
  readonly asked: Float64Array;
}

/** By position, by request, or by names. */
export function readingReasons(
  table: LineTable,
  { units, asked }: ReadingRanks,
  chosen: ArrayLike<number>,
): KeptLines[] {
  const unitOf = new Uint32Array(table.rows);
  for (const [unit, { first, last }] of units.entries()) unitOf.fill(unit, first, last + 1);
  return table.runsOf(chosen).map(([first, last]) => {
    const inside = [...new Set(unitOf.subarray(first, last + 1))];
    const wanted = Math.max(0, ...inside.map((unit) => asked[unit] ?? 0));
    const names = inside.flatMap((unit) => units[unit]?.weights ?? []).reduce((sum, each) => sum + each, 0);
    const isEnd = first === 0 || last === table.rows - 1;
    return {
      ...linesOfRows(table, first, last),
      causes: [
        ...(isEnd ? [{ cause: 'position', score: 1 }] : []),
        ...(wanted > 0 ? [{ cause: 'asked for', score: rounded(wanted) }] : []),
        ...(isEnd ? [] : [{ cause: 'names', score: rounded(names) }]),
      ],
    };
  });
}

/** When rows of a long text are dropped: the new names they bring. */
export function worthOfRows(table: LineTable, query: Query): Float32Array {
  const names = new FirstSeen();
  const worth = new Float32Array(table.rows);
  for (let row = 0; row < table.rows; row++) {
    const from = table.from[row] as number;
    const to = table.to[row] as number;
    const sum = names.add(table.bytes, from, to, query.worthOf(table.bytes, from, to));
    worth[row] = sum / ((table.chars[row] as number) + SEGMENT_GAP);
  }
  return worth;
}

function rowsOfUnits(table: LineTable, shape: UnitShape): [number, number][] {
  const units: [number, number][] = [];
  const isWhole = (row: number) => ((table.flags[row] as number) & (OPEN | CONTINUED)) === 0;
  for (let first = 0; first < table.rows; ) {
    let last = first;
    if (shape === 'blocks' && isWhole(first))
      while (
        last + 1 < table.rows &&
        last - first + 1 < BLOCK_ROWS &&
        !isBlankRow(table, last) &&
        isWhole(last + 1) &&
        table.isNext(last)
      )
        last++;
    units.push([first, last]);
    first = last + 1;
  }
  return units;
}

function unitOf(table: LineTable, first: number, last: number, names: UnitNames): ReadingUnit {
  const from = table.from[first] as number;
  const to = table.to[last] as number;
  let chars = 0;
  for (let row = first; row <= last; row++) chars += table.chars[row] as number;
  return {
    first,
    last,
    chars,
    isSegment: ((table.flags[first] as number) & (OPEN | CONTINUED)) !== 0,
    isBlank: isBlank(table.bytes, from, to),
    isHeading: isHeading(table, first, last),
    ...names.of(table.bytes, from, to),
  };
}

function isBlankRow(table: LineTable, row: number): boolean {
  return isBlank(table.bytes, table.from[row] as number, table.to[row] as number);
}

/** `## Usage`, followed by blank rows only. */
function isHeading(table: LineTable, first: number, last: number): boolean {
  const from = table.from[first] as number;
  let level = 0;
  while (table.bytes[from + level] === 0x23) level++;
  if (level === 0 || level > DEEPEST_HEADING || table.bytes[from + level] !== 0x20) return false;
  for (let row = first + 1; row <= last; row++) if (!isBlankRow(table, row)) return false;
  return true;
}

/** Numbers the names of one text. */
class UnitNames {
  readonly #scan = new NameScan();
  readonly #numbers = new Map<number, number>();
  /** The unit that held a name last, and its position there. */
  readonly #lastIn: number[] = [];
  readonly #lastAt: number[] = [];
  #unit = 0;

  get count(): number {
    return this.#numbers.size;
  }

  of(bytes: Uint8Array, from: number, to: number): Pick<ReadingUnit, 'names' | 'weights'> {
    this.#scan.scan(bytes, from, to);
    const { hashes, weights: found, count } = this.#scan;
    const names: number[] = [];
    const weights: number[] = [];
    this.#unit++;
    for (let i = 0; i < count; i++) {
      const hash = hashes[i] as number;
      let number = this.#numbers.get(hash);
      if (number === undefined) {
        number = this.#numbers.size;
        this.#numbers.set(hash, number);
      }
      const weight = found[i] as number;
      if (this.#lastIn[number] === this.#unit) {
        const at = this.#lastAt[number] as number;
        weights[at] = Math.max(weights[at] as number, weight);
        continue;
      }
      this.#lastIn[number] = this.#unit;
      this.#lastAt[number] = names.length;
      names.push(number);
      weights.push(weight);
    }
    return { names, weights };
  }
}

function rounded(score: number): number {
  return Math.round(score * 10) / 10;
}
