/**
 * Which sections of a quiet part are shown by their first lines: as many as fit, evenly spread over
 * those that are not shown anyway. Units: chars as rendered.
 */

import { type EmbeddedBlock, holds } from './open-block.ts';
import type { SalientLine } from './salient-line.ts';

/** The first lines of a section. */
export interface SampledSection {
  readonly heading: SalientLine;
  readonly next: SalientLine | null;
}

/** All sections, and the blocks whose lines are not shown one by one. */
interface Sampled {
  readonly samples: readonly SampledSection[];
  readonly blocks: readonly EmbeddedBlock[];
}

/**
 * The headings of sections that are not shown already, as many as fit and evenly spread; then,
 * while there is room, the lines that follow them.
 */
export function sectionLines(
  { samples, blocks }: Sampled,
  shown: ReadonlySet<number>,
  room: number,
  marker: number,
): { readonly line: SalientLine; readonly cost: number }[] {
  const hidden = samples.filter(
    ({ heading: { index } }) => !shown.has(index) && !blocks.some((block) => holds(block, index)),
  );
  const chosen = evenly(hidden, (some) => costOf(some, marker) <= room);
  let left = room - costOf(chosen, marker);
  return chosen.flatMap(({ heading, next }) => {
    const first = { line: heading, cost: heading.shown + marker };
    if (next === null || next.shown > left || shown.has(next.index)) return [first];
    left -= next.shown;
    return [first, { line: next, cost: next.shown }];
  });
}

function costOf(sections: readonly SampledSection[], marker: number): number {
  return sections.reduce((sum, { heading }) => sum + heading.shown + marker, 0);
}

/** As many as may be, the first among them, the others at equal distances. */
function evenly<T>(all: readonly T[], fits: (some: readonly T[]) => boolean): readonly T[] {
  for (let count = all.length; count > 0; count--) {
    const some = Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)] as T);
    if (fits(some)) return some;
  }
  return [];
}
