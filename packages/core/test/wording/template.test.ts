// A template writes a sentence and finds it again: whatever facts go in come back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amount,
  integer,
  number,
  openingOf,
  optional,
  RECOGNISED,
  template,
  unread,
  words,
} from '../../src/wording/template.ts';

interface Gap {
  readonly lines: number;
  readonly from: string | null;
}

const FROM = optional('from', template<{ from: string }>` from ${words('from', '[^)]{1,50}?')}`);
const GAP = template<Gap>`... (${amount('lines', 'line')} left out${FROM}) ...`;

describe('a template', () => {
  it('writes numbers as people read them', () => {
    expect(GAP.write({ lines: 1_234, from: 'stdout' })).toBe('... (1,234 lines left out from stdout) ...');
    expect(GAP.write({ lines: 1, from: null })).toBe('... (1 line left out) ...');
    expect(template<{ code: number }>`Exit code ${integer('code')}.`.write({ code: -1_234 })).toBe(
      'Exit code -1234.',
    );
    expect(template<{ n: number }>`${number('n')}`.write({ n: 1_234_567 })).toBe('1,234,567');
    expect(template<{ why: string }>`(${unread('why', '.*')})`.write({ why: 'a (b)' })).toBe('(a (b))');
  });

  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(fc.nat(), fc.option(fc.stringMatching(/^[a-z][a-z /]{0,20}[a-z]$/)), (lines, from) => {
        const text = `before\n${GAP.write({ lines, from })}\nafter`;
        expect(GAP.find(text)).toEqual([{ facts: from === null ? { lines } : { lines, from }, at: 7 }]);
      }),
    );
  });

  it('finds itself as a whole line only, and searches anywhere', () => {
    const text = 'x ... (5 lines left out) ...';
    expect(GAP.find(text)).toEqual([]);
    expect(GAP.search(text)).toEqual({ facts: { lines: 5 }, at: 2 });
    expect(GAP.search('... (lines left out) ...')).toBeNull();
  });

  it('tells how a line begins that looks like it, in any case of letters', () => {
    const late = template<Gap>`[Line ${number('lines')} is too long${RECOGNISED} to be shown.]`;
    const opening = openingOf([GAP, late]);
    expect(opening.test('[LINE 12 IS TOO LONG, said the tool')).toBe(true);
    expect(opening.test('[Line 12 is too short')).toBe(false);
    expect(opening.test('... (3 lines left out from x) ...')).toBe(true);
    expect(openingOf([late], '> ').test('> [line 1 is too long')).toBe(true);
  });
});
