import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { descending } from '../../src/text/descending.ts';
import { KeyCounts } from '../../src/text/key-counts.ts';

describe('the order of numbers', () => {
  it('is the largest first, and of equal ones the last', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 6 })), (numbers) => {
        const positions = numbers.map((_, at) => at);
        const expected = positions.sort((a, b) => (numbers[b] ?? 0) - (numbers[a] ?? 0) || b - a);
        expect([...descending(Float64Array.from(numbers))]).toEqual(expected);
      }),
    );
  });
});

describe('counts of keys', () => {
  it('are those of a table with a place for each key, however many keys there are', () => {
    const counts = new KeyCounts();
    const expected = new Uint32Array(1 << 16);
    for (let i = 0; i < 100_000; i++) {
      const key = Math.imul(i, 2_654_435_761) & (i < 20_000 ? 0x3ff : 0xffff);
      expected[key] = (expected[key] ?? 0) + 1;
      expect(counts.add(key, 1)).toBe(expected[key]);
    }
    for (const [key, count] of expected.entries()) expect(counts.add(key, 0)).toBe(count);
  });
});
