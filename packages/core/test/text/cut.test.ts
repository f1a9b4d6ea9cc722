/** Safe places to cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAfter, cutBefore, lineEndBefore, lineStartAfter } from '../../src/text/cut.ts';
import { encode } from '../../src/text/utf8.ts';
import { anyText } from '../arbitraries.ts';

describe('a cut', () => {
  it('at any byte of emoji families, flags, marks, CJK and CRLF falls between graphemes', () => {
    const text = 'ab👨‍👩‍👧‍👦cd🇩🇪🇫🇷e\u0301日本👍🏽\r\nz';
    const bytes = encode(text);
    const boundaries = new Set<number>([bytes.length]);
    for (const { index } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text))
      boundaries.add(Buffer.byteLength(text.slice(0, index)));
    for (let at = 0; at <= bytes.length; at++) {
      const before = cutBefore(bytes, at);
      const after = cutAfter(bytes, at);
      expect(boundaries.has(before) && boundaries.has(after)).toBe(true);
      expect(before <= at && at <= after).toBe(true);
    }
  });

  it('stays at most a window away, whatever the text', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, position) => {
        const bytes = encode(text);
        const at = position % (bytes.length + 1);
        expect(at - cutBefore(bytes, at)).toBeLessThanOrEqual(100);
        expect(cutAfter(bytes, at) - at).toBeLessThanOrEqual(200);
        expect(
          Buffer.from(bytes.subarray(0, cutBefore(bytes, at)))
            .toString()
            .isWellFormed(),
        ).toBe(true);
      }),
    );
  });
});

describe('line ends', () => {
  const bytes = encode('one\ntwo\r\nthree\rfour');

  it('are found backwards, CRLF as one', () => {
    expect(lineEndBefore(bytes, 0, 10)).toBe(9);
    expect(lineEndBefore(bytes, 0, 8)).toBe(4);
    expect(lineEndBefore(bytes, 9, 14)).toBeUndefined();
  });

  it('are found forwards', () => {
    expect(lineStartAfter(bytes, 1, 19)).toBe(4);
    expect(lineStartAfter(bytes, 5, 19)).toBe(9);
    expect(lineStartAfter(bytes, 16, 19)).toBeUndefined();
  });
});
