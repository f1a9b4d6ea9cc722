/** Small parts packed into pieces: whole, in order, each measured for itself. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PiecePacker } from '../../src/capture/late-parts.ts';
import type { Piece } from '../../src/model/piece.ts';
import { PieceCutter } from '../../src/text/pieces.ts';

function partOf(content: string | Uint8Array): { pieces: Piece[]; lines: number } {
  const cutter = new PieceCutter('text');
  const pieces = [...cutter.push(Buffer.from(content)), ...cutter.finish()];
  return { pieces, lines: cutter.totals().lines };
}

function packed(...contents: (string | Uint8Array)[]) {
  const packer = new PiecePacker();
  const given = contents.map((content) => {
    const { pieces, lines } = partOf(content);
    return packer.push(pieces, lines);
  });
  return { given, last: packer.finish(), totals: packer.totals() };
}

const measures = (piece: Piece | null) =>
  piece && [piece.start.bytes, piece.bytes.length, piece.extent.chars, piece.extent.breaks, piece.illFormed];

describe('packed parts', () => {
  it('are one piece as long as they fit into 64 KB', () => {
    const { given, last, totals } = packed('one\n', 'zwei', '', 'drü\n');
    expect(given).toEqual([null, null, null, null]);
    expect(Buffer.from(last?.bytes ?? []).toString()).toBe('one\nzweidrü\n');
    expect(measures(last)).toEqual([0, 13, 12, 2, 0]);
    expect(totals).toEqual({
      bytes: 13,
      chars: 12,
      lines: 3,
      illFormed: 0,
      hash: createHash('sha256').update('one\nzweidrü\n').digest('hex'),
      notes: [],
    });
  });

  it('begin a new piece where one would not fit whole', () => {
    const { given, last, totals } = packed('a\n'.repeat(32_767), 'xx', 'y', 'z'.repeat(65_535), 'é');
    expect(given.map(measures)).toEqual([
      null,
      null,
      [0, 65_536, 65_536, 32_767, 0],
      null,
      [65_536, 65_536, 65_536, 0, 0],
    ]);
    expect(measures(last)).toEqual([131_072, 2, 1, 0, 0]);
    expect(totals).toMatchObject({ bytes: 131_074, chars: 131_073, lines: 32_771 });
  });

  it('are measured as if they stood alone: CR and LF, and halves of a character, do not meet', () => {
    const { last, totals } = packed('a\r', '\nb', Buffer.of(0xc3), Buffer.of(0xa9));
    expect(measures(last)).toEqual([0, 6, 6, 2, 2]);
    expect(totals).toMatchObject({ chars: 6, lines: 5, illFormed: 2 });
  });

  it('count what is ill-formed in each piece by itself, and in all', () => {
    const bad = Buffer.of(0xff);
    const { given, last, totals } = packed(bad, 'x'.repeat(65_536), bad, bad);
    expect([...given.map((piece) => piece?.illFormed), last?.illFormed, totals.illFormed]).toEqual([
      undefined,
      1,
      0,
      undefined,
      2,
      3,
    ]);
  });

  it('give no piece where there is nothing', () => {
    const { given, last, totals } = packed('', '');
    expect([given, last, totals.bytes, totals.lines]).toEqual([[null, null], null, 0, 0]);
  });

  it('are not changed by what follows', () => {
    const packer = new PiecePacker();
    const first = partOf('first');
    packer.push(first.pieces, first.lines);
    const piece = packer.finish();
    const second = partOf('OTHER');
    packer.push(second.pieces, second.lines);
    expect(Buffer.from(piece?.bytes ?? []).toString()).toBe('first');
    expect(measures(packer.finish())).toEqual([5, 5, 5, 0, 0]);
  });
});
