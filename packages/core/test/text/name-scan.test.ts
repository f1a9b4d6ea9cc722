/** What names weigh: about how often an agent uses such a name after it has read it. */
import { describe, expect, it } from 'vitest';
import { NameScan } from '../../src/text/name-scan.ts';

/** The weights of the names in a text, in their order. */
function weights(text: string): number[] {
  const scan = new NameScan();
  const bytes = Buffer.from(text);
  scan.scan(bytes, 0, bytes.length);
  return [...scan.weights.subarray(0, scan.count)].map((weight) => Math.round(weight * 100) / 100);
}

describe('a name', () => {
  it('that is declared weighs more than one that is used', () => {
    expect(weights('function readFile(')).toEqual([1.6]);
    expect(weights('  readFile(')).toEqual([1]);
  });

  it('with a shape of its own weighs more than a word, and than a word with a number', () => {
    expect(weights('max_chars')).toEqual([1]);
    expect(weights('parcel')).toEqual([0.1]);
    expect(weights('parcel12')).toEqual([0.3]);
  });

  it('of a file weighs more than folders, and a version nothing', () => {
    expect(weights('src/kept.ts')).toContain(1.2);
    expect(weights('usr/share/lib').at(-1)).toBe(0.2);
    expect(weights('14.22.333-4')).toEqual([0]);
  });

  it('in quotes weighs by its length', () => {
    expect(weights('"is not a file"').at(-1)).toBe(0.4);
    expect(weights('"the path is not one of a file"').at(-1)).toBe(0.85);
  });
});
