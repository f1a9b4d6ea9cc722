/** Which lines of its parts a projection shows, as the page draws them. */
import type { OutputRecord, Spillway } from '@spillway/core';
import { readerOf, type ShownProjection } from '@spillway/core/plugin';
import { isShownText, sum } from './rows.ts';

/**
 * Which lines of a part a projection shows: runs that cover all lines, in order. A line of which
 * any part is shown is kept; `gaps` are what was left out, also inside kept lines.
 */
export type PartView = Awaited<ReturnType<typeof partView>>;

/** Parts of which a view is made. */
const MOST_PARTS = 50;

export async function partViews(
  spillway: Spillway,
  record: OutputRecord,
  projection: ShownProjection,
): Promise<PartView[]> {
  const views: PartView[] = [];
  for (const part of await readerOf(spillway).parts(record, MOST_PARTS))
    if (isShownText(part)) views.push(await partView(spillway, record, part.index, projection));
  return views;
}

export async function partView(
  spillway: Spillway,
  record: OutputRecord,
  part: number,
  projection: ShownProjection,
) {
  const { lines, runs, gaps } = await readerOf(spillway).view(record, part, projection);
  const kept = runs.filter(({ kind }) => kind === 'shown');
  return {
    part,
    lines,
    kept_lines: sum(kept, ({ first, last }) => last - first + 1),
    runs: runs.map(({ kind, first, last }) => {
      const own =
        kind === 'left_out' ? gaps.filter((gap) => gap.first_line <= last && gap.last_line >= first) : [];
      return {
        kept: kind === 'shown',
        first_line: first,
        last_line: last,
        chars: sum(own, ({ chars }) => chars),
        bytes: sum(own, ({ bytes }) => bytes.end - bytes.start),
      };
    }),
    gaps: gaps.map(({ first_line, last_line, first_char, last_char }) => ({
      first_line,
      last_line,
      first_char,
      last_char,
    })),
  };
}

/** Tells whether a view shows all of a line. */
export function shownWhole(view: PartView | null): (line: number) => boolean {
  const isShown = shownIn(view);
  return (line) =>
    isShown(line) && !view?.gaps.some(({ first_line, last_line }) => first_line <= line && line <= last_line);
}

/** Tells whether a view shows something of a line; where nothing was projected, nothing was shown. */
export function shownIn(view: PartView | null): (line: number) => boolean {
  const runs = view?.runs ?? [];
  return (line) => {
    let [low, high] = [0, runs.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const run = runs[middle];
      if (run === undefined) return false;
      if (line < run.first_line) high = middle - 1;
      else if (line > run.last_line) low = middle + 1;
      else return run.kept;
    }
    return false;
  };
}
