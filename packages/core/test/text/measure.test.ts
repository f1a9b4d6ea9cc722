/** Lines and chars of the projection's own text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureText } from '../../src/text/measure.ts';

describe('a text', () => {
  it('has as many lines as line ends, and one more if the last line is open', () => {
    const lines = [
      '',
      'a',
      'a\n',
      'a\nb',
      '\n',
      '\r',
      '\r\n',
      'a\r\nb',
      'a\rb\r',
      '\r\r\n\n',
      '\v',
      '\f',
      '\t',
    ];
    expect(lines.map((text) => measureText(text).lines)).toEqual([0, 1, 1, 2, 1, 1, 1, 2, 2, 3, 1, 1, 1]);
  });

  it('is measured as its line ends say, whatever it is', () => {
    const unit = fc.constantFrom('a', '\n', '\r', '😀', '\v', '\f', '\x0e');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        const ends = text.match(/\r\n|\r|\n/g)?.length ?? 0;
        const open = /[^\r\n]$/.test(text) ? 1 : 0;
        expect(measureText(text)).toEqual({ chars: text.length, lines: ends + open });
      }),
      { numRuns: 500 },
    );
  });
});
