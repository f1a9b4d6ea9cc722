/** Rows of a log: lines and gaps, found by position, by number and by line. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RowList, type Run } from '../../src/log/row-list.ts';

const heights = { line: 18, gap: 30 };
const gap = (firstLine: number, lastLine: number) => ({ firstLine, lastLine, chars: 1, bytes: 1 });
const lines = (firstLine: number, lastLine: number): Run => ({
  kind: 'lines',
  firstLine,
  lastLine,
  state: 'kept',
});

describe('the rows of a folded log', () => {
  const rows = new RowList(
    [lines(1, 3), { kind: 'gap', gap: gap(4, 1_000_000), isOpen: false }, lines(1_000_001, 1_000_002)],
    heights,
  );

  it('count a gap as one row with a height of its own', () => {
    expect([rows.count, rows.height]).toEqual([6, 5 * 18 + 30]);
    expect(rows.at(3)).toMatchObject({ kind: 'gap', gap: { firstLine: 4 } });
    expect(rows.at(4)).toMatchObject({ kind: 'line', line: 1_000_001 });
    expect(rows.at(6)).toBeUndefined();
  });

  it('lead from a line in a gap to the row of the gap', () => {
    expect(rows.rowOfLine(500_000)).toBe(3);
    expect(rows.rowOfLine(1_000_002)).toBe(5);
  });

  it('lead from a position to the row that covers it', () => {
    expect([0, 17, 18, 54, 83, 84, 10_000].map((y) => rows.rowAt(y))).toEqual([0, 0, 1, 3, 3, 4, 5]);
  });
});

describe('any rows', () => {
  const runs = fc
    .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 1_000 })), { minLength: 1, maxLength: 30 })
    .map((parts) => {
      let next = 1;
      return parts.map(([isGap, count]): Run => {
        const first = next;
        next += count;
        return isGap ? { kind: 'gap', gap: gap(first, next - 1), isOpen: false } : lines(first, next - 1);
      });
    });

  it('are found again from their own position and their own line', () => {
    fc.assert(
      fc.property(runs, fc.nat(), (each, seed) => {
        const rows = new RowList(each, heights);
        const row = seed % rows.count;
        expect(rows.rowAt(rows.topOf(row))).toBe(row);
        expect(rows.rowAt(rows.topOf(row) + rows.heightOf(row) - 1)).toBe(row);
        expect(rows.rowOfLine(rows.lineOf(row))).toBe(row);
      }),
    );
  });
});
