/** A gap that costs no more to show than to mark is shown, and nothing is longer for it. */
import { describe, expect, it } from 'vitest';
import { smallGaps } from '../../../src/strategies/smart/closing.ts';
import type { KeptRun } from '../../../src/strategies/smart/kept.ts';
import { CALL, openSpillway } from '../../opening.ts';

const at = (chars: number, breaks: number) => ({ bytes: chars, chars, breaks });
const run = (start: number, end: number, line: number, more: Partial<KeptRun> = {}): KeptRun => ({
  start: at(start, line),
  end: at(end, line + 1),
  again: null,
  bytes: new Uint8Array(end - start),
  first: true,
  ...more,
});
const share = (lines: number) => ({ chars: 1_000, lines, gap: { chars: 40, lines: 2 } });

describe('a gap', () => {
  it('is small up to the price of its marker', () => {
    expect(smallGaps([run(0, 10, 0), run(50, 60, 2)], share(100))).toEqual([
      { from: at(10, 1), to: at(50, 2) },
    ]);
    expect(smallGaps([run(0, 10, 0), run(51, 60, 2)], share(100))).toEqual([]);
    expect(smallGaps([run(0, 10, 0), run(10, 20, 1)], share(100))).toEqual([]);
  });

  it('is not small if it has as many lines as its marker and lines are counted', () => {
    const runs = [run(0, 10, 0), run(20, 30, 3)];
    expect(smallGaps(runs, share(100))).toEqual([]);
    expect(smallGaps(runs, share(Number.POSITIVE_INFINITY))).toHaveLength(1);
  });

  it('is left to what is said again', () => {
    const again = { count: 3, end: at(50, 4) };
    expect(smallGaps([run(0, 10, 0, { again }), run(50, 60, 4)], share(100))).toEqual([]);
  });
});

describe('a quiet line between two that speak of failure', () => {
  const step = (i: number) => `2026-01-01 10:00:00 INFO request ${i} handled in ${i % 90} ms\n`;
  const failures = [
    '2026-01-01 10:00:00 ERROR connection to the database lost\n',
    '    ✓ exists (3ms)\n',
    '2026-01-01 10:00:00 ERROR order 17 could not be stored: permission denied\n',
  ];

  it.each(['head', 'tail', 'head_tail', 'lines', 'size_limit'])(
    'is shown under %s rather than marked as left out, wherever they stand',
    async (strategy) => {
      for (const before of [0, 40, 3_000]) {
        const steps = Array.from({ length: 6_000 }, (_, i) => step(i));
        steps.splice(before, 0, ...failures);
        const text = steps.join('');
        const { projection } = await openSpillway().process(
          CALL,
          { kind: 'text', text },
          { policy: { strategy, inlineLimit: 2_000 } },
        );
        expect(projection.text).toContain('✓ exists');
        expect(projection.text.length).toBeLessThanOrEqual(2_000);
        expect(projection.metadata.omitted.every(({ chars }) => chars > 40)).toBe(true);
      }
    },
  );
});
