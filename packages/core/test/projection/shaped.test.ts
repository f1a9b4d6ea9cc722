/**
 * Inputs with a shape that a scanner may stumble over: always a bounded, well-formed projection
 * with its handle, and no strategy fails.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CALL, openSpillway } from '../opening.ts';

const RUNS = { numRuns: Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 120) };
const ESC = '\u001b';
const STRATEGIES = ['head', 'tail', 'head_tail', 'lines', 'element', 'smart_summary', 'size_limit'] as const;

/** Something short, many times: escape runs, brackets, stamps, frames, tiny lines, nesting. */
const UNITS = [
  `${ESC}[2K${ESC}[1G`,
  `${ESC}]`,
  `${ESC}]0;t\u0007`,
  `${ESC}[`,
  `${ESC}P`,
  `${ESC}[31m${ESC}[0m\n`,
  ESC,
  '\r',
  '\n',
  '\r\n',
  '\r\n\r',
  'a\n',
  'get 1%\r',
  `${ESC}[1A${ESC}[Kstep\n`,
  '2026-01-01 10:00:00 \n',
  '10:00:00 ',
  '[',
  '{',
  '{"a":',
  '[{',
  '[1,',
  '"',
  '\\"',
  '<a>',
  '<a b="',
  '<!--',
  '</a>',
  '<',
  '&',
  ',',
  'a,b,"',
  '\t',
  ' ',
  '| a ',
  '@@ -1,1 +1,1 @@\n',
  '+++ b/x\n',
  'a.ts:1:',
  'src/a/b/\n',
  'error: ',
  'ERROR x\n',
  'Traceback (most recent call last):\n',
  '    at f (a.js:1:1)\n',
  '(((',
  '```\n',
  '# ',
  '\u0000',
  '😀',
  '\u0301',
  '\uFEFF',
  '1',
  '-',
  '=',
];
const run = fc
  .record({ unit: fc.constantFrom(...UNITS), times: fc.constantFrom(1, 3, 40, 900, 9_000) })
  .map(({ unit, times }) => unit.repeat(times));
const shaped = fc.array(run, { minLength: 1, maxLength: 5 }).map((runs) => runs.join(''));

async function check(text: string, strategy: string, inlineLimit: number) {
  const spillway = openSpillway();
  const { projection } = await spillway.process(
    CALL,
    { kind: 'exec', stdout: text, stderr: '', exitCode: 3 },
    { policy: { strategy, inlineLimit } },
  );
  const record = await spillway.sealed({ projection });
  const { metadata, notice } = projection;
  const all = `${notice ?? ''}${projection.text}`;
  expect(metadata.strategy_error).toBeUndefined();
  expect(all.length).toBeLessThanOrEqual(inlineLimit);
  expect(all.isWellFormed()).toBe(true);
  if (metadata.artifact_id !== null) expect(all).toContain(record?.id);
  const omitted = metadata.omitted.reduce((sum, gap) => sum + gap.chars, 0);
  expect(omitted + metadata.elided_chars).toBeLessThanOrEqual(metadata.original_size);
}

describe('a text with a shape', () => {
  it('is shown within its limit under every strategy', async () => {
    await fc.assert(
      fc.asyncProperty(shaped, fc.constantFrom(...STRATEGIES), fc.integer({ min: 300, max: 3_000 }), check),
      RUNS,
    );
  });

  it.each(UNITS)('of %j many times over is shown within its limit', async (unit) => {
    for (const strategy of STRATEGIES) await check(unit.repeat(6_000), strategy, 900);
  });
});
