/**
 * Why passages were shown, told run by run: for where they stand, for what is asked, or for their
 * names.
 */
import type { KeptLines } from '../../model/strategy.ts';
import type { Passage } from './passages.ts';

/** `asked`: how much the call asks for it. */
export interface ShownPassage {
  readonly passage: Passage;
  readonly asked: number;
}

/** Passages that follow each other without a gap. */
export function runsOf(shown: readonly ShownPassage[]): ShownPassage[][] {
  const runs: ShownPassage[][] = [];
  for (const one of shown) {
    const last = runs.at(-1);
    if (last?.at(-1)?.passage.end.bytes === one.passage.start.bytes) last.push(one);
    else runs.push([one]);
  }
  return runs;
}

/** `end`: where the part ends. */
export function keptRange(run: readonly ShownPassage[], end: number): KeptLines {
  const first = run[0]?.passage.start ?? { bytes: 0, chars: 0, breaks: 0 };
  const last = run.at(-1)?.passage.end ?? first;
  const isEnd = first.bytes === 0 || last.bytes === end;
  const asked = Math.max(0, ...run.map((one) => one.asked));
  const names = run.flatMap(({ passage }) => passage.weights).reduce((sum, weight) => sum + weight, 0);
  const causes = [
    ...(isEnd ? [{ cause: 'position', score: 1 }] : []),
    ...(asked > 0 ? [{ cause: 'asked for', score: rounded(asked) }] : []),
    ...(isEnd ? [] : [{ cause: 'names', score: rounded(names) }]),
  ];
  return {
    firstLine: first.breaks + 1,
    lastLine: Math.max(first.breaks + 1, last.breaks),
    chars: last.chars - first.chars,
    causes,
  };
}

function rounded(score: number): number {
  return Math.round(score * 10) / 10;
}
