/** Counts of hashes are those that a map would hold. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashCounts } from '../../../src/strategies/smart/hash-counts.ts';

const LARGEST = 0x3fff_ffff;

describe('counts of hashes', () => {
  it('tell how often each was counted before, as long as there is room for it', () => {
    const hash = fc.oneof(fc.integer({ min: 0, max: LARGEST }), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 400 }), fc.integer({ min: 1, max: 200 }), (hashes, most) => {
        const counts = new HashCounts(most);
        const map = new Map<number, number>();
        for (const each of hashes) {
          const before = map.get(each) ?? 0;
          if (before > 0 || map.size < most) map.set(each, before + 1);
          expect(counts.add(each)).toBe(before);
        }
      }),
    );
  });

  it('hold thousands of different ones', () => {
    const counts = new HashCounts(20_000);
    const hashes = Array.from({ length: 20_000 }, (_, i) => (LARGEST - i * 4_096) & LARGEST);
    for (const each of hashes) counts.add(each);
    expect(new Set(hashes.map((each) => counts.add(each)))).toEqual(new Set([1]));
    expect([counts.add(1), counts.add(1)]).toEqual([0, 0]);
  });
});
