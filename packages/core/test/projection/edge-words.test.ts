/**
 * Where a cut falls: on a line end, or the notice says that it does not; never inside an escape
 * sequence.
 */
import { memoryStore } from '@spillway/core';
import type { PolicyPatch } from '@spillway/core/plugin';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeAround } from '../../src/text/escapes.ts';
import { anyText } from '../arbitraries.ts';
import { CALL, openSpillway } from '../opening.ts';

const RUNS = { numRuns: Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 150) };
const ESC = '\u001b';

const coloured = fc
  .array(
    fc.constantFrom(
      `${ESC}[38;5;${'1'}m`,
      `${ESC}[0m`,
      `${ESC}]8;;https://example.org/a/b${ESC}\\`,
      'word ',
      'longer-word ',
      '\n',
      '\r\n',
      `${ESC}]0;title\u0007`,
    ),
    { minLength: 50, maxLength: 900 },
  )
  .map((parts) => parts.join(''));

const policies = fc.record({
  strategy: fc.constantFrom('head', 'tail', 'head_tail', 'size_limit', 'lines', 'smart_summary'),
  inlineLimit: fc.integer({ min: 300, max: 3_000 }),
  snap: fc.constantFrom('line' as const, 'exact' as const),
  clean: fc.constantFrom('when_cut' as const, 'never' as const),
  preserveErrors: fc.boolean(),
  preserveWarnings: fc.boolean(),
  contentDetection: fc.boolean(),
  dialect: fc.constantFrom('standard', 'spill'),
});

async function segmentsOf(text: string, policy: PolicyPatch) {
  const store = memoryStore();
  const spillway = openSpillway({ store });
  const { projection } = await spillway.process(CALL, { kind: 'text', text }, { policy });
  const record = await spillway.sealed({ projection });
  const id = record?.id ?? ('' as never);
  const frozen = await store.frozen(id, 'model');
  return { projection, segments: frozen?.selections.flatMap(({ segments }) => segments) ?? [] };
}

describe('every edge of what is kept', () => {
  it('lies on a line end, or the notice says that a line was cut inside; never inside an escape sequence', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, coloured), policies, async (text, policy) => {
        const { projection, segments } = await segmentsOf(text, policy);
        if (!projection.metadata.was_truncated) return;
        const bytes = Buffer.from(text);
        const isEdge = (at: number) => {
          const before = bytes[at - 1];
          return at === 0 || at === bytes.length || before === 10 || (before === 13 && bytes[at] !== 10);
        };
        const inside = segments
          .filter(([kind]) => kind === 'omit')
          .flatMap(([, start, end]) => [start, end])
          .filter((at) => !isEdge(at));
        if (policy.strategy !== 'lines' && segments.some(([kind]) => kind === 'keep'))
          expect(/[Cc]ut inside /.test(projection.text.slice(0, 400))).toBe(inside.length > 0);
        if (policy.strategy === 'lines') expect(inside).toEqual([]);
        for (const at of inside) expect(escapeAround(bytes, at)).toBeNull();
      }),
      RUNS,
    );
  });
});
