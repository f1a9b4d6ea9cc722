/**
 * The rows that are kept under every strategy because they speak of a failure or warn, and what
 * belongs to them: at most `salient_share` of the body, and little where the whole ended well.
 */
import type { Policy } from '../model/policy.ts';
import type { Share } from '../model/strategy.ts';
import { CONTINUED, type LineTable, OPEN } from '../table/line-table.ts';
import type { LineJudge } from '../vocabulary/judge.ts';
import { Look } from '../vocabulary/verdict.ts';
import { CueFlag } from '../vocabulary/vocabulary.ts';
import type { FailureRanks, FailureScores } from './failures/failure-scores.ts';
import { WARNING } from './failures/failure-scores.ts';

/** From this score on a row, or the block it belongs to, is worth keeping. */
const SALIENT = 1.5;
/** Of warnings that differ in numbers only so many are kept. */
const MOST_ALIKE = 5;
/** What a row must weigh to be kept where it stands out by its shape. */
const SUPPORTED_WEIGHT = 2;
/** What of the body such rows may take where the whole ended well. */
const PASSED_SHARE = 0.07;

/** The score of every row that is worth keeping, 0 for all others; null if there is none. */
export function salientRows(
  table: LineTable,
  judge: LineJudge,
  scores: FailureScores,
  unusual: () => readonly number[],
  { preserveErrors, preserveWarnings }: Policy,
  unit: 'rows' | 'whole lines' = 'rows',
): Float32Array | null {
  const { seen } = scores;
  const errors = preserveErrors && scores.hasErrors;
  const warnings = preserveWarnings && seen.warnings > 0;
  const kept = new Float32Array(table.rows);
  let count = 0;
  const keep = (row: number, score: number) => {
    if (unit === 'whole lines' && ((table.flags[row] as number) & (OPEN | CONTINUED)) !== 0) return;
    if (score <= (kept[row] as number)) return;
    kept[row] = score;
    count++;
  };
  if (errors || warnings) {
    const ranks = scores.ranks();
    for (let row = 0; row < table.rows; row++) {
      if (scores.severity[row] === WARNING) {
        if (warnings && (table.before[row] as number) < MOST_ALIKE) keep(row, ranks.score[row] as number);
      } else if (errors && reachOf(ranks, row) >= SALIENT) keep(row, ranks.score[row] as number);
    }
  }
  if (preserveErrors && seen.errors === 0)
    for (const row of unusual()) if (isSupported(judge, row)) keep(row, SUPPORTED_WEIGHT);
  return count === 0 ? null : kept;
}

/** Whether a row has a word for failure that is weak by itself; its shape supports it. */
function isSupported(judge: LineJudge, row: number, least = SUPPORTED_WEIGHT): boolean {
  if (!judge.isCued(row)) return false;
  const verdict = judge.of(row, true);
  return (
    (judge.weight[verdict] as number) >= least &&
    ((judge.flags[verdict] as number) & (Look.warns | CueFlag.passes)) === 0
  );
}

/** The share of the body that such rows may take at the most. */
export function salientShareOf(scores: FailureScores, share: Share, { salientShare }: Policy): number {
  return hasPassed(scores, share) ? Math.min(PASSED_SHARE, salientShare) : salientShare;
}

/** Whether errors did not matter in the end: the text says so, and nobody knows better. */
export function hasPassed({ seen }: FailureScores, share: Share): boolean {
  return seen.passed && share.ended !== 'badly';
}

function reachOf({ context, pulls }: FailureRanks, row: number): number {
  return Math.max(context[row] as number, pulls[row] as number);
}
