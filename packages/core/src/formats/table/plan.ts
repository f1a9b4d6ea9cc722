/**
 * What is shown of tables: CSV, TSV, and tables by lines. The header, the first and last records,
 * those with rare values or the largest numbers, then more from both ends. Invariant: records are
 * whole or left out, and no cell is shortened.
 */
import type { Plan, PlanFacts, RowRun } from '../../model/plan.ts';
import { CONTINUED } from '../../table/line-table.ts';
import { type Rows, wholePieces } from '../../table/plan.ts';
import { cellsIn, QuoteTracker } from './cells.ts';
import { type Layout, LOOKED_AT, layoutOf, RULE } from './layout.ts';
import { numbersIn, rareIn } from './odd.ts';

const LARGEST_SHARE = 0.2;
/** Larger records do not end the rows at an end. */
const LARGE_SHARE = 0.25;
/** Lines of a record that are looked at. */
const RECORD_LINES = 20;
/** With fewer records nothing is unusual. */
const FEW_RECORDS = 10;

export function tablePlan(rows: Rows, { detected, policy, enough }: PlanFacts): Plan | null {
  const first = Array.from({ length: Math.min(rows.count, LOOKED_AT) }, (_, row) => rows.text(row));
  const layout = layoutOf(first, detected.detail);
  const runs = layout === null ? null : runsIn(rows, layout);
  if (layout === null || runs === null) return null;
  const [header = [0, 0] as const, ...body] = runs;
  const isRecord = ([row]: RowRun) =>
    rows.text(row).trim() !== '' && !(layout.hasRules && RULE.test(rows.text(row)));
  const records = body.filter(isRecord);
  const cells = records.map((run) => cellsIn(textOf(rows, run), layout));
  if (cells.length >= 4 && cells.filter(({ length }) => length > 1).length * 2 < cells.length) return null;
  const { firstElements, lastElements, salientShare, headRatio } = policy;
  const isSmall = ([first, last]: RowRun) =>
    (rows.table.after[last] as number) - (rows.table.at[first] as number) <= LARGE_SHARE * enough;
  const isFew = records.length < FEW_RECORDS;
  const some = (positions: readonly number[]) => positions.map((at) => records[at] as RowRun);
  const runOf = new Map(runs.flatMap((run) => rowsOf(run).map((row) => [row, run])));
  return {
    ...{ strategy: 'element', why: 'it is a table', isQuoted: false },
    tiers: [
      { pieces: wholePieces([header]) },
      { pieces: wholePieces(body.slice(0, firstElements).concat(body.slice(-lastElements).reverse())) },
      { pieces: wholePieces(isFew ? [] : some(rareIn(cells))), share: salientShare },
      { pieces: wholePieces(isFew ? [] : some(numbersIn(cells).largest)), share: LARGEST_SHARE },
      { pieces: wholePieces(fromEnds(body.filter(isSmall), headRatio)), inOrder: true },
    ],
    with: (row) => [runOf.get(row) ?? [row, row]],
    // After pruning nothing can be counted.
    ...(rows.table.isPruned ? {} : { label: labelsOf(rows, records) }),
  };
}

/** The header, then records and what stands between them. Null if a quoted field is never closed. */
function runsIn(rows: Rows, layout: Layout): RowRun[] | null {
  const { bytes, from, to, ending, flags } = rows.table;
  const quotes = layout.kind === 'delimited' ? new QuoteTracker(layout.delimiter) : null;
  const runs: [number, number][] = [];
  const headerRows = layout.hasRules ? layout.headerLines : 1;
  let isOpen = false;
  for (let row = 0; row < rows.count; row++) {
    // Rows that were dropped may have closed it.
    if (row > 0 && !rows.table.isNext(row - 1)) isOpen = false;
    const isMore = isOpen || ((flags[row] as number) & CONTINUED) !== 0 || (row > 0 && row < headerRows);
    const run = runs.at(-1);
    if (isMore && run !== undefined) run[1] = row;
    else {
      runs.push([row, row]);
      quotes?.endRow();
    }
    quotes?.push(bytes.subarray(from[row], (to[row] as number) - (ending[row] as number)));
    isOpen = quotes?.open === true;
  }
  return runs.length === 0 || (isOpen && !rows.table.isPruned) ? null : runs;
}

function rowsOf([first, last]: RowRun): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function textOf(rows: Rows, run: RowRun): string {
  return rowsOf(run)
    .slice(0, RECORD_LINES)
    .map((row) => rows.text(row))
    .join('\n');
}

/** The head gets `headRatio` of them. */
function fromEnds(runs: readonly RowRun[], headRatio: number): RowRun[] {
  const order: RowRun[] = [];
  let [head, tail] = [0, 0];
  while (head + tail < runs.length)
    order.push(
      (head * (1 - headRatio) <= tail * headRatio ? runs[head++] : runs[runs.length - ++tail]) as RowRun,
    );
  return order;
}

/** `12 rows`, with the numbers by which they can be asked for. */
function labelsOf(rows: Rows, records: readonly RowRun[]): NonNullable<Plan['label']> {
  const before = new Uint32Array(rows.count + 1);
  for (const [row] of records) before[row + 1] = 1;
  for (let row = 0; row < rows.count; row++)
    before[row + 1] = (before[row + 1] as number) + (before[row] as number);
  return (above, below) => {
    const first = before[above + 1] as number;
    const count = (before[below] as number) - first;
    return count === 0
      ? undefined
      : { unit: 'row', count, foundBy: ['rows', `${first + 1}-${first + count}`] };
  };
}
