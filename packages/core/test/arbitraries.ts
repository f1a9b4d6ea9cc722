/** Random tool outputs and policies: text of every awkward kind, in any chunking. */
import type { PolicyPatch } from '@spillway/core/plugin';
import fc from 'fast-check';

const word = fc.constantFrom(
  'Error: it broke',
  '\u001b[31mFAILED\u001b[0m',
  'error',
  'ok',
  'a',
  'spillway',
  '日本語',
  'Ω',
  'é',
  'e\u0301',
  '👨‍👩‍👧‍👦',
  '🇩🇪',
  '👍🏽',
  '𝒳',
  '\t',
  ' ',
  '\u0000',
  '\uFEFF',
);
const line = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '));
const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '');
const giantLine = fc
  .integer({ min: 300, max: 6_000 })
  .chain((length) =>
    fc.constantFrom('x', '日', '👍', 'ab ').map((unit) => unit.repeat(Math.ceil(length / unit.length))),
  );
const run = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(line, lineEnd).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.tuple(giantLine, lineEnd).map((parts) => parts.join('')) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 200 }).map((count) => 'log line with words\n'.repeat(count)),
  },
);

/** Well-formed text, up to some ten thousand chars. */
export const anyText = fc.array(run, { maxLength: 25 }).map((runs) => runs.join(''));

/** Bytes that are mostly, but not always, UTF-8. */
export const anyBytes = fc
  .array(
    fc.oneof(
      anyText.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 40 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => Buffer.concat(parts));

/** Every accepted combination of the settings that shape a positional cut. */
export const anyPolicy: fc.Arbitrary<PolicyPatch> = fc.record({
  strategy: fc.constantFrom('head_tail', 'head', 'tail', 'lines', 'size_limit', 'reading', 'smart_summary'),
  dialect: fc.constantFrom('standard', 'standard', 'spill', 'plain'),
  headLines: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }),
  tailLines: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }),
  inlineLimit: fc.integer({ min: 300, max: 4_000 }),
  maxLines: fc.option(fc.integer({ min: 8, max: 200 }), { nil: null }),
  maxTokens: fc.option(fc.integer({ min: 150, max: 1_000 }), { nil: null }),
  artifactThreshold: fc.constantFrom(4_000, 50_000),
  headRatio: fc.double({ min: 0, max: 1, noNaN: true }),
  snap: fc.constantFrom('line' as const, 'exact' as const),
  shown: fc.option(fc.integer({ min: 1, max: 3_000 }), { nil: null }),
  perPartLimit: fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: null }),
  previewLimit: fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: null }),
});

/** Cuts bytes into chunks at random places. */
export function chunked(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const positions = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...positions, bytes.length].map((end, i) => bytes.subarray(positions[i - 1] ?? 0, end));
}
