/** How much of what was found is shown. */
import type { ByteRange } from '../../model/extent.ts';
import type { Findings } from '../../model/strategy.ts';
import type { Watch } from './choices.ts';
import type { SalientLine } from './salient-line.ts';
import { isError, isWarning } from './tally.ts';

/** `chosen`: lines shown by themselves; `ranges`: what is shown from the ends of the part. */
export function findingsOf(
  watch: Watch,
  chosen: readonly SalientLine[],
  ranges: readonly ByteRange[],
): Findings | null {
  const { seen } = watch;
  if (seen.errors === 0 && seen.warnings === 0 && watch.sections.count === 0) return null;
  const features = chosen.flatMap(({ candidate }) => candidate.features ?? []);
  const warned = features.filter((each) => isWarning(each, seen.warning)).length;
  return {
    errors: {
      lines: seen.errors,
      kinds: seen.errorKinds,
      shown: features.filter(isError).length + watch.countIn(ranges, 'error'),
    },
    warnings: {
      lines: seen.warnings,
      kinds: seen.warningKinds,
      shown: warned + watch.countIn(ranges, 'warning'),
    },
    sections: watch.sections.count,
  };
}
