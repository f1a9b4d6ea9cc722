/** Folding and unfolding gaps. */
import { describe, expect, it } from 'vitest';
import { allToggled, foldedRuns, revealed, toggled, withMore } from '../src/views/result/folding.ts';

const run = (kept: boolean, first_line: number, last_line: number) => ({
  kept,
  first_line,
  last_line,
  chars: 9,
  bytes: 9,
});
const view = {
  part: 0,
  lines: 2_000,
  kept_lines: 20,
  gaps: [],
  runs: [run(true, 1, 10), run(false, 11, 1_990), run(true, 1_991, 2_000)],
};
const gap = { firstLine: 11, lastLine: 1_990, chars: 9, bytes: 9 };
const kinds = (open: ReadonlyMap<number, number>) => foldedRuns(view, 2_000, open).map(({ kind }) => kind);

describe('a gap', () => {
  it('is one row until it is opened, then shows its first lines and how to see more', () => {
    expect(kinds(new Map())).toEqual(['lines', 'gap', 'lines']);
    const open = toggled(new Map(), gap);
    expect(kinds(open)).toEqual(['lines', 'gap', 'lines', 'more', 'lines']);
    expect(open.get(11)).toBe(100);
    expect(withMore(open, gap).get(11)).toBe(1_100);
    expect(kinds(toggled(open, gap))).toEqual(['lines', 'gap', 'lines']);
  });

  it('opens far enough for a line that somebody looks for', () => {
    expect(revealed(new Map(), view, 1_500).get(11)).toBeGreaterThanOrEqual(1_490);
    expect(revealed(new Map(), view, 5).size).toBe(0);
  });

  it('opens with all others, and closes with them', () => {
    const open = allToggled(new Map(), view);
    expect(kinds(open)).toEqual(['lines', 'gap', 'lines', 'lines']);
    expect(allToggled(open, view).size).toBe(0);
  });
});
