/**
 * Counts the line shapes of a sample. A line adds to a kind the weight of its heaviest shape, and
 * may add to several kinds.
 */
import { ShapeTable, traitsOf } from '../formats/by-line/shape-table.ts';
import type { Format, LineShapes, ShapeScore } from '../model/format.ts';
import type { SampleLine } from '../model/text-sample.ts';

const PLAIN_WEIGHT = 0.8;
/** Below, a shape only counts together with others of its kind. */
const SALIENT_WEIGHT = 0.6;

interface KnownShapes extends LineShapes {
  /** Whether lines about errors are the tool's own words. */
  readonly isSalient: boolean;
  /** The position of the kind among all kinds. */
  readonly position: number;
  /** The position of its first pattern among all patterns. */
  readonly from: number;
}

/** The shapes of a list of formats, and the positions of their kinds. */
interface ShapeList {
  readonly shapes: readonly KnownShapes[];
  readonly positions: ReadonlyMap<string, number>;
  readonly table: ShapeTable;
}

const known = new WeakMap<readonly Format[], ShapeList>();

export function scoreLines(lines: readonly SampleLine[], formats: readonly Format[]): ShapeScore {
  const { shapes, positions, table } = shapesOf(formats);
  const weights = new Float64Array(positions.size);
  const covered = new Uint32Array(positions.size);
  const plain = new Uint32Array(positions.size);
  let salient = 0;
  for (const line of lines) {
    let most = 0;
    const traits = traitsOf(line.text);
    // The next pattern that the line matches: most lines match none, and are looked at once.
    let next = -1;
    for (const shape of shapes) {
      const isShaped = shape.isShaped?.(line) === true;
      // A line with a time stamp is a log's: patterns of logs need not be tried on it.
      const to = line.stamped ? shape.from + shape.weighted.length : Number.POSITIVE_INFINITY;
      if (!isShaped && (line.stamped || next < shape.from))
        next = table.find(line.text, traits, shape.from, to);
      const weight = isShaped ? 1 : (shape.weighted[next - shape.from]?.[0] ?? 0);
      if (weight === 0) continue;
      const { position } = shape;
      weights[position] = (weights[position] as number) + weight;
      covered[position] = (covered[position] as number) + 1;
      if (weight >= PLAIN_WEIGHT) plain[position] = (plain[position] as number) + 1;
      if (shape.isSalient && weight >= SALIENT_WEIGHT) most = Math.max(most, weight);
    }
    salient += Math.min(1, most);
  }
  const at = (column: ArrayLike<number>) => (kind: string) => column[positions.get(kind) ?? -1] ?? 0;
  return {
    lines: lines.length,
    controlled: lines.filter((line) => line.controlled).length,
    salient,
    weight: at(weights),
    covered: at(covered),
    plain: at(plain),
  };
}

/** Listed once: a text is looked at in several samples. */
function shapesOf(formats: readonly Format[]): ShapeList {
  const listed = known.get(formats);
  if (listed !== undefined) return listed;
  const positions = new Map<string, number>();
  const patterns: RegExp[] = [];
  const shapes = formats.flatMap(({ errorLines, shapes: own = [] }) =>
    own.map((shape) => {
      const position = positions.get(shape.kind) ?? positions.size;
      positions.set(shape.kind, position);
      const from = patterns.length;
      patterns.push(...shape.weighted.map(([, pattern]) => pattern));
      return { ...shape, isSalient: errorLines === 'own', position, from };
    }),
  );
  const list = { shapes, positions, table: new ShapeTable(patterns) };
  known.set(formats, list);
  return list;
}
