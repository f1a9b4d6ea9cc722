/**
 * Both ends of a text: `head`, `tail`, `head_tail`, `size_limit` and `lines` differ in how they
 * share the room and where cuts may fall. Units: chars (UTF-16) and lines as shown; spans are
 * ranges of the table's buffer.
 */
import { type Extent, NOTHING } from '../model/extent.ts';
import type { Policy } from '../model/policy.ts';
import type { Share } from '../model/strategy.ts';
import type { LineTable } from '../table/line-table.ts';
import type { KeptSpan } from '../table/table-cover.ts';
import { Ruler } from '../text/ruler.ts';
import { type Edge, fitHead, fitTail, type Run } from './edges.ts';

/** Cuts may move by this share of the body to fall on a line end. */
const SNAP_SLACK = 0.02;

/** Both are the whole text if it is short. */
export interface TextEnds {
  readonly total: Extent;
  readonly lines: number;
  readonly runs: readonly [Run, Run];
}

export interface EndRule {
  readonly headRatio: number;
  readonly edge: Edge;
}

export const END_RULES: Readonly<Record<string, (policy: Policy) => EndRule>> = {
  head: ({ snap }) => ({ headRatio: 1, edge: snap }),
  tail: ({ snap }) => ({ headRatio: 0, edge: snap }),
  head_tail: ({ headRatio, snap }) => ({ headRatio, edge: snap }),
  size_limit: () => ({ headRatio: 1, edge: 'word' }),
  lines: ({ headRatio }) => ({ headRatio, edge: 'whole_line' }),
};

/** A char is at most three bytes. */
export function endsOf(table: LineTable, reachChars: number): TextEnds {
  const reach = reachChars * 3 + 256;
  const { clean, isOpen } = table.totals;
  const lines = clean.breaks + (isOpen ? 1 : 0);
  const head = headRow(table, reach);
  const tail = tailRow(table, reach);
  if (table.rows === 0 || (tail <= head + 1 && !table.isPruned)) {
    const whole = runOf(table, 0, table.rows - 1, NOTHING);
    return { total: clean, lines, runs: [whole, whole] };
  }
  const start = { bytes: clean.bytes, chars: clean.chars, breaks: clean.breaks };
  for (let row = tail; row < table.rows; row++) {
    start.bytes -= (table.to[row] as number) - (table.from[row] as number);
    start.chars -= table.chars[row] as number;
    start.breaks -= table.ending[row] === 0 ? 0 : 1;
  }
  return {
    total: clean,
    lines,
    runs: [runOf(table, 0, head, NOTHING), runOf(table, tail, table.rows - 1, start)],
  };
}

/** The head gets `headRatio` of the body, the tail the rest, each within its own line limit. */
export function endSpans(
  ends: TextEnds,
  share: Share,
  policy: Policy,
  { headRatio, edge }: EndRule,
): KeptSpan[] {
  const { total, runs } = ends;
  const [headRun, tailRun] = runs;
  if (total.chars <= share.chars && ends.lines <= share.lines)
    return total.bytes === 0 ? [] : [{ start: 0, end: tailRun.base + tailRun.bytes.length }];
  const chars = Math.max(0, share.chars - share.gap.chars);
  const lines = Math.max(0, share.lines - share.gap.lines);
  const slack = Math.floor(chars * SNAP_SLACK);
  const headRoom = {
    chars: Math.floor(chars * headRatio),
    lines: Math.min(Math.floor(lines * headRatio), policy.headLines ?? lines),
  };
  const beginning = fitHead(headRun, headRoom, edge, slack);
  const tailRoom = {
    chars: headRatio === 1 ? 0 : chars - beginning.chars,
    lines: Math.min(lines - beginning.lines, policy.tailLines ?? lines),
  };
  const end = fitTail(tailRun, total, tailRoom, edge, slack);
  const tailFrom = tailRun.base + end.bytes - tailRun.start.bytes;
  return [
    { start: 0, end: beginning.bytes },
    { start: Math.max(tailFrom, beginning.bytes), end: tailRun.base + tailRun.bytes.length },
  ].filter((span) => span.end > span.start);
}

function headRow(table: LineTable, reach: number): number {
  let row = 0;
  while (row + 1 < table.rows && (table.to[row] as number) < reach && table.isNext(row)) row++;
  return row;
}

function tailRow(table: LineTable, reach: number): number {
  const last = table.rows - 1;
  let row = Math.max(0, last);
  const end = last < 0 ? 0 : (table.to[last] as number);
  while (row > 0 && end - (table.from[row] as number) < reach && table.isNext(row - 1)) row--;
  return row;
}

function runOf(table: LineTable, first: number, last: number, start: Extent): Run {
  const base = last < 0 ? 0 : (table.from[first] as number);
  const bytes = table.bytes.subarray(base, last < 0 ? 0 : table.to[last]);
  return { start, bytes, base, ruler: new Ruler(bytes) };
}
