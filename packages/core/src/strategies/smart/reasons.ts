/**
 * Why lines were kept, told block by block: what spoke for the lines of a block, each cause with
 * its highest score.
 */
import type { Cause, KeptLines } from '../../model/strategy.ts';
import type { KeptRun } from './kept.ts';
import type { SalientLine } from './salient-line.ts';
import type { Lexicon } from './words.ts';

/** Less is not worth telling. */
const LEAST = 0.5;

export function blocksOf(lines: readonly SalientLine[], lexicon: Lexicon): KeptLines[] {
  const blocks: SalientLine[][] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    if (last !== undefined && last.at(-1)?.index === line.index - 1) last.push(line);
    else blocks.push([line]);
  }
  return blocks.map((block) => ({
    ...linesOf(block.map(({ run }) => run)),
    causes: causesOf(block, lexicon),
  }));
}

/** A range that was kept for where it stands. */
export function positionalBlock(run: KeptRun): KeptLines {
  return { ...linesOf([run]), causes: [{ cause: 'position', score: 1 }] };
}

function linesOf(runs: readonly KeptRun[]): Omit<KeptLines, 'causes'> {
  const first = runs[0]?.start.breaks ?? 0;
  const end = runs.at(-1)?.end.breaks ?? first;
  const chars = runs.reduce((sum, { start, end: to }) => sum + to.chars - start.chars, 0);
  return { firstLine: first + 1, lastLine: Math.max(first + 1, end), chars };
}

function causesOf(block: readonly SalientLine[], lexicon: Lexicon): Cause[] {
  const scores = new Map<string, number>();
  const note = (cause: string, score: number) => {
    if (score >= LEAST) scores.set(cause, Math.max(score, scores.get(cause) ?? 0));
  };
  for (const { candidate, cause, priority } of block) {
    if (cause !== undefined) note(cause, Math.max(LEAST, priority));
    const { features, own, context, pull, tail, head, isNew } = candidate;
    const cues = lexicon.cues.filter((_, i) => ((features?.cues ?? 0) & (1 << i)) !== 0);
    const all = cues.reduce((sum, { weight }) => sum + weight, 0);
    for (const { name, weight } of cues) note(name, (own * weight) / Math.max(1, all));
    note('new', isNew ? own : 0);
    note('beside an error', context > own ? context : 0);
    note('before a bad end', pull);
    note('end', tail);
    note('beginning', head);
  }
  return [...scores]
    .map(([cause, score]) => ({ cause, score: Math.round(score * 10) / 10 }))
    .sort((a, b) => b.score - a.score || (a.cause < b.cause ? -1 : 1));
}
