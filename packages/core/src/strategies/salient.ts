/**
 * Rows kept under every strategy because they report a failure or a warning, with what belongs to
 * them: at most `salient_share` of the body, and little if the run ended well.
 */
import type { Policy } from '../model/policy.ts';
import type { Share } from '../model/strategy.ts';
import { CONTINUED, type LineTable, OPEN } from '../table/line-table.ts';
import type { LineJudge } from '../vocabulary/judge.ts';
import { Look } from '../vocabulary/verdict.ts';
import { CueFlag } from '../vocabulary/vocabulary.ts';
import { type FailureRanks, type FailureScores, WARNING } from './failures/failure-scores.ts';

/** Rows and blocks from this score on are kept. */
const SALIENT = 1.5;
/** Of warnings that differ only in numbers. */
const MOST_ALIKE = 5;
/** The weight a row with a rare shape needs. */
const SUPPORTED_WEIGHT = 2;
/** Share of the body if the run ended well. */
const PASSED_SHARE = 0.07;

/** 0 for rows not worth keeping; null if there are none. */
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

/** A weak failure word, supported by a rare shape. */
function isSupported(judge: LineJudge, row: number, least = SUPPORTED_WEIGHT): boolean {
  if (!judge.isCued(row)) return false;
  const verdict = judge.of(row, true);
  return (
    (judge.weight[verdict] as number) >= least &&
    ((judge.flags[verdict] as number) & (Look.warns | CueFlag.passes)) === 0
  );
}

export function salientShareOf(scores: FailureScores, share: Share, { salientShare }: Policy): number {
  return hasPassed(scores, share) ? Math.min(PASSED_SHARE, salientShare) : salientShare;
}

/** The text says that it ended well, and nothing contradicts it. */
export function hasPassed({ seen }: FailureScores, share: Share): boolean {
  return seen.passed && share.ended !== 'badly';
}

function reachOf({ context, pulls }: FailureRanks, row: number): number {
  return Math.max(context[row] as number, pulls[row] as number);
}
