/**
 * Texts that nobody meant to be read: detection answers, the same each time, and in time that grows
 * with the sample only.
 */
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detect } from '../../src/detect/detect.ts';
import { CODE, SYMBOLS } from '../../src/formats/code/writing.ts';
import { FORMATS } from '../../src/formats/index.ts';
import { SAMPLE_BYTES } from '../../src/model/content.ts';
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

/**
 * Each unit as one line and as lines of 300 chars, so that bounded repetitions meet their bounds.
 */
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

  it('answers for every hostile sample', () => {
    const kinds = ending(() => hostile.map((sample) => detect(sample, { complete: false }).kind));
    expect(kinds).toHaveLength(hostile.length);
    expect(kinds).not.toContain(undefined);
  });
});

const SHAPES = FORMATS.flatMap(({ shapes = [] }) => shapes).flatMap(({ weighted }) =>
  weighted.map(([, pattern]) => pattern),
);

describe('the shapes', () => {
  it('are anchored, so that a line is tried once and not at each of its places', () => {
    for (const pattern of SHAPES) {
      for (const branch of branches(pattern.source)) expect(branch.startsWith('^')).toBe(true);
    }
  });

  it('come to an end on lines that almost fit', () => {
    const patterns = [...SHAPES, ...CODE.map(({ pattern }) => pattern), SYMBOLS];
    const lines = UNITS.map((unit) => `${unit.repeat(Math.ceil(320 / unit.length)).slice(0, 319)}!`);
    const tried = ending(() => lines.flatMap((line) => patterns.map((pattern) => pattern.test(line))));
    expect(tried).toHaveLength(patterns.length * lines.length);
  });
});

/**
 * What work gives; work that doubles with each character would go on for ever, and is stopped,
 * which throws.
 */
function ending<T>(work: () => T): T {
  return runInNewContext('work()', { work }, { timeout: 50_000 });
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
