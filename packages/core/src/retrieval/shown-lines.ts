/**
 * Which lines of a part a projection shows, as runs that cover all lines. A line of which any part
 * is shown counts as shown. Only the places where segments begin and end are read. Lines count from
 * 1; runs include both ends.
 */
import type { Omission, PartSelection, ProjectionRecord } from '../model/projection.ts';
import type { StoredPartReader } from './stored-parts.ts';

/** Neighbouring lines that fared alike. `formatting`: left out as overwritten, or blank. */
export interface LineRun {
  /** How they fared. */
  readonly kind: 'shown' | 'left_out' | 'formatting';
  /** The first line, from 1. */
  readonly first: number;
  /** The last line. */
  readonly last: number;
}

/** What a projection shows of one part. */
export interface PartView {
  /** Index of the part. */
  readonly part: number;
  /** Lines of the whole part. */
  readonly lines: number;
  /** They cover all lines, in order. */
  readonly runs: readonly LineRun[];
  /** What was left out of it, also inside lines of which something is shown. */
  readonly gaps: readonly Omission[];
}

export async function viewOf(
  reader: StoredPartReader,
  { projection: { metadata }, selections }: Pick<ProjectionRecord, 'projection' | 'selections'>,
): Promise<PartView> {
  const { index, lines } = reader.part;
  const gaps = metadata.omitted.filter(
    ({ part, last_part }) => part <= index && index <= (last_part ?? part),
  );
  const selection = selections.find(({ part, last_part }) => part === index && last_part === undefined);
  const whole: LineRun[] = lines === 0 ? [] : [{ kind: 'shown', first: 1, last: lines }];
  const isElided = selection?.segments.some(([kind]) => kind === 'elide') === true;
  if (gaps.length === 0 && !isElided) return { part: index, lines, runs: whole, gaps };
  if (selection === undefined) return { part: index, lines, runs: withoutSelection(lines, gaps), gaps };
  const runs = runsBetween(lines, await shownRuns(reader, selection));
  return { part: index, lines, runs, gaps };
}

interface Shown {
  readonly first: number;
  readonly last: number;
  readonly afterGap: boolean;
}

async function shownRuns(reader: StoredPartReader, { segments }: PartSelection): Promise<Shown[]> {
  const shown: Shown[] = [];
  let afterGap = false;
  for (const [kind, start, end] of segments) {
    if (kind === 'omit') afterGap = true;
    if (kind !== 'keep') continue;
    const from = await behindLineEnd(reader, start, end);
    if (from >= end) continue;
    shown.push({ first: await reader.lineOf(from), last: await reader.lineOf(end - 1), afterGap });
    afterGap = false;
  }
  if (afterGap) shown.push({ first: reader.part.lines + 1, last: reader.part.lines, afterGap });
  return shown;
}

/** A kept range that begins with a line end shows nothing of that line. */
async function behindLineEnd(reader: StoredPartReader, start: number, end: number): Promise<number> {
  if (start === 0 || (await reader.lineOf(start - 1)) !== (await reader.lineOf(start))) return start;
  let at = start;
  for (; at < end; at++) {
    const piece = await reader.pieceAt(at);
    const byte = piece?.bytes[at - piece.at.bytes];
    if (byte !== 10 && byte !== 13) break;
    if (byte === 10) return at + 1;
  }
  return at;
}

function runsBetween(lines: number, shown: readonly Shown[]): LineRun[] {
  const runs: LineRun[] = [];
  let next = 1;
  for (const { first, last, afterGap } of shown) {
    if (first > next) runs.push({ kind: afterGap ? 'left_out' : 'formatting', first: next, last: first - 1 });
    const from = Math.max(first, next);
    const before = runs.at(-1);
    if (before?.kind === 'shown' && from <= before.last + 1 && last > before.last)
      runs[runs.length - 1] = { ...before, last };
    else if (last >= from) runs.push({ kind: 'shown', first: from, last });
    next = Math.max(next, last + 1);
  }
  if (next <= lines) runs.push({ kind: 'formatting', first: next, last: lines });
  return runs;
}

/** Without segments, lines that a gap touches count as left out. */
function withoutSelection(lines: number, gaps: readonly Omission[]): LineRun[] {
  const runs: LineRun[] = [];
  let next = 1;
  for (const { first_line, last_line, last_part, part } of gaps) {
    if (last_part !== undefined && last_part !== part) return [{ kind: 'left_out', first: 1, last: lines }];
    if (first_line > next) runs.push({ kind: 'shown', first: next, last: first_line - 1 });
    runs.push({ kind: 'left_out', first: Math.max(next, first_line), last: last_line });
    next = last_line + 1;
  }
  if (next <= lines) runs.push({ kind: 'shown', first: next, last: lines });
  return runs;
}
