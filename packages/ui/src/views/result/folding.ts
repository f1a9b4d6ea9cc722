/** Which rows a part has: folded with its gaps, or whole. Opened gaps show their first lines. */
import type { PartRow, PartView } from '../../../../spillway/src/inspector/api.ts';
import { type Gap, type LineState, ROW_CHARS, type Run, rowOfChar } from '../../log/row-list.ts';

/** What a projection shows of a part; in rows of chars a gap tells where exactly it begins. */
export interface ShownView extends Omit<PartView, 'runs'> {
  readonly runs: readonly (PartView['runs'][number] & { readonly first_char?: number })[];
}

/** A longer gap opens by this many lines, and then by more on demand. */
const OPENED_LINES = 100;
const OPENED_WHOLE = 200;
const MORE_LINES = 1_000;

/** A part as it is read: by lines, or in rows of chars. `lines` counts what it is read by. */
export function readBy(part: PartRow, asked: string | null = null): PartRow {
  const by = asked === 'chars' || asked === 'lines' ? asked : part.by;
  return by === 'chars' ? { ...part, by, lines: rowOfChar(part.chars) } : { ...part, by };
}

/** What a projection shows of a part, in the unit that the part is read by. */
export function viewFor(part: PartRow | undefined, views: readonly PartView[] = []): ShownView | undefined {
  const view = views.find((each) => each.part === part?.index);
  return part?.by === 'chars' ? byChars(view, part.chars) : view;
}

/**
 * A view in rows of chars: a row is kept if the model was shown any of it. Gaps that are smaller
 * than a row are marked inside it.
 */
function byChars(view: PartView | undefined, chars: number): ShownView | undefined {
  if (!view) return undefined;
  const runs: ShownView['runs'][number][] = [];
  const rows = rowOfChar(chars);
  let next = 1;
  const kept = (last: number) => {
    if (last >= next) runs.push({ kept: true, first_line: next, last_line: last, chars: 0, bytes: 0 });
    next = Math.max(next, last + 1);
  };
  for (const { first_char, last_char } of view.gaps) {
    const first = rowOfChar(first_char + ROW_CHARS - 1);
    const last = last_char >= chars ? rows : Math.floor(last_char / ROW_CHARS);
    if (first > last) continue;
    kept(first - 1);
    const size = last_char - first_char + 1;
    runs.push({ kept: false, first_line: first, last_line: last, chars: size, bytes: size, first_char });
    next = last + 1;
  }
  kept(rows);
  return { ...view, lines: rows, runs };
}

/** Lines that are shown of open gaps, by the first line of the gap. */
export type OpenGaps = ReadonlyMap<number, number>;

export function foldedRuns(view: ShownView | undefined, lines: number, open: OpenGaps): Run[] {
  if (!view) return wholeRuns(view, lines);
  return view.runs.flatMap((run): Run[] => {
    const { first_line: firstLine, last_line: lastLine, chars, bytes } = run;
    if (run.kept) return [{ kind: 'lines', firstLine, lastLine, state: 'kept' }];
    const gap: Gap = { firstLine, lastLine, chars, bytes, firstChar: run.first_char };
    const shown = open.get(firstLine) ?? 0;
    const row: Run = { kind: 'gap', gap, isOpen: shown > 0 };
    if (shown === 0) return [row];
    const last = Math.min(lastLine, firstLine + shown - 1);
    const opened: Run = { kind: 'lines', firstLine, lastLine: last, state: 'out' };
    return last === lastLine ? [row, opened] : [row, opened, { kind: 'more', gap, firstLine: last + 1 }];
  });
}

export function wholeRuns(view: ShownView | undefined, lines: number): Run[] {
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
export function allToggled(open: OpenGaps, view: ShownView | undefined): OpenGaps {
  if (open.size > 0 || !view) return new Map();
  const gaps = view.runs.filter(({ kept }) => !kept);
  return new Map(gaps.map((gap) => [gap.first_line, gap.last_line - gap.first_line + 1]));
}

/** Opens the gap that hides a line far enough to show it. */
export function revealed(open: OpenGaps, view: ShownView | undefined, line: number): OpenGaps {
  const gap = view?.runs.find((run) => !run.kept && line >= run.first_line && line <= run.last_line);
  if (!gap) return open;
  const needed = line - gap.first_line + 1;
  if ((open.get(gap.first_line) ?? 0) >= needed) return open;
  const lines = gap.last_line - gap.first_line + 1;
  return new Map(open).set(gap.first_line, Math.min(lines, Math.max(OPENED_LINES, needed + OPENED_LINES)));
}
