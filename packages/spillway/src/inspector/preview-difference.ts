/** Lines that only one of two projections shows, by part. */
import type { LineRun, LineSet, PartView, PreviewDifference } from './api.ts';

/** Ranges that are named; the number of lines counts all. */
const MOST_RANGES = 2_000;

export function differenceOf(a: readonly PartView[], b: readonly PartView[]): PreviewDifference[] {
  return a.flatMap((one) => {
    const other = b.find(({ part }) => part === one.part);
    if (other === undefined) return [];
    return [{ part: one.part, only_a: onlyIn(one.runs, other.runs), only_b: onlyIn(other.runs, one.runs) }];
  });
}

function onlyIn(runs: readonly LineRun[], others: readonly LineRun[]): LineSet {
  const hidden = others.filter(({ kept }) => !kept);
  const ranges: [number, number][] = [];
  let lines = 0;
  for (const { first_line, last_line } of runs.filter(({ kept }) => kept)) {
    for (const gap of hidden) {
      const [first, last] = [Math.max(first_line, gap.first_line), Math.min(last_line, gap.last_line)];
      if (first > last) continue;
      lines += last - first + 1;
      if (ranges.length < MOST_RANGES) ranges.push([first, last]);
    }
  }
  return { lines, ranges };
}
