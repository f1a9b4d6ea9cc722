/** Lines are shown with what they stand under, or not at all. */
import type { BlockChoice } from './block.ts';
import type { SalientLine } from './salient-line.ts';

/**
 * What was chosen, without lines whose heading or diagnostic is not among it, which would seem to
 * belong to another one, and without headings that nothing stands under.
 */
export function underHeadings<T extends SalientLine | BlockChoice>(chosen: readonly T[]): readonly T[] {
  if (!chosen.some((choice) => isHeading(choice) || standsUnder(choice))) return chosen;
  const shown = new Set(chosen.map(({ start }) => start.chars));
  const isUnder = (above: number | null) => above === null || shown.has(above);
  const kept = chosen.filter((choice) => {
    if (!('candidate' in choice)) return true;
    const { heading, frameOf } = choice.candidate;
    return isUnder(heading?.start.chars ?? null) && isUnder(frameOf);
  });
  const used = new Set(
    kept.flatMap((choice) => ('candidate' in choice ? (choice.candidate.heading?.start.chars ?? []) : [])),
  );
  return kept.filter((choice) => !isHeading(choice) || used.has(choice.start.chars));
}

function isHeading(choice: SalientLine | BlockChoice): boolean {
  return 'cause' in choice && choice.cause === 'heading';
}

function standsUnder(choice: SalientLine | BlockChoice): boolean {
  return 'candidate' in choice && (choice.candidate.heading !== null || choice.candidate.frameOf !== null);
}
