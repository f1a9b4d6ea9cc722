/** A gap that costs no more to show than to mark is shown, and nothing is longer for it. */
import { describe, expect, it } from 'vitest';
import { CALL, openSpillway } from '../../opening.ts';

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
