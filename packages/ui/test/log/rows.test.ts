/** Rows of a log: lines and gaps, folded or open, found by position, by number and by line. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rows, type Run } from '../../src/log/rows.ts';

const run = (kept: boolean, first_line: number, last_line: number): Run => {
  return { kept, first_line, last_line, chars: 9, bytes: 9 };
};
const rowsOf = (runs: readonly Run[], open: ReadonlyMap<number, number> | null = new Map()) =>
  new Rows(runs, open, 18, 30);
const kinds = (rows: Rows) => Array.from({ length: rows.count }, (_, row) => rows.at(row)?.kind);

describe('the rows of a folded log', () => {
  const runs = [run(true, 1, 3), run(false, 4, 1_000_000), run(true, 1_000_001, 1_000_002)];
  const rows = rowsOf(runs);

  it('count a gap as one row with a height of its own', () => {
    expect([rows.count, rows.height]).toEqual([6, 5 * 18 + 30]);
    expect(rows.at(3)).toMatchObject({ kind: 'gap', line: 4, isOpen: false });
    expect(rows.at(4)).toMatchObject({ kind: 'line', line: 1_000_001 });
    expect(rows.at(6)).toBeUndefined();
    expect(rows.gapRows()).toEqual([3]);
  });

  it('lead from a line in a gap to the row of the gap', () => {
    expect(rows.rowOfLine(500_000)).toBe(3);
    expect(rows.rowOfLine(1_000_002)).toBe(5);
  });

  it('lead from a position to the row that covers it', () => {
    expect([0, 17, 18, 54, 83, 84, 10_000].map((y) => rows.rowAt(y))).toEqual([0, 0, 1, 3, 3, 4, 5]);
  });

  it('show the first lines of an open gap, and how to see more', () => {
    const some = rowsOf(runs, new Map([[4, 2]]));
    expect(kinds(some).slice(3)).toEqual(['gap', 'line', 'line', 'more', 'line', 'line']);
    expect(some.at(6)).toMatchObject({ line: 6, run: { last_line: 1_000_000 } });
    const all = rowsOf(runs, new Map([[4, 999_997]]));
    expect([all.count, all.at(3)?.isOpen]).toEqual([1_000_003, true]);
  });

  it('are its lines alone where all are shown', () => {
    expect(rowsOf(runs, null).count).toBe(1_000_002);
  });
});

describe('any rows', () => {
  const runs = fc
    .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 1_000 })), { minLength: 1, maxLength: 30 })
    .map((parts) => {
      let next = 1;
      return parts.map(([kept, count]) => {
        next += count;
        return run(kept, next - count, next - 1);
      });
    });

  it('are found again from their own position and their own line', () => {
    fc.assert(
      fc.property(runs, fc.nat(), (each, seed) => {
        const rows = rowsOf(each);
        const row = seed % rows.count;
        expect(rows.rowAt(rows.topOf(row))).toBe(row);
        expect(rows.rowAt(rows.topOf(row) + rows.heightOf(row) - 1)).toBe(row);
        expect(rows.rowOfLine(rows.at(row)?.line ?? 0)).toBe(row);
      }),
    );
  });
});
