/** How much of what was found in a text is shown. */
import type { Findings, Share } from '../model/strategy.ts';
import { ERROR, type FailureScores, WARNING } from './failures/failure-scores.ts';
import type { Sections } from './sections.ts';

const NONE = { lines: 0, kinds: 0, shown: 0 };

/**
 * What the tool counted itself is not counted again. After exit code 0 errors count only if one of
 * them is sure. `isShown`: whether a row is shown.
 */
export function findingsOf(
  scores: FailureScores,
  sections: Sections | null,
  { ended }: Pick<Share, 'ended'>,
  isShown: (row: number) => boolean,
): Findings | null {
  const { seen, severity } = scores;
  const count = sections?.count ?? 0;
  const tally = (lines: number, kinds: number, kind: number) => {
    if (lines === 0 || seen.totals) return NONE;
    let shown = 0;
    for (let row = 0; row < scores.rows; row++) if (severity[row] === kind && isShown(row)) shown++;
    return { lines, kinds, shown };
  };
  const isCounted = ended !== 'well' || scores.hasSureErrors;
  const warnings = tally(seen.warnings, seen.warningKinds, WARNING);
  const errors = isCounted ? tally(seen.errors, seen.errorKinds, ERROR) : NONE;
  if (errors.lines === 0 && warnings.lines === 0 && count === 0) return null;
  return { errors, warnings, sections: count };
}
