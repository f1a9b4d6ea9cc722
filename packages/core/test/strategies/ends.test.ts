/** What is still held of a part that has streamed by. */
import { describe, expect, it } from 'vitest';
import type { Piece } from '../../src/model/piece.ts';
import { Ends, endsOpen, linesOf, reachBytes } from '../../src/strategies/ends.ts';
import { PieceCutter } from '../../src/text/pieces.ts';
import { encode } from '../../src/text/utf8.ts';

function pieces(...texts: string[]): Piece[] {
  const cutter = new PieceCutter('text');
  return texts.flatMap((text) => [...cutter.push(encode(text)), ...cutter.flush()]);
}

function held(reach: number, ...texts: string[]): Ends {
  const ends = new Ends(reach);
  for (const piece of pieces(...texts)) ends.push(piece);
  return ends;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe('the ends of a part', () => {
  it('are one run while nothing had to be dropped', () => {
    const ends = held(4, 'aaaa', 'bbbb', 'c');
    const [first, last] = ends.runs;
    expect(first).toBe(last);
    expect(textOf(first.bytes)).toBe('aaaabbbbc');
    expect(first.start).toEqual({ bytes: 0, chars: 0, breaks: 0 });
    expect(ends.runs).toBe(ends.runs);
  });

  it('are as many pieces from each end as the reach needs, and no more', () => {
    const ends = held(5, 'aaa', 'bbb', 'ccc', 'ddd', 'eee');
    const [first, last] = ends.runs;
    expect([textOf(first.bytes), textOf(last.bytes)]).toEqual(['aaabbb', 'dddeee']);
    expect(last.start).toEqual({ bytes: 9, chars: 9, breaks: 0 });
    expect(ends.total).toEqual({ bytes: 15, chars: 15, breaks: 0 });
    const exact = held(3, 'aaa', 'bbb', 'ccc').runs;
    expect(exact.map((run) => textOf(run.bytes))).toEqual(['aaa', 'ccc']);
    expect(exact[1].start.bytes).toBe(6);
  });

  it('hold what the reach needs from the first piece on', () => {
    const [first, last] = held(3, 'aa', 'bb', 'cc', 'dd', 'ee', 'ff').runs;
    expect([textOf(first.bytes), textOf(last.bytes)]).toEqual(['aabb', 'eeff']);
  });

  it('are not copied where they are one piece', () => {
    const [piece] = pieces('only');
    const ends = new Ends(9);
    if (piece !== undefined) ends.push(piece);
    expect(ends.runs[0].bytes).toBe(piece?.bytes);
  });

  it('measure a place that is still held, and tell whether a line begins there', () => {
    const ends = held(4, 'é\nb', 'x\ny\n', 'gone', 'ö\nz', '\nen');
    expect(ends.runs.map((run) => textOf(run.bytes))).toEqual(['é\nb', 'ö\nz\nen']);
    const positions = [0, 1, 3, 4, 12, 14, 15, 16, 17, 19];
    expect(positions.map((offset) => ends.isLineStart(offset))).toEqual([
      true,
      false,
      true,
      false,
      false,
      false,
      true,
      false,
      true,
      false,
    ]);
    expect([0, 3, 4, 14, 15, 19].map((offset) => ends.extentAt(offset))).toEqual([
      { bytes: 0, chars: 0, breaks: 0 },
      { bytes: 3, chars: 2, breaks: 1 },
      { bytes: 4, chars: 3, breaks: 1 },
      { bytes: 14, chars: 12, breaks: 3 },
      { bytes: 15, chars: 13, breaks: 4 },
      { bytes: 19, chars: 17, breaks: 5 },
    ]);
  });

  it('count chars and line ends of what was dropped too', () => {
    const [, last] = held(3, 'é\n', 'ö\r\n', 'ü\n', 'end').runs;
    expect(textOf(last.bytes)).toBe('end');
    expect(last.start).toEqual({ bytes: 10, chars: 7, breaks: 3 });
  });

  it('say whether all of a range is still held, in one of them', () => {
    const ends = held(3, 'aab', 'bbb', 'ccd');
    const ranges = [
      [0, 3],
      [0, 0],
      [1, 2],
      [6, 9],
      [6, 6],
      [9, 9],
      [7, 8],
      [0, 4],
      [3, 4],
      [5, 6],
      [5, 9],
      [6, 10],
      [0, 9],
      [4, 5],
    ];
    expect(ranges.map(([start = 0, end = 0]) => ends.holds({ start, end }))).toEqual([
      ...Array.from({ length: 7 }, () => true),
      ...Array.from({ length: 7 }, () => false),
    ]);
  });

  it('give the bytes of a range that lies in one of them, and refuse any other', () => {
    const ends = held(3, 'aab', 'bbb', 'ccd');
    expect(textOf(ends.bytes({ start: 0, end: 3 }))).toBe('aab');
    expect(textOf(ends.bytes({ start: 1, end: 2 }))).toBe('a');
    expect(textOf(ends.bytes({ start: 6, end: 9 }))).toBe('ccd');
    expect(textOf(ends.bytes({ start: 8, end: 9 }))).toBe('d');
    expect(textOf(ends.bytes({ start: 6, end: 8 }))).toBe('cc');
    expect(() => ends.bytes({ start: 2, end: 4 })).toThrow(RangeError);
    expect(() => ends.bytes({ start: 5, end: 7 })).toThrow(
      'a selection may only keep what its selector still holds',
    );
    expect(() => ends.bytes({ start: 8, end: 10 })).toThrow(RangeError);
  });

  it('tell how many lines there are, the open one included', () => {
    expect([held(9, 'a\nb'), held(9, 'a\nb\n'), held(9)].map(linesOf)).toEqual([2, 2, 0]);
    expect([held(3, 'aaa', 'bbb', 'cc\n'), held(3, 'aa\n', 'bbb', 'ccc')].map(linesOf)).toEqual([1, 2]);
    expect([held(9, 'a'), held(9, 'a\n'), held(9)].map((ends) => endsOpen(ends.runs[1]))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('reach three bytes a char and a little further', () => {
    expect([0, 1, 1_000].map(reachBytes)).toEqual([256, 259, 3_256]);
  });
});
