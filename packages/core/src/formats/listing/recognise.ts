/** Bare names could be any words; those of a folder come in order. */
import type { ShapeScore } from '../../model/format.ts';
import type { SampleLine } from '../../model/text-sample.ts';

const LEAST_NAMES = 5;
const IN_ORDER = 0.8;

export function areNames(lines: readonly SampleLine[], score: ShapeScore): boolean {
  if (lines.length < LEAST_NAMES || score.covered('listing') < lines.length) return false;
  const names = lines.map(({ text }) => text.toLowerCase().replace(/^[^a-z0-9]+/, ''));
  const ordered = names.filter((name, i) => i > 0 && name > (names[i - 1] ?? '')).length;
  return ordered >= (lines.length - 1) * IN_ORDER;
}
