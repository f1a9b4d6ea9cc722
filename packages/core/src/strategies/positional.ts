/**
 * The strategies that keep a beginning, an end, or both: `head`, `tail` and `head_tail` differ only in how they share out what they
 * may show. Cuts move to a line end if one lies within 2 % of the body, otherwise they fall at a safe boundary inside the line.
 * Units: shares are chars (UTF-16) and lines of the text as shown; positions are bytes of the part.
 */
import { type ByteRange, type Extent, sum } from '../model/extent.ts';
import type { Policy } from '../model/policy.ts';
import type { Selection } from '../model/selection.ts';
import type { Selector, Share, Strategy } from '../model/strategy.ts';
import { cutAfter, cutBefore, isLineStart, lineEndBefore, lineStartAfter } from '../text/cut.ts';
import { advance, measure, placeOfChar } from '../text/utf8.ts';
import { Ends, type Run } from './ends.ts';

/** Cuts may move by this share of the body to fall on a line end. */
const SNAP_SLACK = 0.02;
/** A char is at most three bytes; the margin is what a safe cut looks at beyond the limit. */
const BYTES_PER_CHAR = 3;
const MARGIN_BYTES = 256;

export const headTail: Strategy = positional('head_tail', (policy) => policy.headRatio);

function positional(name: string, headRatio: (policy: Policy) => number): Strategy {
  return {
    name,
    start(policy, reachChars): Selector {
      const ends = new Ends(reachChars * BYTES_PER_CHAR + MARGIN_BYTES);
      return {
        push: (piece) => ends.push(piece),
        bytes: (range: ByteRange) => ends.bytes(range),
        select: (share) => selectEnds(ends, share, headRatio(policy), policy),
      };
    },
  };
}

type Room = Pick<Share, 'chars' | 'lines'>;

function selectEnds(ends: Ends, share: Share, headRatio: number, policy: Policy): Selection {
  const { total } = ends;
  const [headRun, tailRun] = ends.runs;
  const totalLines = total.breaks + (endsOpen(tailRun) ? 1 : 0);
  if (total.chars <= share.chars && totalLines <= share.lines) {
    return total.bytes === 0
      ? []
      : [{ kind: 'keep', start: 0, end: total.bytes, chars: total.chars, lines: totalLines }];
  }
  const body = {
    chars: Math.max(0, share.chars - share.gap.chars),
    lines: Math.max(0, share.lines - share.gap.lines),
  };
  const slack = policy.snap === 'line' ? Math.floor(body.chars * SNAP_SLACK) : 0;
  const head = fitHead(
    headRun,
    {
      chars: Math.floor(body.chars * headRatio),
      lines: Math.min(Math.floor(body.lines * headRatio), policy.headLines ?? Number.POSITIVE_INFINITY),
    },
    slack,
  );
  const headLines = head.breaks + (head.bytes > 0 && !isLineStart(headRun.bytes, head.bytes) ? 1 : 0);
  const tail = fitTail(
    tailRun,
    total,
    {
      chars: body.chars - head.chars,
      lines: Math.min(body.lines - headLines, policy.tailLines ?? Number.POSITIVE_INFINITY),
    },
    slack,
  );
  const endedLines = tail.bytes < total.bytes ? tail.breaks : totalLines;
  const omittedLines = Math.max(0, endedLines - headLines);
  const opensLine = tail.bytes < total.bytes && !isLineStart(tailRun.bytes, tail.bytes - tailRun.start.bytes);
  const segments: Selection = [
    { kind: 'keep', start: 0, end: head.bytes, chars: head.chars, lines: headLines },
    {
      kind: 'omit',
      start: head.bytes,
      end: tail.bytes,
      chars: tail.chars - head.chars,
      lines: omittedLines,
      firstLine: head.breaks + 1,
      lastLine: endedLines + (opensLine ? 1 : 0),
    },
    {
      kind: 'keep',
      start: tail.bytes,
      end: total.bytes,
      chars: total.chars - tail.chars,
      lines: totalLines - headLines - omittedLines,
    },
  ];
  return segments.filter((segment) => segment.end > segment.start);
}

/** How far the beginning reaches, as an extent from the part's start. */
function fitHead(run: Run, room: Room, slack: number): Extent {
  const reached = advance(run.bytes, 0, room.chars, room.lines);
  if (reached.bytes === 0 || reached.bytes >= run.bytes.length || isLineStart(run.bytes, reached.bytes))
    return reached;
  const nearest = advance(run.bytes, 0, Math.max(0, reached.chars - slack)).bytes;
  const end = lineEndBefore(run.bytes, nearest, reached.bytes) ?? cutBefore(run.bytes, reached.bytes);
  return measure(run.bytes, 0, end);
}

/** Where the end begins, as an extent from the part's start: `total` when nothing of it fits. */
function fitTail(run: Run, total: Extent, room: Room, slack: number): Extent {
  if (room.lines <= 0 || room.chars <= 0) return total;
  const skipChars = Math.max(0, total.chars - room.chars - run.start.chars);
  let start = placeOfChar(run.bytes, skipChars);
  const firstLine = total.breaks + (endsOpen(run) ? 1 : 0) - room.lines;
  if (firstLine > run.start.breaks)
    start = Math.max(
      start,
      advance(run.bytes, 0, Number.POSITIVE_INFINITY, firstLine - run.start.breaks).bytes,
    );
  if (start > 0 && start < run.bytes.length && !isLineStart(run.bytes, start)) {
    const farthest = start + advance(run.bytes, start, slack).bytes;
    start = lineStartAfter(run.bytes, start, farthest) ?? cutAfter(run.bytes, start);
  }
  return sum(run.start, measure(run.bytes, 0, start));
}

/** Whether the last line has no line end. */
function endsOpen(run: Run): boolean {
  return run.bytes.length > 0 && !isLineStart(run.bytes, run.bytes.length);
}
