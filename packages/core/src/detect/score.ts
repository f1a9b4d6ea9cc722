/**
 * Counts the line shapes of a sample. A line adds to a kind the weight of its heaviest shape, and
 * may add to several kinds.
 */
import type { Format, ShapeScore } from '../model/format.ts';
import type { SampleLine } from '../model/text-sample.ts';

const PLAIN_WEIGHT = 0.8;
/** Below, a shape only counts together with others of its kind. */
const SALIENT_WEIGHT = 0.6;

/** What the lines of one kind come to. */
interface KindScore {
  weight: number;
  covered: number;
  plain: number;
}

export function scoreLines(lines: readonly SampleLine[], formats: readonly Format[]): ShapeScore {
  const scores = new Map<string, KindScore>();
  const shapes = formats.flatMap(({ errorLines, shapes: own = [] }) =>
    own.map((shape) => {
      const score = scores.get(shape.kind) ?? { weight: 0, covered: 0, plain: 0 };
      scores.set(shape.kind, score);
      return { shape, score, isSalient: errorLines === 'own' };
    }),
  );
  let salient = 0;
  for (const line of lines) {
    let most = 0;
    for (const { shape, score, isSalient } of shapes) {
      const found = () => shape.weighted.find(([, pattern]) => pattern.test(line.text))?.[0] ?? 0;
      const weight = shape.isShaped?.(line) === true ? 1 : found();
      if (weight === 0) continue;
      score.weight += weight;
      score.covered++;
      if (weight >= PLAIN_WEIGHT) score.plain++;
      if (isSalient && weight >= SALIENT_WEIGHT) most = Math.max(most, weight);
    }
    salient += Math.min(1, most);
  }
  return {
    lines: lines.length,
    controlled: lines.filter((line) => line.controlled).length,
    salient,
    weight: (kind) => scores.get(kind)?.weight ?? 0,
    covered: (kind) => scores.get(kind)?.covered ?? 0,
    plain: (kind) => scores.get(kind)?.plain ?? 0,
  };
}
