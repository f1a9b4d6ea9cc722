/** Which patterns a line may match: never too few, on random lines and on those of the fixtures. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayBeStamped } from '../../src/detect/sample.ts';
import { ShapeTable, traitsOf } from '../../src/formats/by-line/shape-table.ts';
import { isSentence } from '../../src/formats/code/sentence.ts';
import { CODE, SYMBOLS } from '../../src/formats/code/shapes.ts';
import { FORMATS } from '../../src/formats/index.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/tools');
const LINES = readdirSync(FIXTURES)
  .flatMap((name) => readFileSync(join(FIXTURES, name), 'utf8').split('\n'))
  .map((line) => line.slice(0, 320));

const SHAPES = [
  ...FORMATS.flatMap(({ shapes = [] }) => shapes.flatMap(({ weighted }) => weighted.map(([, each]) => each))),
  ...CODE.map(({ pattern }) => pattern),
  SYMBOLS,
];
const EACH = SHAPES.map((pattern) => ({ pattern, table: new ShapeTable([pattern], 0) }));
const ALL = new ShapeTable(SHAPES, 0);

function check(line: string): void {
  const traits = traitsOf(line);
  const matched = EACH.map(({ pattern }) => pattern.test(line));
  expect(EACH.map(({ table }) => table.find(line, traits) === 0)).toEqual(matched);
  const first = matched.indexOf(true);
  expect(ALL.find(line, traits)).toBe(first < 0 ? Number.POSITIVE_INFINITY : first);
}

/** Pieces of what programs print, put together at random, so that many lines match something. */
const WORDS = [
  ...' ,\t,:,::,.py,src/a.ts,12,3,0x,ab12,error,ERROR,[INFO],(,),{,},;,=,=>,|,│,├──,--,-,+,%,#,*,/,//,…'.split(
    ',',
  ),
  ...'at,File ",from,PASSED,ok,not,test,M,A,total,drwxr-xr-x,def,class,import,do,then,const,é,\u00a0'.split(
    ',',
  ),
];
const line = fc.oneof(
  fc.array(fc.constantFrom(...WORDS), { maxLength: 9 }).map((words) => words.join('')),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 9 }).map((words) => words.join(' ')),
  fc.string({ maxLength: 40 }),
  fc
    .tuple(fc.constantFrom(...LINES), fc.nat(30), fc.constantFrom(...WORDS))
    .map(([text, at, word]) => text.slice(0, at) + word + text.slice(at)),
);

describe('the table of shapes', () => {
  it('finds the first shape that a line has, as trying all of them does', () => {
    for (const text of LINES) check(text);
    fc.assert(fc.property(line, check), { numRuns: 3_000 });
  });

  it('takes patterns of others as they are: with flags, names and references', () => {
    const table = new ShapeTable([/^ERR/i, /^(?<mark>[*=])+ \k<mark>/, /^(\w)\1$|end$/], 0);
    const found = (text: string) => table.find(text, traitsOf(text));
    expect(['err', '== =', 'aa', 'the end'].map(found)).toEqual([0, 1, 2, 2]);
    expect(found('ab')).toBe(Number.POSITIVE_INFINITY);
  });

  it('gives the same before the table is made and after', () => {
    const table = new ShapeTable(SHAPES, 2);
    const found = ['error: no', 'error: no', 'error: no'].map((text) => table.find(text, traitsOf(text)));
    expect(found).toEqual([found[0], found[0], found[0]]);
    expect(found[0]).toBe(SHAPES.findIndex((pattern) => pattern.test('error: no')));
  });
});

describe('a sentence', () => {
  const WORD = /^[("'*_`[]{0,3}[A-Za-z][A-Za-z'-]{0,30}[.,;:!?)"'*_`\]]{0,3}$/;
  const reads = (text: string) => {
    const words = text.split(/\s+/);
    if (words.length < 4 || /[;{}]$/.test(text)) return false;
    return words.filter((word) => WORD.test(word)).length >= words.length * 0.75;
  };

  it('is told in ASCII as by its words', () => {
    const words = fc.string({ unit: fc.constantFrom(...`ab'"*_[].,;-( \t{1`), maxLength: 40 });
    const long = fc.tuple(fc.nat(34), words).map(([count, rest]) => `a b c ${'x'.repeat(count)}${rest}`);
    const texts = fc.oneof(words, long).map((text) => text.trim());
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(text !== '');
        expect(isSentence(text, true)).toBe(reads(text));
      }),
      { numRuns: 5_000 },
    );
    for (const text of LINES.map((each) => each.trim()))
      if (text !== '' && traitsOf(text).isAscii) expect(isSentence(text, true)).toBe(reads(text));
  });
});

describe('a time stamp', () => {
  it('is looked for where two digits stand near each other', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'1:a '), maxLength: 130 });
    fc.assert(
      fc.property(digits, (text) => {
        expect(mayBeStamped(text)).toBe(/\d[:\d]\d/.test(text.slice(0, 120)));
      }),
      { numRuns: 2_000 },
    );
  });
});
