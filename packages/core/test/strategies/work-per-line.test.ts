/**
 * How often a line of a long output is looked at. Counted, not timed: a strategy that reads the text
 * again, or a pattern that is tried on every line, shows here on any machine.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Spillway } from '../../src/engine.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { LineScan } from '../../src/strategies/smart/line-scan.ts';
import { Salience } from '../../src/strategies/smart/salience.ts';
import { UnitFeed } from '../../src/strategies/smart/units.ts';

const LINES = 10_000;

const OUTPUTS = {
  'without a word for failure': (i: number) =>
    `2026-01-31T10:00:00.123Z INFO [w-${i % 7}] request ${i} done\n`,
  'with a weak word for failure': (i: number) => `a line of an output that does not fit ${i}\n`,
  'with a word for failure': (i: number) => `worker ${i % 7}: failed to read the record ${i}, trying again\n`,
} as const;

type Kind = keyof typeof OUTPUTS;

function textOf(kind: Kind): string {
  return Array.from({ length: LINES }, (_, i) => OUTPUTS[kind](i)).join('');
}

async function project(kind: Kind, strategy: string): Promise<void> {
  const spillway = new Spillway({ store: memoryStore() });
  const call = { tool: 'execute_command', session: 'one', scope: 'all' };
  await spillway.process(call, { kind: 'text', text: textOf(kind) }, { policy: { strategy } });
  await spillway.close();
}

/** How many regular expressions are tried on a line, on average. */
async function triesPerLine(kind: Kind, strategy: string): Promise<number> {
  // The table that tells which patterns can match is made in the first run.
  await project(kind, strategy);
  const test = vi.spyOn(RegExp.prototype, 'test');
  await project(kind, strategy);
  return test.mock.calls.length / LINES;
}

describe('a line of a long output', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(['auto', 'smart_summary', 'head_tail', 'reading', 'element'])(
    'is scanned once under %s, however many strategies are at work',
    async (strategy) => {
      const push = vi.spyOn(UnitFeed.prototype, 'push');
      const find = vi.spyOn(LineScan.prototype, 'find');
      await project('with a weak word for failure', strategy);
      const starts = push.mock.calls.map(([piece]) => piece.start.bytes);
      expect(new Set(starts).size).toBe(starts.length);
      const found = find.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
      expect(found).toBeLessThanOrEqual(LINES);
    },
  );

  it.each([
    ['without a word for failure', 'auto', 3],
    ['without a word for failure', 'smart_summary', 1],
    ['without a word for failure', 'head_tail', 1],
    ['with a weak word for failure', 'auto', 16],
    ['with a weak word for failure', 'smart_summary', 10],
    ['with a weak word for failure', 'head_tail', 10],
    ['with a word for failure', 'auto', 26],
    ['with a word for failure', 'smart_summary', 20],
  ] as const)('%s is tried by few regular expressions under %s: at most %d', async (kind, strategy, most) => {
    expect(await triesPerLine(kind, strategy)).toBeLessThanOrEqual(most);
  });
});

describe('a line of a file', () => {
  afterEach(() => vi.restoreAllMocks());

  const read = async (last: string): Promise<number> => {
    const add = vi.spyOn(Salience.prototype, 'add');
    const spillway = new Spillway({ store: memoryStore() });
    const call = { tool: 'read_file', session: 'one', scope: 'all', input: { path: 'src/a.ts' } };
    const lines = Array.from({ length: 900 }, (_, i) => `  if (failed) throw new Error(errorName${i});\n`);
    await spillway.process(call, { kind: 'text', text: `${lines.join('')}${last}\n` }, {});
    await spillway.close();
    return add.mock.calls.length;
  };

  it('is not judged if none of its lines surely tells of an error', async () => {
    expect(await read('done();')).toBe(0);
  });

  it('is not judged in a listing that a command printed, unless a line surely tells of an error', async () => {
    const add = vi.spyOn(Salience.prototype, 'add');
    const list = async (last: string) => {
      const spillway = new Spillway({ store: memoryStore() });
      const call = { tool: 'execute_command', session: 'one', scope: 'all', input: { command: 'find .' } };
      const lines = Array.from({ length: 900 }, (_, i) => `./src/errors/failed-${i % 30}/error${i}.ts\n`);
      await spillway.process(call, { kind: 'text', text: `${lines.join('')}${last}\n` }, {});
      await spillway.close();
    };
    await list('./src/last.ts');
    expect(add).not.toHaveBeenCalled();
    await list('find: ./private: Permission denied');
    expect(add).toHaveBeenCalled();
  });

  it('is judged once if one does, also if that is the last', async () => {
    expect(await read('error: disk full')).toBe(901);
  });
});
