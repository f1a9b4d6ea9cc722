/** What is told of a line by its signs, one by one, is what patterns over all of Unicode tell. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { featuresOf } from '../../../src/strategies/smart/features.ts';
import { standardLexicon } from '../../../src/strategies/smart/words.ts';

const SPACES = ['', ' ', '\t', '\v', '\u00a0', '\u2003', '\ufeff'];
const SIGNS = ['.', ',', '—', 'z', 'é', '字', '٣'];
const line = fc.array(fc.constantFrom(...SPACES, ...SIGNS), { maxLength: 6 }).map((parts) => parts.join(''));

function kindOf(text: string): string {
  return featuresOf(text, 0, standardLexicon()).kind;
}

describe('a line', () => {
  it('is blank where it has nothing but white space', () => {
    fc.assert(
      fc.property(line, (text) => {
        expect(kindOf(text) === 'blank').toBe(!/\S/.test(text));
      }),
    );
  });

  it('is inner where it has signs and neither letters nor digits', () => {
    fc.assert(
      fc.property(line, (text) => {
        fc.pre(/\S/.test(text));
        expect(kindOf(text)).toBe(/[\p{L}\p{N}]/u.test(text) ? 'other' : 'inner');
      }),
    );
  });
});
