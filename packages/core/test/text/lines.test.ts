/** Streams split into lines. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../src/text/lines.ts';
import { encode } from '../../src/text/utf8.ts';
import { chunked } from '../arbitraries.ts';

interface SeenLine {
  readonly what: 'text' | 'end';
  readonly text: string;
  readonly line: number;
  readonly byte: number;
  readonly chars: number;
}

function split(pieces: readonly Uint8Array[], from = { bytes: 0, chars: 0, breaks: 0 }): SeenLine[] {
  const seen: SeenLine[] = [];
  const splitter = new LineSplitter(
    {
      text: (text, { number, byte }, chars) => seen.push({ what: 'text', text, line: number, byte, chars }),
      end: ({ number, byte }, chars) => seen.push({ what: 'end', text: '', line: number, byte, chars }),
    },
    from,
  );
  for (const piece of pieces) splitter.push(piece);
  splitter.finish();
  return seen;
}

describe('lines', () => {
  it('are told one by one with number, place and length, whichever line ends they have', () => {
    const seen = split([encode('one\n\r\ntwö\rthree')], { bytes: 100, chars: 90, breaks: 4 });
    expect(
      seen.map(({ what, text, line, byte, chars }) => `${what} ${line} @${byte} ${chars} ${text}`),
    ).toEqual([
      'text 5 @100 0 one',
      'end 5 @100 3 ',
      'text 6 @104 0 ',
      'end 6 @104 0 ',
      'text 7 @106 0 twö',
      'end 7 @106 3 ',
      'text 8 @111 0 three',
      'end 8 @111 5 ',
    ]);
  });

  it('end with the stream; nothing comes after a last line end, and of nothing nothing', () => {
    expect(split([encode('a\n')]).map(({ what }) => what)).toEqual(['text', 'end']);
    expect(split([])).toEqual([]);
    expect(split([encode('')])).toEqual([]);
  });

  it('do not depend on the pieces in which they come', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', 'é'), maxLength: 30 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (text, cuts) => {
          const bytes = encode(text);
          // Pieces end at characters and never between CR and LF.
          const pieces: Uint8Array[] = [];
          for (const chunk of chunked(bytes, cuts)) {
            const last = pieces.at(-1);
            const goesOn = last?.at(-1) === 13 || ((chunk[0] ?? 0) & 0xc0) === 0x80;
            if (last !== undefined && goesOn) pieces.splice(-1, 1, Buffer.concat([last, chunk]));
            else pieces.push(chunk);
          }
          expect(split(pieces)).toEqual(split([bytes]));
          const lines = split([bytes]).filter(({ what }) => what === 'text');
          const wanted = text.split(/\r\n|\n/);
          if (wanted.at(-1) === '') wanted.pop();
          expect(lines.map((line) => line.text)).toEqual(wanted);
        },
      ),
    );
  });

  it('longer than a window of 64 KB come window by window, each from 1 KB before the end of the last', () => {
    const line = Array.from({ length: 20_000 }, (_, i) => `${i} `.padStart(8, '.')).join('');
    const seen = split([encode(line.slice(0, 50_000)), encode(`${line.slice(50_000)}\nnext`)]);
    expect(seen.map(({ what, line, chars, text }) => [what, line, chars, text.length])).toEqual([
      ['text', 1, 0, 65_536],
      ['text', 1, 64_512, 65_536],
      ['text', 1, 129_024, 30_976],
      ['end', 1, 160_000, 0],
      ['text', 2, 0, 4],
      ['end', 2, 4, 0],
    ]);
    for (const { what, line: number, chars, text } of seen)
      if (what === 'text' && number === 1) expect(line.startsWith(text, chars)).toBe(true);
  });

  it('of exactly a window come at once; windows of other scripts are counted in chars and cut between characters', () => {
    expect(split([encode('x'.repeat(65_536))]).map(({ text }) => text.length)).toEqual([65_536, 0]);
    expect(split([encode('x'.repeat(65_537))]).map(({ chars, text }) => [chars, text.length])).toEqual([
      [0, 65_536],
      [64_512, 1_025],
      [65_537, 0],
    ]);
    const seen = split([encode('日'.repeat(30_000))]);
    expect(seen.map(({ chars, text }) => [chars, text.length])).toEqual([
      [0, 21_845],
      [21_503, 8_497],
      [30_000, 0],
    ]);
  });
});
