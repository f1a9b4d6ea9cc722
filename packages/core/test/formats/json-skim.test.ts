// What is known of a JSON value without building it, held against JSON.parse on random values.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberOf } from '../../src/formats/json/keep/describe.ts';
import { skim } from '../../src/formats/json/keep/skim.ts';
import { scalarEnd } from '../../src/formats/json/scalar-end.ts';
import { JsonScanner } from '../../src/formats/json/scanner.ts';

const bytesOf = (text: string) => Buffer.from(text, 'utf8');
/** A failing verdict among other members, or none. */
const member = fc.constantFrom('error', 'status', 'name', 'ok', 'failed', 'größe');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>('failed', 'fine', '', 'on_error', true, false, null, 0, 3),
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(member, fc.string()), tie('any'), { maxKeys: 4 }),
  ),
})).any;

const FAILING = /^(?:failed|error)$/;

/** Whether something inside a container tells of an error, by its value. */
function hasError(inside: unknown, inArray = false): boolean {
  if (Array.isArray(inside))
    return (
      (inArray && typeof inside[0] === 'string' && FAILING.test(inside[0])) ||
      inside.some((each) => hasError(each, true))
    );
  if (inside === null || typeof inside !== 'object') return false;
  return Object.entries(inside).some(([key, held]) => says(key, held) || hasError(held));
}

function says(key: string, held: unknown): boolean {
  if (key === 'error')
    return (
      held === true ||
      (typeof held === 'object'
        ? held !== null && Object.keys(held).length > 0
        : typeof held === 'string' && held !== '')
    );
  if (key === 'status') return held === 'failed';
  if (key === 'ok') return held === false;
  return key === 'failed' && typeof held === 'number' && /^[1-9]/.test(JSON.stringify(held));
}

describe('a JSON value that is passed over', () => {
  it('ends where it ends, takes what it takes, and tells of the errors in it', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (given, indent) => {
        const text = JSON.stringify(given, null, indent);
        const bytes = bytesOf(`${text} , 7`);
        const exact = skim(bytes, 0, 0, 'exact');
        expect([exact.to, exact.size]).toEqual([bytesOf(text).length, text.length]);
        expect(skim(bytes, 0, 0, 'none').size).toBe(JSON.stringify(given).length);
        expect(exact.hasError).toBe(hasError(JSON.parse(text)));
      }),
    );
  });

  it('is a number as JSON.parse reads it, as long as that is exact', () => {
    const short = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.float({ noNaN: true, noDefaultInfinity: true }),
    );
    fc.assert(
      fc.property(short, fc.nat(12), (number, digits) => {
        for (const text of [JSON.stringify(number), (number % 1e6).toFixed(digits)]) {
          const bytes = bytesOf(text);
          // Long integers are near enough.
          if (text.length <= 40 && !/^-?\d{16}/.test(text))
            expect(numberOf(bytes, 0, bytes.length)).toBe(Number(text));
        }
      }),
    );
  });
});

describe('a scalar that is all there', () => {
  const signs = fc.constantFrom(...'"\\/bfnrtu0019.-+eE{}[],: \n\u0001é', 'true', 'false', 'null');
  const text = fc.array(signs, { maxLength: 12 }).map((each) => each.join(''));

  it('ends where its states, sign by sign, say that it ends', () => {
    fc.assert(
      fc.property(fc.constantFrom('"', '-', '0', '1', 't', 'true', 'fals', 'n'), text, (first, rest) => {
        const bytes = bytesOf(`${first}${rest}`);
        const end = scalarEnd(bytes, 0);
        expect(end < 0 ? null : end).toBe(endByStates(bytes));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** One byte at a time never shows a whole scalar. */
function endByStates(bytes: Uint8Array): number | null {
  let end: number | null = null;
  const scanner = new JsonScanner({ child() {}, close() {}, valueEnd: (at) => (end ??= at) }, false);
  for (let at = 0; at < bytes.length && end === null && scanner.failure === null; at++)
    scanner.push(bytes.subarray(at, at + 1));
  return end;
}
