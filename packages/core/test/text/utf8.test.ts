/** Bytes and the text they stand for. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance, decode, decodeExact, encode, linesIn, measure } from '../../src/text/utf8.ts';
import { anyBytes, anyText } from '../arbitraries.ts';

describe('decode', () => {
  it('agrees with the decoder of the web on any bytes that hold no encoded surrogate', () => {
    const web = new TextDecoder('utf-8', { ignoreBOM: true });
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        fc.pre(!/\xed[\xa0-\xbf][\x80-\xbf]/.test(Buffer.from(bytes).toString('latin1')));
        expect(decode(bytes)).toBe(web.decode(bytes));
      }),
      { numRuns: 500 },
    );
  });

  it('shows a lone surrogate as one U+FFFD and gives it back exactly on request', () => {
    const text = 'a\uD83Db\uDE00\uD83D';
    const bytes = encode(text);
    expect(decode(bytes)).toBe('a\uFFFDb\uFFFD\uFFFD');
    expect(decodeExact(bytes)).toBe(text);
    expect(measure(bytes)).toEqual({ bytes: 11, chars: 5, breaks: 0, illFormed: 3 });
  });

  it('keeps a byte order mark and NUL', () => {
    expect(decode(encode('\uFEFFa\u0000'))).toBe('\uFEFFa\u0000');
  });
});

describe('encode', () => {
  it('is undone by decodeExact for any string', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(fc.integer({ min: 0xd800, max: 0xdfff })),
        (text, units) => {
          const any = text + String.fromCharCode(...units) + text;
          expect(decodeExact(encode(any))).toBe(any);
        },
      ),
    );
  });
});

describe('measure', () => {
  it('counts chars as the decoded string does, whatever the bytes', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(measure(bytes).chars).toBe(decode(bytes).length);
      }),
      { numRuns: 500 },
    );
  });

  it('counts LF, CRLF and CR as one line end each', () => {
    expect(measure(encode('a\nb\r\nc\rd')).breaks).toBe(3);
    expect(measure(encode('\r\r\n\n')).breaks).toBe(3);
    expect(measure(encode('a\r')).breaks).toBe(1);
  });
});

describe('the lines of a text', () => {
  it('are as many as line ends, and one more if the last line is open', () => {
    const texts = ['', 'a', 'a\n', 'a\nb', '\n', '\r', '\r\n', 'a\r\nb', 'a\rb\r', '\r\r\n\n', '\v', '\t'];
    expect(texts.map(linesIn)).toEqual([0, 1, 1, 2, 1, 1, 1, 2, 2, 3, 1, 1]);
  });
});

describe('advance', () => {
  it('never stops inside a character or between CR and LF', () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 3_000 }), (text, chars) => {
        const reached = advance(encode(text), 0, chars);
        const head = text.slice(0, reached.chars);
        expect(head.isWellFormed()).toBe(true);
        expect(reached.chars).toBeLessThanOrEqual(chars);
        expect(Buffer.byteLength(head)).toBe(reached.bytes);
        expect(head.endsWith('\r') && text[reached.chars] === '\n').toBe(false);
      }),
    );
  });
});
