/**
 * Puts whole lines, or the beginnings of long ones, into the gaps of a selection: a gap becomes
 * what is left of it before and behind them. Invariant: the selection still covers the part
 * exactly, in bytes, chars and lines.
 */
import type { Omit, OmittedThings, Segment, Selection } from '../../model/selection.ts';
import type { KeptRun } from './kept.ts';

/** A line that is to be shown. */
interface Shown {
  readonly run: KeptRun;
}

/** A gap, with the chars of the part before it. */
interface Gap extends Omit {
  readonly firstChar: number;
  /** Whether part of its first line is shown before it. */
  readonly isCut: boolean;
}

/**
 * `lines`: in order, each inside a gap. `beginsLine`: whether a line begins at the place where a
 * gap does.
 */
export function withLines(
  selection: Selection,
  lines: readonly Shown[],
  beginsLine: (offset: number) => boolean,
): Selection {
  let chars = 0;
  let before: Segment['kind'] | null = null;
  return selection.flatMap((segment) => {
    const firstChar = chars;
    const isCut = before === 'keep' && segment.kind === 'omit' && !beginsLine(segment.start);
    chars += segment.chars;
    before = segment.kind;
    if (segment.kind !== 'omit') return [segment];
    const inside = lines.filter(({ run }) => isInside(run, segment));
    return inside.length === 0 ? [segment] : split({ ...segment, firstChar, isCut }, inside);
  });
}

function isInside({ start, end }: KeptRun, gap: Omit): boolean {
  return start.bytes >= gap.start && end.bytes <= gap.end;
}

function split(gap: Gap, inside: readonly Shown[]): Segment[] {
  const segments: Segment[] = [];
  let rest: Gap = gap;
  for (const { run } of inside) {
    const { start, end } = run;
    const whole = end.breaks - start.breaks;
    const keptLines = Math.max(1, whole);
    const before = Math.max(0, start.breaks + 1 - rest.firstLine - (rest.isCut ? 1 : 0));
    const shown = { start: start.bytes, end: end.bytes, chars: end.chars - start.chars, lines: keptLines };
    if (start.bytes > rest.start) {
      const chars = start.chars - rest.firstChar;
      segments.push(gapOf(rest, { end: start.bytes, chars, lines: before, lastLine: start.breaks }, gap));
    }
    segments.push({ kind: 'keep', ...shown });
    rest = {
      ...rest,
      start: end.bytes,
      chars: rest.firstChar + rest.chars - end.chars,
      lines: rest.lines - before - keptLines,
      firstLine: end.breaks + 1,
      firstChar: end.chars,
      isCut: whole === 0,
    };
  }
  if (rest.end > rest.start) segments.push(gapOf(rest, rest, gap));
  return segments;
}

/**
 * What is left of a gap up to somewhere. Things that are lines are counted anew; other things are
 * counted as lines.
 */
function gapOf(
  { start, firstLine }: Gap,
  { end, chars, lines, lastLine }: Pick<Omit, 'end' | 'chars' | 'lines' | 'lastLine'>,
  { what, unfit, ...gap }: Gap,
): Omit {
  const isUnfit = unfit !== undefined && unfit.line >= firstLine && unfit.line <= lastLine;
  const last = Math.max(firstLine, lastLine);
  return {
    ...{ kind: 'omit', start, end, chars, lines, firstLine, lastLine: last },
    ...(what === undefined || !areLines(what, gap.lines) || lines === 0
      ? {}
      : { what: { ...what, count: lines } }),
    ...(isUnfit ? { unfit } : {}),
  };
}

/** Whether the things that were left out are lines, but for a few that were found among them. */
function areLines({ count, slot, of }: OmittedThings, lines: number): boolean {
  return slot === undefined && of === undefined && Math.abs(lines - count) <= 1;
}
