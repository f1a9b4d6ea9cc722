/** Lines are looked for that look like ours: only those that may are taken out of the text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLookalikes } from '../../src/wording/lookalikes.ts';

/** Pieces that lines of ours are made of, disguises, and ordinary text. */
const piece = fc.constantFrom(
  ...[
    '\n',
    '\r',
    '\r\n',
    '\u2028',
    ' ',
    '\t',
    '\u00a0',
    '\u200b',
    '[',
    ']',
    '...',
    '…',
    '<!--',
    '"$omitted": 1',
  ],
  ...[
    '[stdout]',
    '[error]',
    '[error] no',
    '[artifact: art_1_abcd',
    '... [12 chars omitted] ...',
    '［stdout］',
  ],
  ...['\\u005bstdout]', '<!-- 3 items omitted', '... 3 items omitted ...', '\u001b[31m', 'make: done', 'x'],
);

describe('counting lines that look like ours', () => {
  it('gives the same whether every line is looked at or only those that may be', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        expect(countLookalikes(text, {})).toBe(countLookalikes(text, { isLookalike: () => false }));
      }),
      { numRuns: 2_000 },
    );
  });
});
