import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/text/nearest.ts';

const NAMES = ['inline_limit', 'max_lines', 'max_tokens', 'head_lines', 'tail_lines', 'strategy', 'snap'];

describe('the nearest name', () => {
  it.each([
    ['inline_limt', 'inline_limit'],
    ['inline-limit', 'inline_limit'],
    ['INLINE_LIMIT', 'inline_limit'],
    ['stratgey', 'strategy'],
    ['max_tokns', 'max_tokens'],
    ['inline', 'inline_limit'],
    ['snpa', 'snap'],
  ])('to %s is %s', (typed, meant) => {
    expect(nearest(typed, NAMES)).toBe(meant);
  });

  it.each(['colour', '', 'x', 'zzzzzzzzzzzz', 'a'.repeat(100_000)])('to %j is none', (typed) => {
    expect(nearest(typed, NAMES)).toBeUndefined();
  });

  it('to a name is that name, whatever stands beside it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.shuffledSubarray(NAMES), (name, others) => {
        expect(nearest(name, [...others, name])).toBe(name);
      }),
    );
  });

  it('is found through any one letter left out of a longer name', () => {
    for (const name of NAMES.filter(({ length }) => length > 8))
      for (let i = 0; i < name.length; i++)
        expect(nearest(name.slice(0, i) + name.slice(i + 1), [name])).toBe(name);
  });
});
