/**
 * A strategy of one's own: chosen by name, held to every cap, its gaps marked and fetched back like
 * any other.
 */
import type { RankFacts, Ranks, Strategy } from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import { CALL, COMMAND, openSpillway, shown } from '../opening.ts';

/** Ranks rows by a function of their number. */
const ranked = (name: string, scoreOf: (row: number, rows: number) => number): Strategy => ({
  name,
  rank: ({ rows }) => ({ score: Float32Array.from({ length: rows }, (_, row) => scoreOf(row, rows)) }),
});
const middle = ranked('middle', (row, rows) => 1 / (1 + Math.abs(row - rows / 2)));
const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `the line with number ${i}\n`).join('');

async function shownBy(strategy: Strategy, text: string, inlineLimit = 1_000) {
  const { projection } = await openSpillway({ strategies: [strategy] }).process(
    CALL,
    { kind: 'text', text },
    { policy: { strategy: strategy.name, inlineLimit } },
  );
  return projection;
}

describe('a strategy of a host', () => {
  it('decides what is kept, within the limit, and every gap leads back to its text', async () => {
    const spillway = openSpillway({ strategies: [middle] });
    const text = lines(3_000);
    for (const inlineLimit of [500, 2_000]) {
      const policy = { strategy: 'middle', inlineLimit };
      const { projection } = await spillway.process(CALL, { kind: 'text', text }, { policy });
      const { omitted, strategy_used, artifact_id } = projection.metadata;
      expect(projection.text.length).toBeLessThanOrEqual(inlineLimit);
      expect(projection.text).toContain('the line with number 1500\n');
      expect([strategy_used, omitted.length]).toEqual(['middle', 2]);
      for (const { first_char, last_char } of omitted) {
        const asked = { artifact_id, chars: `${first_char}-${last_char}` };
        const chunks: Uint8Array[] = [];
        for await (const chunk of await spillway.readRaw(asked, 's')) chunks.push(chunk);
        expect(Buffer.concat(chunks).toString()).toBe(text.slice(first_char - 1, last_char));
      }
    }
  });

  it('ranks the segments of one long line too', async () => {
    const text = `${'a '.repeat(5_000)}THE MIDDLE ${'z '.repeat(5_000)}`;
    expect((await shownBy(middle, text)).text).toContain('a THE MIDDLE z');
  });

  it('keeps rows of a unit together, and a parent with them', async () => {
    const units: Strategy = {
      name: 'units',
      rank: ({ rows }): Ranks => ({
        score: Float32Array.from({ length: rows }, (_, row) => (row === 1_501 ? 9 : row === 700 ? 5 : 0)),
        unit: Int32Array.from({ length: rows }, (_, row) => (row >= 1_500 && row < 1_504 ? 1 : 0)),
        parent: Int32Array.from({ length: rows }, (_, row) => (row === 1_501 ? 3 : -1)),
      }),
    };
    const { text } = await shownBy(units, lines(3_000));
    const numbers = [...text.matchAll(/number (\d+)$/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual([3, 700, 1_500, 1_501, 1_502, 1_503]);
  });

  it('shows no row that it ranks 0', async () => {
    const { text } = await shownBy(
      ranked('few', (row) => Number(row === 40 || row === 2_000)),
      lines(3_000),
      8_000,
    );
    expect([...text.matchAll(/number (\d+)$/gm)].map(([, number]) => Number(number))).toEqual([40, 2_000]);
  });

  it('keeps lines that tell of errors beside what it ranks', async () => {
    const text = `${lines(900)}ERROR connection to the database lost\n${lines(900)}`;
    expect(
      (
        await shownBy(
          ranked('first', (row) => Number(row < 9)),
          text,
        )
      ).text,
    ).toContain('ERROR connection');
  });

  it('is asked once for each room, on the whole text, and told of the call', async () => {
    const asked: { readonly rows: number; readonly facts: RankFacts }[] = [];
    const watched: Strategy = {
      name: 'watched',
      rank(table, facts) {
        asked.push({ rows: table.rows, facts });
        return { score: new Float32Array(table.rows).fill(1) };
      },
    };
    const call = { ...COMMAND, input: { command: 'make' } };
    const output = { kind: 'exec' as const, stdout: lines(2_000), stderr: '', exitCode: 2 };
    await shown(output, { strategy: 'watched' }, { call, strategies: [watched] });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(4);
    for (const { rows, facts } of asked) {
      expect(rows).toBe(2_000);
      expect(facts).toMatchObject({ failed: true, tool: 'execute_command', input: call.input });
      expect(facts.roomChars).toBeLessThanOrEqual(facts.policy.inlineLimit * facts.policy.failingFactor);
    }
  });

  it('is known by its name in settings, and only where it was plugged in', () => {
    const plugged = openSpillway({ store: null, strategies: [middle] });
    plugged.settings.replace('mine', [{ level: 'user', source: 'mine', patch: { strategy: 'middle' } }]);
    expect(plugged.explain('any').policy.strategy).toBe('middle');
    expect(() => openSpillway({ store: null }).explain('any', { policy: { strategy: 'middle' } })).toThrow(
      /"middle".*head_tail/,
    );
  });
});
