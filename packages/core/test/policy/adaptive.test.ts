/** Budgets that follow the window, the outcome and the content. */
import { describe, expect, it } from 'vitest';
import { MIN_ADAPTED_CHARS } from '../../src/policy/adaptive.ts';
import { CALL, openSpillway } from '../opening.ts';

const words = (count: number) =>
  Array.from(
    { length: count },
    (_, i) =>
      `${Math.sin(i).toString(36).slice(2)} ${String.fromCharCode(97 + (i % 26))}${Math.cos(i).toString(36)}\n`,
  ).join('');
const long = words(5_000);

const length = async (options: object, text = long) =>
  (await openSpillway().process(CALL, { kind: 'text', text }, options)).projection.text.length;

describe('a context window', () => {
  it('that fills makes projections smaller, never below the minimum', async () => {
    const sizes = await Promise.all(
      [0, 170_000, 176_000, 179_000, 200_000].map((used) => length({ window: { tokens: 200_000, used } })),
    );
    expect(sizes[0]).toBeGreaterThan(7_500);
    for (let i = 1; i < sizes.length; i++) expect(sizes[i]).toBeLessThanOrEqual(sizes[i - 1] ?? 0);
    expect(sizes.at(-1)).toBeLessThanOrEqual(MIN_ADAPTED_CHARS);
    expect(sizes.at(-1)).toBeGreaterThan(MIN_ADAPTED_CHARS * 0.8);
  });

  it('does not make a limit larger than it was set', async () => {
    expect(
      await length({ window: { tokens: 1_000_000, used: 0 }, policy: { inlineLimit: 700 } }),
    ).toBeLessThanOrEqual(700);
    expect(
      await length({ window: { tokens: 1_000, used: 1_000 }, policy: { inlineLimit: 700 } }),
    ).toBeGreaterThan(500);
  });

  it('lets repetitive output use less than it may', async () => {
    const window = { tokens: 200_000, used: 0 };
    const repetitive = 'GET /health 200 in 12 ms\nGET /ready 200 in 9 ms\n'.repeat(2_500);
    expect(await length({ window }, repetitive)).toBeLessThanOrEqual(4_000);
    expect(await length({ window })).toBeGreaterThan(7_500);
    expect(await length({}, repetitive)).toBeGreaterThan(7_500);
  });
});

describe('a batch of parallel results', () => {
  it('shares what the window has room for by need: small ones whole, large ones evenly', async () => {
    const spillway = openSpillway();
    const item = (text: string) => ({ call: CALL, result: { kind: 'text' as const, text } });
    const answers = await spillway.processBatch([item('small'), item(long), item(`${long}${long}`)], {
      window: { tokens: 100_000, used: 86_000 },
    });
    const [small, one, two] = answers.map(({ projection }) => projection.text.length);
    expect(small).toBe(5);
    expect(Math.abs((one ?? 0) - (two ?? 0))).toBeLessThan(300);
    expect((one ?? 0) + (two ?? 0)).toBeLessThanOrEqual(6_000);
    expect((one ?? 0) + (two ?? 0)).toBeGreaterThan(5_000);
  });

  it('of ten, all come out distinct, in order', async () => {
    const spillway = openSpillway();
    const texts = Array.from({ length: 10 }, (_, i) => `result ${i} ${String(i).repeat(50_000)}`);
    const answers = await spillway.processBatch(
      texts.map((text) => ({ call: CALL, result: { kind: 'text' as const, text } })),
    );
    expect(answers.map(({ projection }) => /result (\d) /.exec(projection.text)?.[1])).toEqual([
      ...'0123456789',
    ]);
    expect(new Set(answers.map(({ projection }) => projection.metadata.artifact_id)).size).toBe(10);
  });
});

describe('a failed command', () => {
  it('may get more, if the policy says so', async () => {
    const failed = { outcome: { status: 'error', exitCode: 1 } } as const;
    expect(await length({ ...failed, policy: { failingFactor: 1.5 } })).toBeGreaterThan(11_000);
    expect(await length({ ...failed, policy: { failingFactor: 1.5 } })).toBeLessThanOrEqual(12_000);
    expect(await length({ policy: { failingFactor: 1.5 } })).toBeLessThanOrEqual(8_000);
    expect(await length(failed)).toBeLessThanOrEqual(8_000);
  });
});
