/** One budget over several parts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate, type Need } from '../../src/text/allocate.ts';

const NO_LIMIT = Number.POSITIVE_INFINITY;

function needs(...sizes: number[]): Need[] {
  return sizes.map((size) => ({ size, limit: NO_LIMIT, preferred: false }));
}

function preferring(index: number, ...sizes: number[]): Need[] {
  return needs(...sizes).map((need, i) => ({ ...need, preferred: i === index }));
}

describe('a budget', () => {
  it('shows small parts whole and shares the rest evenly among the large', () => {
    expect(allocate(100, needs(1_000, 10, 1_000))).toEqual([45, 10, 45]);
    expect(allocate(100, needs(40, 1_000, 30, 1_000))).toEqual([25, 25, 25, 25]);
    expect(allocate(100, needs(20, 1_000, 30, 35))).toEqual([20, 27, 26, 27]);
  });

  it('gives what cannot be divided to the largest', () => {
    expect(allocate(10, needs(100, 200, 300))).toEqual([3, 3, 4]);
    expect(allocate(11, needs(300, 200, 100))).toEqual([4, 4, 3]);
    expect(allocate(0, needs(5, 6))).toEqual([0, 0]);
    expect(allocate(7, [])).toEqual([]);
  });

  it('gives a part no more than its limit, and the others what it leaves', () => {
    const limited: Need[] = [{ size: 1_000, limit: 20, preferred: false }, ...needs(1_000)];
    expect(allocate(100, limited)).toEqual([20, 80]);
  });

  it('that is unlimited gives everybody its limit, whatever its size', () => {
    expect(allocate(NO_LIMIT, [{ size: 5, limit: 20, preferred: true }, ...needs(7)])).toEqual([
      20,
      NO_LIMIT,
    ]);
  });

  it('keeps up to 60 % for the preferred part, and gives it the rest if others leave some', () => {
    expect(allocate(100, preferring(1, 1_000, 1_000))).toEqual([40, 60]);
    expect(allocate(100, preferring(0, 1_000, 1_000))).toEqual([60, 40]);
    expect(allocate(100, preferring(1, 1_000, 25))).toEqual([75, 25]);
    expect(allocate(100, preferring(1, 10, 1_000))).toEqual([10, 90]);
    expect(allocate(9, preferring(1, 100, 100))).toEqual([4, 5]);
    expect(allocate(100, preferring(2, 1_000, 1_000, 1_000))).toEqual([20, 20, 60]);
  });

  it('is used up as far as there is need, and never passed', () => {
    const need = fc.record({ size: fc.nat(200), limit: fc.nat(150), preferred: fc.boolean() });
    fc.assert(
      fc.property(fc.nat(400), fc.array(need, { maxLength: 6 }), (budget, all) => {
        const shares = allocate(budget, all);
        const wanted = all.map(({ size, limit }) => Math.min(size, limit));
        expect(shares.every((share, i) => share >= 0 && share <= (wanted[i] ?? 0))).toBe(true);
        const given = shares.reduce((sum, share) => sum + share, 0);
        expect(given).toBe(
          Math.min(
            budget,
            wanted.reduce((sum, each) => sum + each, 0),
          ),
        );
      }),
      { numRuns: 500 },
    );
  });
});
