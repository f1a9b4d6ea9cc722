/**
 * Output of real tools: what tells why it failed is found in the middle of a long quiet log, and
 * what passed raises no alarm.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Projection } from '@spillway/core';
import { describe, expect, it } from 'vitest';
import { CUES } from '../../src/vocabulary/cues.ts';
import { PACKS } from '../../src/vocabulary/packs.ts';
import { standardVocabulary } from '../../src/vocabulary/vocabulary.ts';
import { COMMAND, shown } from '../opening.ts';
import { TOOL_EXAMPLES } from '../strategies/failures/tool-examples.ts';
import { tableOf } from '../tables.ts';
import { speaksOfFailure } from '../vocabulary/failure-lines.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/tools/', import.meta.url));
const NAMES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => file.slice(0, -'.txt'.length));
const PASSING = NAMES.filter((name) => name.endsWith('-passing'));
/** Tests that passed and, while they did, printed a line that begins with `error`. */
const CHATTY = ['go-passing', 'maven-passing'];
const STRATEGIES = ['smart_summary', 'head_tail', 'tail'];

const fixture = (name: string) => readFileSync(`${FOLDER}${name}.txt`, 'utf8');
const linesOf = (name: string) => stripVTControlCharacters(fixture(name)).split('\n');

const QUIET: readonly ((i: number) => string)[] = [
  (i) => `[${i}/3000] compiled src/part_${(i * 7919) % 997}.c`,
  (i) => `fetched package lib-${i % 211} in ${i % 90} ms`,
  (i) => `GET /items/${i} 200 ${i % 40} ms`,
  (i) => `batch ${i}: ${i % 17} rows written`,
  (i) => `worker ${i % 8} took job ${i}`,
];
/** What looks like trouble and is none. */
const LOUD: typeof QUIET = [
  (i) => `cc -Wall -Werror -O2 -c -o build/error_${i % 97}.o src/error_${i % 97}.c`,
  (i) => `  ✓ fails when token ${i} is missing (${i % 9} ms)`,
  (i) => `src/part_${i % 300}.c:${i % 80}:5: warning: unused variable 'tmp${i % 13}' [-Wunused-variable]`,
  (i) => `npm warn deprecated lib-${i % 211}@1.${i % 9}.0: this is no longer supported`,
  (i) => `PASSED tests/test_error.py::test_exception_${i}`,
  (i) => `test errors::returns_failure_${i} ... ok`,
  (i) => `INFO  round ${i}: 0 failed, 0 errors`,
  (i) => `Downloading failure-${i % 71}-1.0.tar.gz`,
  (i) => `INFO ErrorHandler initialised for exception mapper ${i % 50}`,
  (i) => `Running suite ${i}: Tests run: ${i % 40}, Failures: 0, Errors: 0, Skipped: 0`,
];
const filled = (kinds: typeof QUIET, from: number) =>
  Array.from({ length: 1_500 }, (_, i) => kinds[i % kinds.length]?.(from + i) ?? '');
const quiet = (from: number) => filled(QUIET, from);
const loud = (from: number) => filled(LOUD, from);

const time = (i: number) => new Date(Date.UTC(2026, 0, 5, 10) + i * 731).toISOString();
const VARIANTS: Readonly<Record<string, (line: string, i: number) => string>> = {
  plain: (line) => line,
  'time stamps': (line, i) => `${time(i)} ${line}`,
  colours: (line, i) => `\u001b[${31 + (i % 6)}m${line}\u001b[0m`,
};
const embedded = (name: string, variant: string) =>
  [...quiet(0), ...fixture(name).trimEnd().split('\n'), ...quiet(1_500)]
    .map(VARIANTS[variant] ?? String)
    .join('\n');

async function within(text: string, strategy: string, inlineLimit: number): Promise<Projection> {
  const projection = await shown(text, { strategy, inlineLimit }, { call: COMMAND });
  expect(projection.text.length).toBeLessThanOrEqual(inlineLimit);
  return projection;
}

const lost = (wanted: readonly string[], { text }: Projection) => {
  const bare = stripVTControlCharacters(text);
  return wanted.filter((line) => !bare.includes(line));
};

describe('a fixture', () => {
  it('that failed has telling lines, and they are its own', () => {
    expect(Object.keys(TOOL_EXAMPLES).sort()).toEqual(NAMES.filter((name) => !PASSING.includes(name)).sort());
    for (const [name, { why, also }] of Object.entries(TOOL_EXAMPLES)) {
      expect(why.length).toBeGreaterThan(0);
      const lines = linesOf(name);
      expect([...why, ...also].filter((part) => !lines.some((line) => line.includes(part)))).toEqual([]);
    }
  });

  it('is named in the README beside it', () => {
    const readme = readFileSync(`${FOLDER}README.md`, 'utf8');
    expect(NAMES.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });
});

describe.each(Object.keys(VARIANTS))('in the middle of a long quiet log, %s', (variant) => {
  describe.each(Object.entries(TOOL_EXAMPLES))('%s', (name, { why, also }) => {
    const text = embedded(name, variant);

    it('tells its story under smart_summary', async () => {
      expect(lost([...why, ...also], await within(text, 'smart_summary', 8_000))).toEqual([]);
      if (variant === 'plain') expect(lost(why, await within(text, 'smart_summary', 4_000))).toEqual([]);
    });

    it.each(['head_tail', 'tail'])('keeps its cause under %s', async (strategy) => {
      expect(lost(why, await within(text, strategy, 8_000))).toEqual([]);
      if (variant === 'plain') expect(lost(why.slice(0, 1), await within(text, strategy, 4_000))).toEqual([]);
    });
  });

  describe.each(PASSING)('%s', (name) => {
    const text = embedded(name, variant);

    it.each(STRATEGIES)('raises no alarm under %s', async (strategy) => {
      for (const budget of [4_000, 8_000]) {
        const projection = await within(text, strategy, budget);
        expect(alarming(projection)).toBeLessThanOrEqual(CHATTY.includes(name) ? budget / 50 : 0);
        // A summary also shows what looks different from the rest, whatever it says: the few lines
        // of the tool itself, which do not shrink with a small budget. Gaps between them that cost
        // less to show than to mark are shown too. The log around them is folded.
        const isSummary = strategy === 'smart_summary';
        const most = isSummary ? 1_700 : budget / 8;
        if (isSummary) expect(projection.text.length).toBeLessThanOrEqual(3_000);
        expect(between(projection.text).length).toBeLessThanOrEqual(most);
        if (!CHATTY.includes(name)) expect(projection.text).not.toContain('[Errors');
      }
    });
  });
});

describe('among warnings and tests that passed', () => {
  const around = (name: string) =>
    [...loud(0), ...fixture(name).trimEnd().split('\n'), ...loud(1_500)].join('\n');

  it.each(Object.entries(TOOL_EXAMPLES))('%s tells its story', async (name, { why, also }) => {
    expect(lost([...why, ...also], await within(around(name), 'smart_summary', 8_000))).toEqual([]);
    expect(lost(why, await within(around(name), 'head_tail', 8_000))).toEqual([]);
  });

  it.each(PASSING.filter((name) => !CHATTY.includes(name)))('%s has no errors', async (name) => {
    const { text } = await within(around(name), 'smart_summary', 8_000);
    expect(text).toContain('[Warning lines: ');
    expect(text).not.toContain('[Errors');
  });
});

/** Chars shown between the gaps of lines that speak of a failure. */
function alarming({ text }: Projection): number {
  const lines = between(text).split('\n').filter(speaksOfFailure);
  return lines.reduce((sum, line) => sum + line.length, 0);
}

const GAP = /\n\.\.\. \[[^\n]*\bomitted\b[^\n]*\] \.\.\.(?:\n|$)/;

/** What is shown between the gaps: it was kept for what it is. Listed lines follow their marker. */
function between(text: string): string {
  const parts = text.split(GAP);
  const [listed = ''] = /^(?:\d+: .*\n)*/.exec(parts.at(-1) ?? '') ?? [];
  return [...parts.slice(1, -1), listed].join('\n');
}

describe('a pack', () => {
  const lines = NAMES.flatMap(linesOf);
  const added = PACKS.flatMap((pack) =>
    Object.entries(pack.cues).map(([cue, { pattern }]) => [pack.name, cue, pattern] as const),
  );

  it.each(added)('%s sees as %s what the general lexicon does not', (_, name, pattern) => {
    const general = CUES.find((cue) => cue.name === name)?.pattern;
    expect(general).toBeDefined();
    expect(lines.filter((line) => pattern.test(line) && general?.test(line) === false)).not.toEqual([]);
  });

  it('has stems that no line it sees is without', () => {
    const { cues, dampers } = standardVocabulary();
    const known = [
      ...cues.map(({ name, tests, stems }, bit) => ({
        name,
        tests: tests(),
        bit: stems.length > 0 ? bit : -1,
      })),
      ...dampers.map(({ name, pattern, bit }) => ({ name, tests: [pattern()], bit })),
    ].filter(({ bit }) => bit >= 0);
    const missed = lines.flatMap((line) => {
      const { stems } = tableOf(line);
      const isLooked = (bit: number) => (((stems[bit >> 5] ?? 0) >>> (bit & 31)) & 1) === 1;
      return known
        .filter(({ tests, bit }) => !isLooked(bit) && tests.some((test) => test.test(line)))
        .map(({ name }) => [name, line]);
    });
    expect(missed).toEqual([]);
  });
});
