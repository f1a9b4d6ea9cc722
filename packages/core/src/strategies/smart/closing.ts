/**
 * Finds the gaps between runs that cost no more to show than to mark. Closing them never makes a
 * projection longer: the marker was paid for. Units: chars and lines as rendered.
 */
import type { Extent } from '../../model/extent.ts';
import type { Share } from '../../model/strategy.ts';
import type { KeptRun } from './kept.ts';
import { gapPrice } from './pick.ts';

export interface SmallGap {
  readonly from: Extent;
  readonly to: Extent;
}

/** `runs`: in order. */
export function smallGaps(runs: readonly KeptRun[], share: Share): SmallGap[] {
  return runs.flatMap((run, i) => {
    const next = runs[i + 1];
    // What is said again behind a run has a marker of its own.
    if (next === undefined || run.again !== null) return [];
    const gap = { from: run.end, to: next.start };
    return isSmall(gap, share) ? [gap] : [];
  });
}

function isSmall({ from, to }: SmallGap, share: Share): boolean {
  const chars = to.chars - from.chars;
  if (chars <= 0 || chars > gapPrice('middle', from, to, share)) return false;
  // A piece of a line takes no more lines than the line that it belongs to.
  return to.breaks - from.breaks < Math.max(1, share.gap.lines) || !Number.isFinite(share.lines);
}
