/** Why rows were kept, run by run: each cause with its highest score. */
import type { Cause, KeptLines } from '../model/strategy.ts';
import type { LineTable } from '../table/line-table.ts';
import type { LineJudge } from '../vocabulary/judge.ts';
import type { FailureScores } from './failures/failure-scores.ts';

/** Lower scores are not reported. */
const LEAST = 0.5;

export function linesOfRows(table: LineTable, first: number, last: number): Omit<KeptLines, 'causes'> {
  return {
    firstLine: table.lineOf(first),
    lastLine: Math.max(table.lineOf(first), table.breaksAfter[last] as number),
    chars: (table.after[last] as number) - (table.at[first] as number),
  };
}

export function reasonsOf(
  table: LineTable,
  rows: ArrayLike<number>,
  causesOf: (row: number) => readonly Cause[],
): KeptLines[] {
  return table.runsOf(rows).map(([first, last]) => {
    const scores = new Map<string, number>();
    for (let row = first; row <= last; row++)
      for (const { cause, score } of causesOf(row))
        if (score >= LEAST) scores.set(cause, Math.max(score, scores.get(cause) ?? 0));
    const causes = [...scores]
      .map(([cause, score]) => ({ cause, score: Math.round(score * 10) / 10 }))
      .sort((a, b) => b.score - a.score || (a.cause < b.cause ? -1 : 1));
    return { ...linesOfRows(table, first, last), causes };
  });
}

/** What a row tells of a failure: its cues, what it stands beside, and the bad end it leads to. */
export function failureCauses(judge: LineJudge, scores: FailureScores, row: number): Cause[] {
  const { context, pulls } = scores.ranks();
  const own = scores.own[row] as number;
  const cues = own > 0 ? judge.cuesOf(row) : [];
  const all = cues.reduce((sum, { weight }) => sum + weight, 0);
  const beside = context[row] as number;
  return [
    ...cues.map(({ name, weight }) => ({ cause: name, score: (own * weight) / Math.max(1, all) })),
    { cause: 'beside an error', score: beside > own ? beside : 0 },
    { cause: 'before a bad end', score: pulls[row] as number },
  ];
}
