/**
 * The strategies that keep a beginning, an end, or both: `head`, `tail`, `head_tail` and
 * `size_limit` differ in how they share out what they may show and in where their cuts may fall.
 * Invariant: what is kept and what is left out cover the part exactly. Units: shares are chars
 * (UTF-16) and lines of the text as shown; positions are bytes of the part.
 */
import type { Policy } from '../model/policy.ts';
import type { Selection } from '../model/selection.ts';
import type { Selector, Share, Strategy } from '../model/strategy.ts';
import { type Edge, fitHead, fitTail } from './edges.ts';
import { Ends, linesOf, reachBytes } from './ends.ts';
import type { Evidence } from './smart/own-score.ts';
import { preserving } from './smart/preserving.ts';
import type { WatchesOf } from './smart/watches.ts';

/** Cuts may move by this share of the body to fall on a line end. */
const SNAP_SLACK = 0.02;

interface Position {
  readonly headRatio: (policy: Policy) => number;
  readonly edge: (policy: Policy) => Edge;
}

const bySnap = (policy: Policy): Edge => policy.snap;

/** What tells the positional strategies apart. */
const POSITIONS = {
  head: { headRatio: () => 1, edge: bySnap },
  tail: { headRatio: () => 0, edge: bySnap },
  head_tail: { headRatio: (policy) => policy.headRatio, edge: bySnap },
  size_limit: { headRatio: () => 1, edge: () => 'word' },
} satisfies Readonly<Record<string, Position>>;

/** `head`, `tail`, `head_tail` and `size_limit`. */
export const POSITIONAL: readonly Strategy[] = Object.entries(POSITIONS).map(([name, position]) =>
  positional(name, position),
);

/** `head_tail` by position alone: what is left when another strategy fails. */
export const plainEnds: Strategy = {
  name: 'head_tail',
  start: (policy, reachChars) => ({
    ...positional('head_tail', POSITIONS.head_tail).start(policy, reachChars),
    decidedBy: 'head_tail',
  }),
};

/** The same, with lines that speak of failure kept from their gap. */
export function preservingPositions(watches: WatchesOf, evidence: Evidence): readonly Strategy[] {
  return Object.entries(POSITIONS).map(([name, { headRatio, edge }]) =>
    preserving(
      name,
      watches,
      (policy) => (ends, share) => selectEnds(ends, share, policy, headRatio(policy), edge(policy)),
      { evidence },
    ),
  );
}

function positional(name: string, { headRatio, edge }: Position): Strategy {
  return {
    name,
    start(policy, reachChars): Selector {
      const ends = new Ends(reachBytes(reachChars));
      return {
        push: (piece) => ends.push(piece),
        bytes: (range) => ends.bytes(range),
        select: (share) => selectEnds(ends, share, policy, headRatio(policy), edge(policy)),
      };
    },
  };
}

/**
 * The beginning gets `headRatio` of the body, the end what is left of it; each at most its own
 * number of lines.
 */
export function selectEnds(
  ends: Ends,
  share: Share,
  policy: Policy,
  headRatio: number,
  edge: Edge,
): Selection {
  const { total } = ends;
  const [headRun, tailRun] = ends.runs;
  const totalLines = linesOf(ends);
  if (total.chars <= share.chars && totalLines <= share.lines) {
    return total.bytes === 0
      ? []
      : [{ kind: 'keep', start: 0, end: total.bytes, chars: total.chars, lines: totalLines }];
  }
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
  const endedLines = end.bytes < total.bytes ? end.breaks : totalLines;
  const omittedLines = Math.max(0, endedLines - beginning.lines);
  const segments: Selection = [
    { kind: 'keep', start: 0, end: beginning.bytes, chars: beginning.chars, lines: beginning.lines },
    {
      kind: 'omit',
      start: beginning.bytes,
      end: end.bytes,
      chars: end.chars - beginning.chars,
      lines: omittedLines,
      firstLine: beginning.breaks + 1,
      lastLine: endedLines + (end.insideLine ? 1 : 0),
    },
    {
      kind: 'keep',
      start: end.bytes,
      end: total.bytes,
      chars: total.chars - end.chars,
      lines: totalLines - beginning.lines - omittedLines,
    },
  ];
  return segments.filter((segment) => segment.end > segment.start);
}
