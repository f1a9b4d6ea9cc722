/**
 * Counts the line shapes of a sample. A line adds to a kind the weight of its heaviest shape, and
 * may add to several kinds.
 */
import type { Format, LineShapes, ShapeScore } from '../model/format.ts';
import type { SampleLine } from '../model/text-sample.ts';

const PLAIN_WEIGHT = 0.8;
/** Below, a shape only counts together with others of its kind. */
const SALIENT_WEIGHT = 0.6;

interface KnownShapes extends LineShapes {
  /** Whether lines about errors are the tool's own words. */
  readonly isSalient: boolean;
  /** The place of the kind among all kinds. */
  readonly place: number;
}

/** The shapes of a list of formats, and the places of their kinds. */
interface ShapeList {
  readonly shapes: readonly KnownShapes[];
  readonly places: ReadonlyMap<string, number>;
}

const known = new WeakMap<readonly Format[], ShapeList>();

export function scoreLines(lines: readonly SampleLine[], formats: readonly Format[]): ShapeScore {
  const { shapes, places } = shapesOf(formats);
  const weights = new Float64Array(places.size);
  const covered = new Uint32Array(places.size);
  const plain = new Uint32Array(places.size);
  let salient = 0;
  for (const line of lines) {
    let most = 0;
    for (const shape of shapes) {
      const weight = weightOf(shape, line);
      if (weight === 0) continue;
      const { place } = shape;
      weights[place] = (weights[place] as number) + weight;
      covered[place] = (covered[place] as number) + 1;
      if (weight >= PLAIN_WEIGHT) plain[place] = (plain[place] as number) + 1;
      if (shape.isSalient && weight >= SALIENT_WEIGHT) most = Math.max(most, weight);
    }
    salient += Math.min(1, most);
  }
  const at = (column: ArrayLike<number>) => (kind: string) => column[places.get(kind) ?? -1] ?? 0;
  return {
    lines: lines.length,
    controlled: lines.filter((line) => line.controlled).length,
    salient,
    weight: at(weights),
    covered: at(covered),
    plain: at(plain),
  };
}

/** The weight of the heaviest shape that a line has; 0 if it has none. */
function weightOf({ weighted, isShaped }: LineShapes, line: SampleLine): number {
  if (isShaped?.(line) === true) return 1;
  for (const [weight, pattern] of weighted) if (pattern.test(line.text)) return weight;
  return 0;
}

/** Listed once: a text is looked at in several samples. */
function shapesOf(formats: readonly Format[]): ShapeList {
  const listed = known.get(formats);
  if (listed !== undefined) return listed;
  const places = new Map<string, number>();
  const shapes = formats.flatMap(({ errorLines, shapes: own = [] }) =>
    own.map((shape) => {
      const place = places.get(shape.kind) ?? places.size;
      places.set(shape.kind, place);
      return { ...shape, isSalient: errorLines === 'own', place };
    }),
  );
  const list = { shapes, places };
  known.set(formats, list);
  return list;
}
