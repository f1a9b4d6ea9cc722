/** Counts the line shapes of a sample. A line adds to a kind the weight of its heaviest shape, and may add to several kinds. */
import type { ContentKind } from '../model/content.ts';
import type { SampleLine } from '../model/text-sample.ts';
import { SHAPES } from './shapes.ts';

export interface Score {
  readonly lines: number;
  /** Lines that a terminal would colour or overwrite. */
  readonly controlled: number;
  /** Lines of logs, test runs, compilers and traces taken together, each at most once. */
  readonly salient: number;
  weight(kind: ContentKind): number;
  /** Lines that have any shape of the kind. */
  covered(kind: ContentKind): number;
  /** Lines that have a shape of about full weight. */
  plain(kind: ContentKind): number;
}

const KINDS: readonly ContentKind[] = [...new Set(SHAPES.map(({ kind }) => kind))];
const BY_KIND = KINDS.map((kind) => SHAPES.filter((shape) => shape.kind === kind));
const LOG = KINDS.indexOf('log');
const PLAIN_WEIGHT = 0.8;
/** Below, a shape only tells together with others of its kind. */
const SALIENT_WEIGHT = 0.6;

export function scoreLines(lines: readonly SampleLine[]): Score {
  const weights = KINDS.map(() => 0);
  const covered = KINDS.map(() => 0);
  const plain = KINDS.map(() => 0);
  let salient = 0;
  for (const { text, stamped } of lines) {
    let most = 0;
    for (const [at, shapes] of BY_KIND.entries()) {
      const found = shapes.find(({ pattern }) => pattern.test(text))?.weight ?? 0;
      const weight = stamped && at === LOG ? 1 : found;
      if (weight === 0) continue;
      weights[at] = (weights[at] ?? 0) + weight;
      covered[at] = (covered[at] ?? 0) + 1;
      if (weight >= PLAIN_WEIGHT) plain[at] = (plain[at] ?? 0) + 1;
      if (weight >= SALIENT_WEIGHT && KINDS[at] !== 'hits' && KINDS[at] !== 'listing')
        most = Math.max(most, weight);
    }
    salient += Math.min(1, most);
  }
  return {
    lines: lines.length,
    controlled: lines.filter((line) => line.controlled).length,
    salient,
    weight: (kind) => weights[KINDS.indexOf(kind)] ?? 0,
    covered: (kind) => covered[KINDS.indexOf(kind)] ?? 0,
    plain: (kind) => plain[KINDS.indexOf(kind)] ?? 0,
  };
}
