/** Stems are found where a plain search finds them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineScan } from '../../src/table/line-scan.ts';
import { LineTable } from '../../src/table/line-table.ts';
import { type Stem, stemAutomaton } from '../../src/table/stem-automaton.ts';

/** The bits that are set for one line. */
function found(stems: readonly Stem[], bits: number, line: string): number[] {
  const automaton = stemAutomaton(stems, bits);
  const scan = new LineScan(new LineTable(automaton.words), automaton);
  scan.push({ bytes: Buffer.from(`${line}\n`), wellFormed: true, elisions: [] });
  scan.finish();
  const { stems: words } = scan.table;
  return Array.from({ length: bits }, (_, bit) => bit).filter(
    (bit) => (((words[bit >> 5] ?? 0) >>> (bit & 31)) & 1) === 1,
  );
}

const folded = (text: string) => text.toLowerCase().replaceAll(/\d/g, '0').replaceAll('\t', ' ');

describe('stems', () => {
  it('of ASCII are found as a plain search finds them, however many there are', () => {
    const stem = fc.string({ unit: fc.constantFrom(...'ab0 -:'), minLength: 1, maxLength: 5 });
    const line = fc.string({ unit: fc.constantFrom(...'aAbB07 \t-:x'), maxLength: 30 });
    fc.assert(
      fc.property(fc.array(stem, { minLength: 1, maxLength: 80 }), line, (texts, rest) => {
        // A line that begins with blanks begins behind them.
        const text = `x${rest}`;
        const wanted = texts.flatMap((each, bit) => (folded(text).includes(each) ? [bit] : []));
        expect(
          found(
            texts.map((each, bit) => ({ text: each, bit })),
            texts.length,
            text,
          ),
        ).toEqual(wanted);
      }),
      { numRuns: 300 },
    );
  });

  it('are found where they overlap, in either case, with any digit', () => {
    const small = ['he', 'she', 'hers', '\nat', 'e00'].map((text, bit) => ({ text, bit }));
    const bitsIn = (line: string) => found(small, 5, line);
    expect([bitsIn('USHERS'), bitsIn('xthe'), bitsIn('xhe12'), bitsIn('h e')]).toEqual([
      [0, 1, 2],
      [0],
      [0, 4],
      [],
    ]);
    expect([bitsIn('at once'), bitsIn('look at once')]).toEqual([[3], []]);
  });

  it('of any other bytes are never missed', () => {
    const texts = Array.from({ length: 300 }, (_, i) => `${String.fromCodePoint(0x2000 + i * 7)}x`);
    const stems = texts.map((text, bit) => ({ text, bit }));
    for (const [bit, text] of texts.entries()) expect(found(stems, 300, `a${text}b`)).toContain(bit);
  });
});
