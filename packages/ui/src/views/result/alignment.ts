/**
 * Which line of the stored text a line of the projection is. Markers and the notice are none. The
 * kept lines come in order, so one walk over both finds them: a line of the projection is the next
 * kept line with the same visible text.
 */
import type { Piece } from '../../log/visible.ts';

/** How many kept lines may be passed over: what the projection joined or shortened. */
const LOOK_AHEAD = 400;

export interface KeptLine {
  readonly line: number;
  readonly text: string;
}

/** For each line of the projection the stored line, or undefined. */
export function aligned(projected: readonly string[], kept: readonly KeptLine[]): (number | undefined)[] {
  let next = 0;
  return projected.map((text) => {
    const limit = Math.min(kept.length, next + LOOK_AHEAD);
    for (let at = next; at < limit; at += 1) {
      if ((kept[at] as KeptLine).text !== text) continue;
      // An empty line is no evidence for passing over many.
      if (text.trim() === '' && at > next) return undefined;
      next = at + 1;
      return (kept[at] as KeptLine).line;
    }
    return undefined;
  });
}

/** The text that a person sees: without colours. */
export function visibleText(pieces: readonly Piece[]): string {
  return pieces
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}
