/** What only one of two projections shows, by part: in lines, and in chars. */
import type { LineSet, PartView, PreviewDifference } from './api.ts';

/** Ranges that are named; the numbers count all. */
const MOST_RANGES = 2_000;

type Range = readonly [first: number, last: number];

export function differenceOf(a: readonly PartView[], b: readonly PartView[]): PreviewDifference[] {
  return a.flatMap((one) => {
    const other = b.find(({ part }) => part === one.part);
    if (other === undefined) return [];
    return [{ part: one.part, only_a: onlyIn(one, other), only_b: onlyIn(other, one) }];
  });
}

/** What the other leaves out and this one does not. */
function onlyIn(one: PartView, other: PartView): LineSet {
  const lines = without(hiddenLines(other), hiddenLines(one));
  const chars = without(hiddenChars(other), hiddenChars(one));
  return {
    lines: sizeOf(lines),
    chars: sizeOf(chars),
    ranges: lines.slice(0, MOST_RANGES),
    char_ranges: chars.slice(0, MOST_RANGES),
  };
}

function hiddenLines({ runs }: PartView): Range[] {
  return runs.flatMap(({ kept, first_line, last_line }) => (kept ? [] : [[first_line, last_line] as const]));
}

function hiddenChars({ gaps }: PartView): Range[] {
  return gaps.map(({ first_char, last_char }) => [first_char, last_char]);
}

/** Sorted ranges without what others cover. */
function without(ranges: readonly Range[], others: readonly Range[]): Range[] {
  const left: Range[] = [];
  let at = 0;
  for (const [first, last] of ranges) {
    let from = first;
    while (at < others.length && (others[at] as Range)[1] < first) at++;
    for (let i = at; i < others.length && (others[i] as Range)[0] <= last; i++) {
      const [begin, end] = others[i] as Range;
      if (begin > from) left.push([from, begin - 1]);
      from = Math.max(from, end + 1);
    }
    if (from <= last) left.push([from, last]);
  }
  return left;
}

function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
