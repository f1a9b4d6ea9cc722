/** Texts that nobody meant to be read: detection answers, the same each time, and in time that grows with the sample only. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE, SYMBOLS } from '../../src/detect/code-shapes.ts';
import { detect, SAMPLE_BYTES } from '../../src/detect/detect.ts';
import { SHAPES } from '../../src/detect/shapes.ts';
import { encode } from '../../src/text/utf8.ts';

const UNITS = [
  'a',
  ' ',
  '\t',
  '[',
  '(',
  ')',
  '<',
  '"',
  "'",
  '{',
  '|',
  '`',
  '#',
  '-',
  '=',
  '.',
  '/',
  ':',
  '0',
  'A',
  '_',
  '\\',
  '\x1b',
  '\x1b[',
  '\x1b]',
  '\r',
  'a.',
  'a/',
  'a:',
  'a ',
  'Aa.',
  '0x',
  '1:1',
  '1.1',
  'a\t',
  'a,',
  '"a",',
  'a=',
  '::',
  'a::',
  '[0',
  '<a ',
  '<a>',
  '<!--',
  '<![CDATA[',
  '/*',
  '"""',
  'File "',
  '| ',
  '+-',
  '├',
  'é',
  '漢',
  '{"a":',
  '[[',
  '-1',
  '))',
  '...',
  'at a.',
  'a-1-',
  '2024-01-01 ',
  '12:34:56 ',
  'Error',
  '\n',
  'a\n',
  ' a\n',
  ';//',
];

/** Each unit as one line and as lines of 300 chars, so that bounded repetitions meet their bounds. */
const hostile = UNITS.flatMap((unit) => {
  const line = unit.repeat(Math.ceil(300 / unit.length)).slice(0, 300);
  return [unit.repeat(SAMPLE_BYTES), `${line}\n`.repeat(30), ` ${line}!\n`.repeat(30)].map((text) =>
    encode(text).subarray(0, SAMPLE_BYTES),
  );
});

describe('detect', () => {
  it('never throws, and gives the same answer again', () => {
    const hint = fc.record({
      complete: fc.boolean(),
      tool: fc.string(),
      mediaType: fc.string(),
      name: fc.string(),
      input: fc.anything(),
    });
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.array(fc.constantFrom(...UNITS), { maxLength: 60 }),
        hint,
        (bytes, units, hints) => {
          for (const sample of [bytes, encode(units.join(''))])
            expect(detect(sample, hints)).toEqual(detect(sample, hints));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('answers for hostile samples in about the time of ordinary ones', () => {
    const ordinary = encode(
      '2024-05-01 10:00:00 INFO request 12 of /api/items took 34 ms (ok)\n'.repeat(200),
    ).subarray(0, SAMPLE_BYTES);
    const usual = Math.max(
      0.2,
      fastest(() => detect(ordinary, { complete: false })),
    );
    for (const sample of hostile) {
      expect(fastest(() => detect(sample, { complete: false }))).toBeLessThan(usual * 40);
    }
  });
});

describe('the shapes', () => {
  it('are anchored, so that a line is tried once and not at each of its places', () => {
    for (const { pattern } of SHAPES) {
      for (const branch of branches(pattern.source)) expect(branch.startsWith('^')).toBe(true);
    }
  });

  it('stay linear on lines that almost fit', () => {
    const patterns = [...SHAPES, ...CODE].map(({ pattern }) => pattern).concat(SYMBOLS);
    for (const pattern of patterns) {
      for (const unit of UNITS) {
        const line = `${unit.repeat(Math.ceil(320 / unit.length)).slice(0, 319)}!`;
        expect(fastest(() => pattern.test(line))).toBeLessThan(10);
      }
    }
  });
});

/** Milliseconds of the fastest of five: the others may have been interrupted. */
function fastest(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    const started = performance.now();
    run();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

/** The alternatives of a pattern at its top level. */
function branches(source: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (char === '\\') at++;
    else if (char === '(' || char === '[') depth++;
    else if (char === ')' || char === ']') depth--;
    else if (char === '|' && depth === 0) {
      found.push(source.slice(start, at));
      start = at + 1;
    }
  }
  return [...found, source.slice(start)];
}
