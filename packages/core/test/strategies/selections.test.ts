/** What each positional strategy selects, to the byte. */

import type { Policy } from '@spillway/core';
import type { Segment } from '@spillway/core/plugin';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Share } from '../../src/model/strategy.ts';
import { selectedFrom } from '../part-text.ts';

const POSITIONAL = ['head', 'tail', 'head_tail', 'size_limit', 'lines'];
const TEN = Array.from({ length: 10 }, (_, i) => `line ${i}\n`).join('');

const BY_POSITION = {
  snap: 'exact',
  preserveErrors: false,
  preserveWarnings: false,
  clean: 'never',
} as const;

function selected(
  strategy: string,
  text: string,
  share: Partial<Share>,
  policy: Partial<Policy> = {},
): readonly Segment[] {
  const { selection, texts } = selectedFrom(text, share, { policy: { ...BY_POSITION, ...policy, strategy } });
  const bytes = Buffer.from(text);
  for (const [i, { kind, start, end }] of selection.entries())
    expect(texts[i]).toBe(kind === 'keep' ? bytes.subarray(start, end).toString() : '');
  return selection;
}

/** `keep 0-5 (1)`: the kind, the bytes, the lines; a gap also tells which lines it touches. */
function spelled(segments: readonly Segment[]): string[] {
  return segments.map((segment) => {
    const { kind, start, end, lines } = segment;
    const touched = segment.kind === 'omit' ? ` ${segment.firstLine}-${segment.lastLine}` : '';
    return `${kind} ${start}-${end} (${lines})${touched}`;
  });
}

describe('a selection', () => {
  it('pays for its gap first', () => {
    expect(spelled(selected('head_tail', TEN, { chars: 45, gap: { chars: 10, lines: 0 } }))).toEqual(
      spelled(selected('head_tail', TEN, { chars: 35 })),
    );
    expect(spelled(selected('head_tail', TEN, { chars: 10, gap: { chars: 20, lines: 0 } }))).toEqual([
      'omit 0-70 (10) 1-10',
    ]);
    expect(spelled(selected('head_tail', TEN, { lines: 7, gap: { chars: 0, lines: 2 } }))).toEqual(
      spelled(selected('head_tail', TEN, { lines: 5 })),
    );
    expect(spelled(selected('head_tail', TEN, { lines: 1, gap: { chars: 0, lines: 2 } }))).toEqual([
      'omit 0-70 (10) 1-10',
    ]);
  });

  it('shares lines like chars, and keeps no more of each end than it was told', () => {
    expect(spelled(selected('head_tail', TEN, { lines: 5 }))).toEqual([
      'keep 0-21 (3)',
      'omit 21-56 (5) 4-8',
      'keep 56-70 (2)',
    ]);
    expect(spelled(selected('head_tail', TEN, { lines: 8 }))).toEqual([
      'keep 0-28 (4)',
      'omit 28-42 (2) 5-6',
      'keep 42-70 (4)',
    ]);
    expect(spelled(selected('head_tail', TEN, { lines: 8 }, { headLines: 1, tailLines: 2 }))).toEqual([
      'keep 0-7 (1)',
      'omit 7-56 (7) 2-8',
      'keep 56-70 (2)',
    ]);
    expect(spelled(selected('head_tail', TEN, { lines: 8 }, { headLines: 1 }))).toEqual([
      'keep 0-7 (1)',
      'omit 7-21 (2) 2-3',
      'keep 21-70 (7)',
    ]);
    expect(spelled(selected('head', TEN, { lines: 8 }, { headLines: 3, tailLines: 3 }))).toEqual([
      'keep 0-21 (3)',
      'omit 21-70 (7) 4-10',
    ]);
    expect(spelled(selected('tail', TEN, { lines: 8 }, { headLines: 3, tailLines: 3 }))).toEqual([
      'omit 0-49 (7) 1-7',
      'keep 49-70 (3)',
    ]);
    expect(spelled(selected('head_tail', TEN, { chars: 35 }, { headRatio: 0.2 }))).toEqual([
      'keep 0-7 (1)',
      'omit 7-42 (5) 2-6',
      'keep 42-70 (4)',
    ]);
  });

  it('may move its cuts by 2 % of the body to fall on line ends', () => {
    // 100 lines of 20 chars; a body of 1,000 has a slack of 20.
    const text = `${'x'.repeat(19)}\n`.repeat(100);
    const snapped = { snap: 'line' } as const;
    expect(spelled(selected('head', text, { chars: 1_019 }, snapped))[0]).toBe('keep 0-1000 (50)');
    expect(spelled(selected('head', text, { chars: 999 }, snapped))[0]).toBe('keep 0-999 (50)');
    expect(spelled(selected('tail', text, { chars: 1_019 }, snapped))[1]).toBe('keep 1000-2000 (50)');
    expect(spelled(selected('tail', text, { chars: 999 }, snapped))[1]).toBe('keep 1020-2000 (49)');
    expect(spelled(selected('head', text, { chars: 1_019 }))[0]).toBe('keep 0-1019 (51)');
    expect(spelled(selected('size_limit', 'word '.repeat(500), { chars: 1_003 }))[0]).toBe('keep 0-1000 (1)');
    expect(spelled(selected('head', 'word '.repeat(500), { chars: 1_003 }, snapped))[0]).toBe(
      'keep 0-1003 (1)',
    );
  });

  it('covers the part exactly, whatever the room', () => {
    const unit = fc.constantFrom('a', 'é', '\n', '\r\n', '😀', 'word ');
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 60 }),
        fc.nat(60),
        fc.nat(12),
        fc.constantFrom(...POSITIONAL),
        (text, chars, most, strategy) => {
          const segments = selected(strategy, text, { chars, lines: most, gap: { chars: 2, lines: 1 } });
          let at = 0;
          for (const { start, end } of segments) {
            expect(start).toBe(at);
            at = end;
          }
          expect(at).toBe(Buffer.byteLength(text));
          const sum = (key: 'chars' | 'lines') => segments.reduce((all, segment) => all + segment[key], 0);
          const ends = text.match(/\r\n|\r|\n/g)?.length ?? 0;
          expect([sum('chars'), sum('lines')]).toEqual([text.length, ends + (/[^\r\n]$/.test(text) ? 1 : 0)]);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('whole lines', () => {
  const unfit = (text: string, chars: number) =>
    selected('lines', text, { chars }).flatMap((segment) =>
      segment.kind === 'omit' && segment.unfit ? [segment.unfit] : [],
    );

  it('are kept from both ends; a line that is too long for all there is is named', () => {
    const text = `a\n${'x'.repeat(300)}\nb\n`;
    expect(spelled(selected('lines', text, { chars: 200 }))).toEqual([
      'keep 0-2 (1)',
      'omit 2-303 (1) 2-2',
      'keep 303-305 (1)',
    ]);
    expect(unfit(text, 200)).toEqual([{ line: 2, firstChar: 3, chars: 301 }]);
    expect(unfit(text, 300)).toEqual([{ line: 2, firstChar: 3, chars: 301 }]);
    expect(unfit(text, 301)).toEqual([]);
  });

  it('of up to 100 chars are never named, the first longer one is, however many there are', () => {
    expect(unfit(`a\n${'x'.repeat(99)}\nb\n`, 50)).toEqual([]);
    expect(unfit(`a\n${'x'.repeat(100)}\nb\n`, 50)).toEqual([{ line: 2, firstChar: 3, chars: 101 }]);
    expect(unfit(`a\n${'x'.repeat(100)}`, 50)).toEqual([]);
    expect(unfit(`a\n${'x'.repeat(101)}`, 50)).toEqual([{ line: 2, firstChar: 3, chars: 101 }]);
    const many = `${'f'.repeat(140)}\n${`${'x'.repeat(150)}\n`.repeat(70)}`;
    expect(unfit(many, 145)).toEqual([{ line: 2, firstChar: 142, chars: 151 }]);
    expect(unfit(many, 100)).toEqual([{ line: 1, firstChar: 1, chars: 141 }]);
  });
});
