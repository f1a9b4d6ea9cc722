/**
 * Counts the line shapes of a sample. A line adds to a kind the weight of its heaviest shape, and
 * may add to several kinds.
 */
import type { Format, ShapeScore } from '../model/format.ts';
import type { SampleLine } from '../model/text-sample.ts';

const PLAIN_WEIGHT = 0.8;
/** Below, a shape only counts together with others of its kind. */
const SALIENT_WEIGHT = 0.6;

interface Counts {
  weight: number;
  covered: number;
  plain: number;
}

export function scoreLines(lines: readonly SampleLine[], formats: readonly Format[]): ShapeScore {
  const shapes = formats.flatMap(({ errorLines, shapes: own = [] }) =>
    own.map((shape) => ({ ...shape, isSalient: errorLines === 'own' })),
  );
  const counts = new Map<string, Counts>(
    shapes.map(({ kind }) => [kind, { weight: 0, covered: 0, plain: 0 }]),
  );
  let salient = 0;
  for (const line of lines) {
    let most = 0;
    for (const { kind, weighted, isShaped, isSalient } of shapes) {
      const found = weighted.find(([, pattern]) => pattern.test(line.text))?.[0] ?? 0;
      const weight = isShaped?.(line) === true ? 1 : found;
      const count = counts.get(kind);
      if (weight === 0 || count === undefined) continue;
      count.weight += weight;
      count.covered++;
      if (weight >= PLAIN_WEIGHT) count.plain++;
      if (isSalient && weight >= SALIENT_WEIGHT) most = Math.max(most, weight);
    }
    salient += Math.min(1, most);
  }
  return {
    lines: lines.length,
    controlled: lines.filter((line) => line.controlled).length,
    salient,
    weight: (kind) => counts.get(kind)?.weight ?? 0,
    covered: (kind) => counts.get(kind)?.covered ?? 0,
    plain: (kind) => counts.get(kind)?.plain ?? 0,
  };
}
