/** What each kind of text costs in the estimate, before it is rounded up with 8 % on top. */
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/text/tokens.ts';

/**
 * The price of one run, told by a text that repeats it: runs are kept apart by a char that costs
 * 0.75.
 */
function priceOf(run: string): number {
  const times = 1_000;
  return Math.round(((estimateTokens(`${run};`.repeat(times)) / 1.08 - times * 0.75) / times) * 100) / 100;
}

describe('the whole', () => {
  it('is rounded up', () => {
    expect(['', 'a', ' ', 'a b'].map(estimateTokens)).toEqual([0, 2, 1, 3]);
  });
});

describe('a run', () => {
  it('of letters costs a little over one up to 7, then one for every 5; capitals and changes of case cost more', () => {
    expect(['a', 'Zz', 'Abcdefg', 'abcdefgh', 'zA', 'aBcD', 'ERROR', 'ABCDEFGHIJ'].map(priceOf)).toEqual([
      1.05, 1.05, 1.05, 1.6, 1.95, 2.85, 1.19, 2.38,
    ]);
  });

  it('of 24 chars or more is a long word or path, unless a char is repeated: that is a rule', () => {
    expect(priceOf('internationalizationofthings')).toBe(8);
    expect(priceOf('src/history/compaction/render')).toBe(8.29);
    expect(priceOf('-'.repeat(48))).toBe(5);
    expect(priceOf(`${'='.repeat(24)}${'abcdefg'.repeat(2)}`)).toBe(7);
  });

  it('of digits costs one for every three that are begun', () => {
    expect(['0', '999', '1234', '1234567'].map(priceOf)).toEqual([1, 1, 2, 3]);
  });

  it('of white space costs next to nothing as one space, else one; so do line ends', () => {
    expect([' ', '\t', '  ', '\t\t\t', '\n', '\r', '\r\n', '\n\n\n'].map(priceOf)).toEqual([
      0.05, 0.05, 1, 1, 1, 1, 1, 1,
    ]);
  });

  it('of punctuation costs three quarters a char', () => {
    expect(['!', '/', ':', '@', '[', '`', '{', '~', '!?'].map(priceOf)).toEqual([
      0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 1.5,
    ]);
    expect(['\x7f', '\x1b', '\0'].map(priceOf)).toEqual([1.1, 1.1, 1.1]);
  });

  it('of other scripts costs by the char, two or three for rare ones', () => {
    expect(['漢字', 'かな', '\u3040', '\u30ff', '한글', '\ud7af'].map(priceOf)).toEqual([
      1.9, 1.9, 0.95, 0.95, 1.9, 0.95,
    ]);
    expect(['é', 'привет', '\u0080', '\u2fff', 'ʃ', '\u3400'].map(priceOf)).toEqual([
      0.6, 3.6, 1.9, 2.5, 2, 3,
    ]);
    expect(['\u3000', '\u303f', '\ud7b0', '\uffff', '😀', '𒀀'].map(priceOf)).toEqual([
      1.2, 1.2, 2, 1.5, 2.4, 4,
    ]);
  });

  it('of symbols costs one for a common one and two for others; a line that they draw costs little', () => {
    expect(['→', '│', '✓', '╪', '∰'].map(priceOf)).toEqual([1.05, 1.05, 1.05, 2, 2]);
    expect(priceOf('─'.repeat(11))).toBe(2.55);
    expect(priceOf('✁✁')).toBe(4);
  });

  it('of 24 chars or more that mixes letters and digits like encoded data costs 0.72 a char', () => {
    const mixed = 'aB3dE5gH7jK9mN1pQ3sT5vW7';
    expect(priceOf(mixed)).toBe(17.28);
    expect(priceOf(`${'aB'.repeat(11)}a`)).toBe(10.95);
    // More than a fifth of the chars must begin such a change: of 24 chars five, of 25 six.
    expect(priceOf('aaaB'.repeat(4).padEnd(24, 'a'))).toBe(6.24);
    expect(priceOf('aaaB'.repeat(5).padEnd(24, 'a'))).toBe(17.28);
    expect(priceOf('aaaB'.repeat(5).padEnd(25, 'a'))).toBe(7.13);
    expect(priceOf('AAA7'.repeat(4).padEnd(24, 'A'))).toBe(6.24);
    expect(priceOf('777A'.repeat(6))).toBe(17.28);
  });
});
