/** How much of what was found in a text is shown. */
import type { Findings } from '../model/strategy.ts';
import { ERROR, type FailureScores, WARNING } from './failures/failure-scores.ts';
import type { Sections } from './sections.ts';

/** `isShown`: whether a row is shown. */
export function findingsOf(
  { seen, severity }: FailureScores,
  sections: Sections | null,
  rows: number,
  isShown: (row: number) => boolean,
): Findings | null {
  const count = sections?.count ?? 0;
  if (seen.errors === 0 && seen.warnings === 0 && count === 0) return null;
  let errors = 0;
  let warnings = 0;
  for (let row = 0; row < rows; row++) {
    if (severity[row] === 0 || !isShown(row)) continue;
    if (severity[row] === ERROR) errors++;
    else if (severity[row] === WARNING) warnings++;
  }
  return {
    errors: { lines: seen.errors, kinds: seen.errorKinds, shown: errors },
    warnings: { lines: seen.warnings, kinds: seen.warningKinds, shown: warnings },
    sections: count,
  };
}
