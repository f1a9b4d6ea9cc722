/** Lines are taken by what they are worth and what they cost. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Choice } from '../../../src/strategies/smart/choice.ts';
import { pick } from '../../../src/strategies/smart/pick.ts';
import { Heap } from '../../../src/text/heap.ts';

const GAP = { chars: 30, lines: 3 };
const open = Number.POSITIVE_INFINITY;

function choices(rows: readonly (readonly [priority: number, text: string])[]): Choice[] {
  let chars = 0;
  return rows.map(([priority, text], index) => {
    const start = { chars, breaks: index };
    chars += text.length + 1;
    return {
      index,
      start,
      end: { chars, breaks: index + 1 },
      priority,
      shown: text.length + 1,
      message: { bytes: Buffer.from(text), from: 0, to: text.length },
    };
  });
}

function picked(rows: readonly (readonly [number, string])[], chars: number, lines = open): number[] {
  const all = choices(rows);
  const end = all.at(-1)?.end ?? { chars: 0, breaks: 0 };
  return pick(all, { chars, lines, gap: GAP }, all.length, end).map(({ index }) => index);
}

const long = (word: string) => word.padEnd(60, '.');

describe('picking', () => {
  it('takes the best that fit, markers included', () => {
    const rows = [long('a'), long('b'), long('c'), long('d')].map((text, i) => [i, text] as const);
    expect(picked(rows, 61 + 30)).toEqual([3]);
    expect(picked(rows, 61 + 29)).toEqual([]);
    expect(picked(rows, 122 + 30)).toEqual([2, 3]);
  });

  it('closes a gap that is shorter than its marker', () => {
    expect(
      picked(
        [
          [5, long('a')],
          [0, 'short'],
          [5, long('b')],
          [0, long('c')],
        ],
        122 + 60,
      ),
    ).toEqual([0, 1, 2]);
  });

  it('prefers a line that closes a gap to one that is worth a little more', () => {
    const rows = [
      [9, long('a')],
      [1, long('x')],
      [9, long('b')],
      [0, long('.')],
      [1.2, long('y')],
    ] as const;
    expect(picked(rows, 183 + 60)).toEqual([0, 1, 2]);
  });

  it('shows what was said already only when nothing else is left to say', () => {
    const rows = [
      [9, long('a')],
      [8, long('a')],
      [3, long('b')],
    ] as const;
    expect(picked(rows, 122 + 60)).toEqual([0, 2]);
    expect(picked(rows, 183)).toEqual([0, 1, 2]);
  });

  it('never shows an empty line between two gaps', () => {
    expect(
      picked(
        [
          [1, long('a')],
          [9, ''],
          [1, long('b')],
        ],
        40,
      ),
    ).toEqual([]);
  });

  it('shows a line without words only below the line it points at', () => {
    const rows = [
      [1, long('int main() {')],
      [5, long('^~~~')],
      [2, long('d')],
    ] as const;
    const all = choices(rows).map((each) => ({ ...each, hasNoWords: each.index === 1 }));
    const end = all.at(-1)?.end ?? { chars: 0, breaks: 0 };
    const within = (chars: number) =>
      pick(all, { chars, lines: open, gap: GAP }, all.length, end).map(({ index }) => index);
    expect(within(61 + 30)).toEqual([2]);
    expect(within(183)).toEqual([0, 1, 2]);
  });

  it('gives out again what markers with smaller numbers leave over', () => {
    const all = choices([
      [5, long('a')],
      [1, long('x')],
      [4, long('b')],
      [1, long('y')],
      [3, long('c')],
    ]);
    const end = all.at(-1)?.end ?? { chars: 0, breaks: 0 };
    const gap = { ...GAP, exactly: () => 10 };
    const room = { chars: 183 + 60, lines: open, gap };
    expect(pick(all, room, all.length, end).map(({ index }) => index)).toEqual([0, 2, 4]);
    expect(pick(all, { ...room, gap: GAP }, all.length, end)).toHaveLength(3);
    expect(pick(all, { ...room, chars: 183 + 25, gap }, all.length, end)).toHaveLength(3);
    expect(pick(all, { ...room, chars: 183 + 25, gap: GAP }, all.length, end)).toHaveLength(2);
  });

  it('stays within the lines it may show', () => {
    const rows = Array.from({ length: 20 }, (_, i) => [i, `line ${i} of the text`] as const);
    expect(picked(rows, open, 6)).toEqual([17, 18, 19]);
  });
});

describe('a heap', () => {
  it('gives its items in order of key, then of tie', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.nat(99))), (entries) => {
        const heap = new Heap<number>();
        for (const [key, tie] of entries) heap.push(key, tie, key * 100 + tie);
        const given = entries.map(() => heap.pop()?.item);
        expect(given).toEqual(entries.map(([key, tie]) => key * 100 + tie).sort((a, b) => b - a));
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });

  it('gives its first item only if it comes before another one, where that is asked', () => {
    const heap = new Heap<string>();
    heap.push(2, 5, 'a');
    expect(heap.popBefore(3, 0)).toBeUndefined();
    expect(heap.popBefore(2, 5)).toBeUndefined();
    expect(heap.popBefore(2, 4)?.item).toBe('a');
    expect(heap.popBefore(0, 0)).toBeUndefined();
  });
});
