/** Numbers as a model reads them. */
import { describe, expect, it } from 'vitest';
import { formatBytes, formatCount, formatDuration, pluralize } from '../../src/text/numbers.ts';

describe('numbers', () => {
  it('have a comma before every three digits', () => {
    expect([0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, 1_234_567_890].map(formatCount)).toEqual([
      '0',
      '7',
      '999',
      '1,000',
      '12,345',
      '999,999',
      '1,000,000',
      '1,234,567,890',
    ]);
  });

  it('count things: one in the singular, none and many in the plural', () => {
    expect([0, 1, 2, 1_200].map((value) => pluralize(value, 'line'))).toEqual([
      '0 lines',
      '1 line',
      '2 lines',
      '1,200 lines',
    ]);
  });

  it('of bytes are rounded to what people read, one decimal below 10', () => {
    const sizes = [
      0, 1, 999, 1_000, 1_049, 1_050, 9_949, 9_950, 10_400, 999_499, 999_500, 2_340_000, 999_500_000,
    ];
    expect(sizes.map(formatBytes)).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1.0 KB',
      '1.0 KB',
      '1.1 KB',
      '9.9 KB',
      '10 KB',
      '10 KB',
      '999 KB',
      '1.0 MB',
      '2.3 MB',
      '1.0 GB',
    ]);
    expect([4e12, 999.5e9, 5e15, 5e18].map(formatBytes)).toEqual([
      '4.0 TB',
      '1.0 TB',
      '5000 TB',
      '5000000 TB',
    ]);
  });

  it('of milliseconds are times as people read them', () => {
    const times = [0, 3, 250, 994, 999, 1_000, 12_345, 30_000, 99_949, 99_950, 200_000, 3_600_000, 7_530_000];
    expect(times.map(formatDuration)).toEqual([
      '0.01 s',
      '0.01 s',
      '0.25 s',
      '0.99 s',
      '1 s',
      '1 s',
      '12.3 s',
      '30 s',
      '99.9 s',
      '1 min 40 s',
      '3 min 20 s',
      '1 h',
      '2 h 5 min',
    ]);
  });
});
