/** Counts the line shapes of a sample. A line adds to a kind the weight of its heaviest shape, and may add to several kinds. */
import type { ContentKind } from '../model/content.ts';
import type { Line } from './sample.ts';
import { SHAPES } from './shapes.ts';

export interface Score {
  readonly lines: number;
  readonly stamped: number;
  readonly controlled: number;
  weight(kind: ContentKind): number;
}

export function scoreLines(lines: readonly Line[]): Score {
  const weights = new Map<ContentKind, number>();
  for (const { text, stamped } of lines) {
    const best = new Map<ContentKind, number>(stamped ? [['log', 1]] : []);
    for (const { kind, weight, pattern } of SHAPES) {
      if (weight > (best.get(kind) ?? 0) && pattern.test(text)) best.set(kind, weight);
    }
    for (const [kind, weight] of best) weights.set(kind, (weights.get(kind) ?? 0) + weight);
  }
  return {
    lines: lines.length,
    stamped: lines.filter((line) => line.stamped).length,
    controlled: lines.filter((line) => line.controlled).length,
    weight: (kind) => weights.get(kind) ?? 0,
  };
}
