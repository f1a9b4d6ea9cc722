/** Which rows a part has: folded with its gaps, or whole. Opened gaps show their first lines. */
import type { PartView } from '../../../../spillway/src/inspector/api.ts';
import type { Gap, LineState, Run } from '../../log/row-list.ts';

/** A longer gap opens by this many lines, and then by more on demand. */
const OPENED_LINES = 100;
const OPENED_WHOLE = 200;
const MORE_LINES = 1_000;

/** Lines that are shown of open gaps, by the first line of the gap. */
export type OpenGaps = ReadonlyMap<number, number>;

export function foldedRuns(view: PartView | undefined, lines: number, open: OpenGaps): Run[] {
  if (!view) return wholeRuns(view, lines);
  return view.runs.flatMap((run): Run[] => {
    const { first_line: firstLine, last_line: lastLine, chars, bytes } = run;
    if (run.kept) return [{ kind: 'lines', firstLine, lastLine, state: 'kept' }];
    const gap: Gap = { firstLine, lastLine, chars, bytes };
    const shown = open.get(firstLine) ?? 0;
    const row: Run = { kind: 'gap', gap, isOpen: shown > 0 };
    if (shown === 0) return [row];
    const last = Math.min(lastLine, firstLine + shown - 1);
    const opened: Run = { kind: 'lines', firstLine, lastLine: last, state: 'out' };
    return last === lastLine ? [row, opened] : [row, opened, { kind: 'more', gap, firstLine: last + 1 }];
  });
}

export function wholeRuns(view: PartView | undefined, lines: number): Run[] {
  if (lines === 0) return [];
  if (!view) return [{ kind: 'lines', firstLine: 1, lastLine: lines, state: 'plain' }];
  return view.runs.map(({ kept, first_line, last_line }) => {
    const state: LineState = kept ? 'kept' : 'out';
    return { kind: 'lines', firstLine: first_line, lastLine: last_line, state };
  });
}

export function toggled(open: OpenGaps, { firstLine, lastLine }: Gap): OpenGaps {
  const next = new Map(open);
  const lines = lastLine - firstLine + 1;
  if (!next.delete(firstLine)) next.set(firstLine, lines <= OPENED_WHOLE ? lines : OPENED_LINES);
  return next;
}

export function withMore(open: OpenGaps, { firstLine }: Gap): OpenGaps {
  return new Map(open).set(firstLine, (open.get(firstLine) ?? 0) + MORE_LINES);
}

/** All gaps open, or none. */
export function allToggled(open: OpenGaps, view: PartView | undefined): OpenGaps {
  if (open.size > 0 || !view) return new Map();
  const gaps = view.runs.filter(({ kept }) => !kept);
  return new Map(gaps.map((gap) => [gap.first_line, gap.last_line - gap.first_line + 1]));
}

/** Opens the gap that hides a line far enough to show it. */
export function revealed(open: OpenGaps, view: PartView | undefined, line: number): OpenGaps {
  const gap = view?.runs.find((run) => !run.kept && line >= run.first_line && line <= run.last_line);
  if (!gap) return open;
  const needed = line - gap.first_line + 1;
  if ((open.get(gap.first_line) ?? 0) >= needed) return open;
  const lines = gap.last_line - gap.first_line + 1;
  return new Map(open).set(gap.first_line, Math.min(lines, Math.max(OPENED_LINES, needed + OPENED_LINES)));
}
