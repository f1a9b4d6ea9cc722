/** How repetitive a text is. */
import { describe, expect, it } from 'vitest';
import { Repetition } from '../../src/capture/capture-part.ts';
import { encode } from '../../src/text/utf8.ts';

function distinct(...pieces: string[]): number {
  const repetition = new Repetition();
  for (const piece of pieces) repetition.push(encode(piece));
  return repetition.distinct;
}

const letters = (i: number): string => String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26));

describe('the share of distinct lines', () => {
  it('is 1 below 50 lines, however alike they are', () => {
    expect(distinct('same\n'.repeat(49))).toBe(1);
    expect(distinct('same\n'.repeat(50))).toBe(1 / 50);
    expect(distinct('')).toBe(1);
  });

  it('is 1 when every line is different, and does not count numbers', () => {
    expect(distinct(Array.from({ length: 100 }, (_, i) => `${letters(i)}\n`).join(''))).toBe(1);
    expect(distinct(Array.from({ length: 100 }, (_, i) => `line ${i} of ${i * 7}\n`).join(''))).toBe(1 / 100);
  });

  it('does not count a line that is not over, and tells lines apart by their first 200 chars', () => {
    expect(distinct(`${'same\n'.repeat(50)}open`)).toBe(1 / 50);
    const long = (end: string) => `${'x'.repeat(199)}${end}\n`;
    const pieces = (a: string, b: string) => Array.from({ length: 25 }, () => long(a) + long(b));
    expect(distinct(...pieces('a', 'b'))).toBe(2 / 50);
    expect(distinct(...pieces('aa', 'ab'))).toBe(1 / 50);
  });

  it('looks at the first 2 KB of each piece', () => {
    const piece = `${'same\n'.repeat(409)}abc\nlater\n`;
    // 2,045 bytes of the same line; the rest of the sample is a line that is not over.
    expect(distinct(piece)).toBe(1 / 409);
    expect(distinct(`${'same\n'.repeat(408)}abcdefg\nlater\n`)).toBe(2 / 409);
    expect(distinct(piece, piece)).toBe(1 / 818);
  });

  it('stops looking once it remembers 4,096 lines', () => {
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => letters(from + i) + letters(Math.floor((from + i) / 600)));
    const pieces = (count: number) => {
      const all = lines(0, count);
      return Array.from(
        { length: Math.ceil(count / 256) },
        (_, i) => `${all.slice(i * 256, i * 256 + 256).join('\n')}\n`,
      );
    };
    expect(distinct(...pieces(4_096), 'abcd\n'.repeat(400))).toBe(1);
    expect(distinct(...pieces(4_095), 'aaaa\n'.repeat(400))).toBe(4_095 / 4_495);
  });
});
