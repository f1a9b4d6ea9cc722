/**
 * How often a line of a long output is looked at. Counted, not timed: a strategy that reads the text
 * again, or a pattern that is tried on every line, shows here on any machine.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LineScan } from '../../src/table/line-scan.ts';
import { openSpillway } from '../opening.ts';

const LINES = 10_000;
const OUTPUTS = {
  'without a word for failure': (i: number) =>
    `2026-01-31T10:00:00.123Z INFO [w-${i % 7}] request ${i} done\n`,
  'with a weak word for failure': (i: number) => `a line of an output that does not fit ${i}\n`,
  'with a word for failure': (i: number) => `worker ${i % 7}: failed to read the record ${i}, trying again\n`,
} as const;
type Kind = keyof typeof OUTPUTS;

async function project(kind: Kind, strategy: string): Promise<void> {
  const text = Array.from({ length: LINES }, (_, i) => OUTPUTS[kind](i)).join('');
  const call = { tool: 'execute_command', session: 'one', scope: 'all' };
  await openSpillway().process(call, { kind: 'text', text }, { policy: { strategy } });
}

describe('a line of a long output', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(['auto', 'smart_summary', 'head_tail', 'reading', 'element'])(
    'is scanned once under %s',
    async (strategy) => {
      const push = vi.spyOn(LineScan.prototype, 'push');
      await project('with a weak word for failure', strategy);
      const scanned = push.mock.calls.reduce((sum, [{ bytes }]) => sum + bytes.length, 0);
      const bytes = Array.from({ length: LINES }, (_, i) => OUTPUTS['with a weak word for failure'](i)).join(
        '',
      );
      expect(scanned).toBe(bytes.length);
    },
  );

  it.each([
    ['without a word for failure', 'auto', 1],
    ['without a word for failure', 'smart_summary', 1],
    ['without a word for failure', 'head_tail', 1],
    ['with a weak word for failure', 'auto', 6],
    ['with a weak word for failure', 'smart_summary', 3],
    ['with a weak word for failure', 'head_tail', 3],
    ['with a word for failure', 'auto', 4],
    ['with a word for failure', 'smart_summary', 4],
  ] as const)('%s is tried by few regular expressions under %s: at most %d', async (kind, strategy, most) => {
    const test = vi.spyOn(RegExp.prototype, 'test');
    await project(kind, strategy);
    expect(test.mock.calls.length / LINES).toBeLessThanOrEqual(most);
  });
});
