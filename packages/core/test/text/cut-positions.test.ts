/** Where exactly a cut falls: the nearest safe place on each side, no further. */
import { describe, expect, it } from 'vitest';
import {
  cutAfter,
  cutBefore,
  isLineStart,
  lineEndBefore,
  lineStartAfter,
  wordEndBefore,
} from '../../src/text/cut.ts';
import { encode } from '../../src/text/utf8.ts';

const TEXTS = [
  'ab👨‍👩‍👧‍👦cd🇩🇪🇫🇷e\u0301日本👍🏽\r\nz',
  '\r\n\r\r\n\n',
  'é',
  '日',
  'e\u0301\u0302',
  'a\u007f\u0080b',
  // A sign that goes with the number behind it, though that is ASCII.
  'x\u06001y',
  '🇩🇪'.repeat(12),
  `${'x'.repeat(200)}é${'y'.repeat(200)}`,
];

describe('a cut', () => {
  it('falls on the nearest boundary of graphemes before and after, at any byte', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    for (const text of TEXTS) {
      const bytes = encode(text);
      const boundaries = [...segmenter.segment(text)].map(({ index }) =>
        Buffer.byteLength(text.slice(0, index)),
      );
      boundaries.push(bytes.length);
      for (let at = 0; at <= bytes.length; at++) {
        expect([text, at, cutBefore(bytes, at)]).toEqual([
          text,
          at,
          boundaries.findLast((position) => position <= at),
        ]);
        expect([text, at, cutAfter(bytes, at)]).toEqual([
          text,
          at,
          boundaries.find((position) => position >= at),
        ]);
      }
    }
  });

  it('outside the text stays where it is', () => {
    const bytes = encode('é');
    expect([cutBefore(bytes, -1), cutAfter(bytes, 5)]).toEqual([-1, 5]);
  });

  it('looks 96 bytes to each side: a longer grapheme is cut between its characters', () => {
    // One grapheme: a letter and 100 marks of two bytes each.
    const bytes = encode(`e${'\u0301'.repeat(100)}z`);
    expect(cutBefore(bytes, 51)).toBe(0);
    expect(cutBefore(bytes, 97)).toBe(1);
    expect(cutBefore(bytes, 98)).toBe(1);
    expect(cutBefore(bytes, 99)).toBe(3);
    expect(cutAfter(bytes, 51)).toBe(147);
    expect(cutAfter(bytes, 52)).toBe(147);
    expect(cutAfter(bytes, 151)).toBe(201);
  });
});

describe('places at line and word ends', () => {
  const bytes = encode('one\ntwo\r\n\rthree four\tfive\n');
  const starts = Array.from({ length: bytes.length }, (_, i) => i + 1).filter((at) => {
    return bytes[at - 1] === 10 || (bytes[at - 1] === 13 && bytes[at] !== 10);
  });

  it('are where a line has ended before', () => {
    for (let at = 1; at <= bytes.length; at++)
      expect([at, isLineStart(bytes, at)]).toEqual([at, starts.includes(at)]);
  });

  it('are looked for behind `from` and up to `to`, backwards', () => {
    for (let from = 0; from <= bytes.length; from++)
      for (let to = from; to <= bytes.length + 2; to++) {
        const line = starts.findLast((at) => at > from && at <= to);
        if (lineEndBefore(bytes, from, to) !== line)
          expect([from, to, lineEndBefore(bytes, from, to)]).toEqual([from, to, line]);
        const words = [...bytes.keys()]
          .map((i) => i + 1)
          .filter((at) => bytes[at - 1] === 0x20 || bytes[at - 1] === 0x09);
        const word = words.findLast((at) => at > from && at <= to);
        if (wordEndBefore(bytes, from, to) !== word)
          expect([from, to, wordEndBefore(bytes, from, to)]).toEqual([from, to, word]);
      }
  });

  it('are looked for from `from` up to `to`, forwards, and never at the very end', () => {
    for (let from = 1; from <= bytes.length; from++)
      for (let to = from; to <= bytes.length + 2; to++) {
        const wanted = starts.find((at) => at >= from && at <= to && at < bytes.length);
        if (lineStartAfter(bytes, from, to) !== wanted)
          expect([from, to, lineStartAfter(bytes, from, to)]).toEqual([from, to, wanted]);
      }
  });
});
