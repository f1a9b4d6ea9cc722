/** Where pieces end, what is held back, and how much memory stays behind them. */
import { describe, expect, it } from 'vitest';
import { PIECE_BYTES } from '../../src/model/piece.ts';
import { PieceCutter } from '../../src/text/pieces.ts';

/** What comes out after each chunk when everything complete is asked for, and at the end. */
function flushed(kind: 'text' | 'binary', ...chunks: number[][]): number[][] {
  const cutter = new PieceCutter(kind);
  const out = chunks.map((chunk) => [...cutter.push(Uint8Array.from(chunk)), ...cutter.flush()]);
  return [...out, [...cutter.finish()]].map((pieces) => pieces.flatMap((piece) => [...piece.bytes]));
}

describe('a piece', () => {
  it('holds back a character that is not complete, however long, and gives it with the rest', () => {
    expect(flushed('text', [0x61, 0xc3], [0xa9])).toEqual([[0x61], [0xc3, 0xa9], []]);
    expect(flushed('text', [0xef, 0xbf], [0xbd])).toEqual([[], [0xef, 0xbf, 0xbd], []]);
    expect(flushed('text', [0xe6, 0x97], [0xa5])).toEqual([[], [0xe6, 0x97, 0xa5], []]);
    expect(flushed('text', [0x61, 0xf0, 0x9f, 0x98], [0x80])).toEqual([[0x61], [0xf0, 0x9f, 0x98, 0x80], []]);
    expect(flushed('text', [0xf0], [0x9f], [0x98], [0x80])).toEqual([
      [],
      [],
      [],
      [0xf0, 0x9f, 0x98, 0x80],
      [],
    ]);
    expect(flushed('text', [0x61, 0xf0, 0x9f, 0x98])).toEqual([[0x61], [0xf0, 0x9f, 0x98]]);
  });

  it('does not wait for bytes that cannot complete anything', () => {
    expect(flushed('text', [0x61, 0xc0], [0x62])).toEqual([[0x61, 0xc0], [0x62], []]);
    expect(flushed('text', [0x61, 0x80, 0x80, 0x80])[0]).toEqual([0x61, 0x80, 0x80, 0x80]);
    expect(flushed('text', [0xe2, 0x82, 0xac])[0]).toEqual([0xe2, 0x82, 0xac]);
    expect(flushed('text', [0xc3, 0xa9, 0x80, 0x80])[0]).toEqual([0xc3, 0xa9, 0x80, 0x80]);
    expect(flushed('text', [0xf0, 0x9f, 0x98, 0x80])[0]).toEqual([0xf0, 0x9f, 0x98, 0x80]);
    expect(flushed('text', [0xff])[0]).toEqual([0xff]);
  });

  it('holds back a CR until it is known whether an LF follows', () => {
    expect(flushed('text', [0x61, 0x0d], [0x0a])).toEqual([[0x61], [0x0d, 0x0a], []]);
    expect(flushed('text', [0x0d])).toEqual([[], [0x0d]]);
    expect(flushed('text', [0x61, 0x0d, 0xc3], [0xa9])).toEqual([[0x61], [0x0d, 0xc3, 0xa9], []]);
    expect(flushed('text', [0x0c], [0x0e])).toEqual([[0x0c], [0x0e], []]);
  });

  it('of bytes that are no text ends anywhere', () => {
    expect(flushed('binary', [0x61, 0x0d], [0xc3])).toEqual([[0x61, 0x0d], [0xc3], []]);
  });

  it('of nothing is none', () => {
    expect(flushed('text', [], [])).toEqual([[], [], []]);
    const cutter = new PieceCutter('text');
    expect([...cutter.flush(), ...cutter.finish()]).toEqual([]);
    expect(cutter.totals(['note'])).toEqual({
      bytes: 0,
      chars: 0,
      lines: 0,
      illFormed: 0,
      hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      notes: ['note'],
    });
  });

  it('has 64 KB when there is enough, whatever the chunks, and what a character held back begins the next', () => {
    for (const chunk of [1_000, 5_000, 65_535, 65_536, 65_537, 200_000]) {
      const cutter = new PieceCutter('text');
      const sizes: number[] = [];
      const bytes = Buffer.from(`x${'é'.repeat(100_000)}`);
      for (let at = 0; at < bytes.length; at += chunk)
        for (const piece of cutter.push(bytes.subarray(at, at + chunk))) sizes.push(piece.bytes.length);
      for (const piece of cutter.finish()) sizes.push(piece.bytes.length);
      expect([chunk, sizes]).toEqual([chunk, [PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES, 3_394]]);
    }
  });

  it('that was held back does not hold the memory of the chunk before it', () => {
    const cutter = new PieceCutter('text');
    for (const _ of cutter.push(Buffer.alloc(PIECE_BYTES + 3, 'x')));
    const [rest] = [...cutter.finish()];
    expect([rest?.bytes.length, rest?.bytes.buffer.byteLength]).toEqual([3, 3]);
  });

  it('is used as it is if it came as one chunk, and joined if it came in many', () => {
    const cutter = new PieceCutter('binary');
    const chunk = Buffer.alloc(100, 'x');
    expect([...cutter.push(chunk), ...cutter.flush()][0]?.bytes.buffer).toBe(chunk.buffer);
    for (let i = 0; i < 200; i++) for (const _ of cutter.push(chunk)) expect.fail('no piece is full yet');
    expect([...cutter.finish()].map(({ bytes }) => bytes.length)).toEqual([20_000]);
  });

  it('is measured, unless it is no text', () => {
    const totals = (kind: 'text' | 'binary', text: string) => {
      const cutter = new PieceCutter(kind);
      const pieces = [...cutter.push(Buffer.from(text, 'latin1')), ...cutter.finish()];
      const { bytes, chars, lines, illFormed } = cutter.totals();
      return [pieces[0]?.extent, pieces[0]?.illFormed, { bytes, chars, lines, illFormed }];
    };
    expect(totals('text', 'a\xff\r\nb')).toEqual([
      { bytes: 5, chars: 5, breaks: 1 },
      1,
      { bytes: 5, chars: 5, lines: 2, illFormed: 1 },
    ]);
    expect(totals('binary', 'a\xff\r\nb')).toEqual([
      { bytes: 5, chars: 0, breaks: 0 },
      0,
      { bytes: 5, chars: 0, lines: 0, illFormed: 0 },
    ]);
    expect(totals('text', 'a\r').at(-1)).toMatchObject({ lines: 1 });
    expect(totals('text', 'a\x0e').at(-1)).toMatchObject({ lines: 1 });
    expect(totals('text', 'a\n\x0c').at(-1)).toMatchObject({ lines: 2 });
  });
});
