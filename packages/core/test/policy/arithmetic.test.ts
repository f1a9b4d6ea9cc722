/** The numbers of adaptive budgets, by themselves. */
import { describe, expect, it } from 'vitest';
import { atLeastMinimum, batchAllowance, MIN_ADAPTED_CHARS, ownLimit } from '../../src/policy/adaptive.ts';

describe('a batch', () => {
  it('may take half of what is free before compaction, at three chars a token', () => {
    expect(batchAllowance({ tokens: 200_000, used: 0 }, 0.9)).toBe(270_000);
    expect(batchAllowance({ tokens: 1_000, used: 899 }, 0.9)).toBe(1);
    expect(batchAllowance({ tokens: 1_000, used: 900 }, 0.9)).toBe(0);
    expect(batchAllowance({ tokens: 1_000, used: 5_000 }, 0.9)).toBe(0);
  });
});

describe('a result', () => {
  const facts = { limit: 8_000, failed: false, failingFactor: 1.5, distinct: 1 };

  it('has its limit, and more if it failed', () => {
    expect(ownLimit(facts)).toBe(8_000);
    expect(ownLimit({ ...facts, failed: true })).toBe(12_000);
    expect(ownLimit({ ...facts, failed: true, limit: 301 })).toBe(451);
  });

  it('that says the same again and again has half, not below the minimum nor above its limit', () => {
    expect(ownLimit({ ...facts, distinct: 0.2 })).toBe(8_000);
    expect(ownLimit({ ...facts, distinct: 0.19 })).toBe(4_000);
    expect(ownLimit({ ...facts, distinct: 0.1, limit: 3_001 })).toBe(1_500);
    expect(ownLimit({ ...facts, distinct: 0.1, limit: 1_500 })).toBe(1_000);
    expect(ownLimit({ ...facts, distinct: 0.1, limit: 600 })).toBe(600);
    expect(ownLimit({ ...facts, distinct: 0.1, failed: true })).toBe(6_000);
  });

  it('gets its share, not below the minimum nor above its limit', () => {
    expect(MIN_ADAPTED_CHARS).toBe(1_000);
    expect(atLeastMinimum(5_000, 8_000)).toBe(5_000);
    expect(atLeastMinimum(9_000, 8_000)).toBe(8_000);
    expect(atLeastMinimum(10, 8_000)).toBe(1_000);
    expect(atLeastMinimum(10, 400)).toBe(400);
  });
});
