/**
 * `smart_summary`: the lines that tell the story of a failure, verbatim and in order, within the budget. Where nothing tells of a failure, the
 * beginning and the end are shown instead.
 */
import type { Policy } from '../../model/policy.ts';
import type { Selector, Strategy } from '../../model/strategy.ts';
import { Ends, linesOf, reachBytes } from '../ends.ts';
import { selectEnds } from '../positional.ts';
import { LineFeed } from './feed.ts';
import { KeptRuns } from './kept.ts';
import { pickUnits } from './pick.ts';
import { Salience, type Unit } from './salience.ts';

/** A score from which a line surely speaks of failure. */
const STRONG = 4;

export const smartSummary: Strategy = {
  name: 'smart_summary',
  start: (policy, reachChars) => smartSelector(policy, reachChars),
};

function smartSelector(policy: Policy, reachChars: number): Selector {
  const ends = new Ends(reachBytes(reachChars));
  const salience = new Salience(reachChars);
  const feed = new LineFeed((line) => (line === null ? salience.skip() : salience.add(line)));
  let units: readonly Unit[] | undefined;
  let kept: KeptRuns | Ends = ends;
  return {
    push(piece) {
      ends.push(piece);
      feed.push(piece);
    },
    select(share) {
      if (units === undefined) {
        feed.finish();
        units = salience.finish();
      }
      const lines = linesOf(ends);
      const fits = ends.total.chars <= share.chars && lines <= share.lines;
      if (fits || salience.strongest < STRONG) {
        kept = ends;
        return selectEnds(ends, share, policy, policy.headRatio, policy.snap);
      }
      const chosen = pickUnits(units, share, salience.count);
      kept = new KeptRuns(
        chosen.map((unit) => unit.line),
        ends.total,
        lines > ends.total.breaks,
      );
      return kept.selection();
    },
    bytes: (range) => kept.bytes(range),
  };
}
