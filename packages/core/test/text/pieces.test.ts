/** Streams cut into measured pieces. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PIECE_BYTES, type Piece } from '../../src/model/piece.ts';
import { PieceCutter } from '../../src/text/pieces.ts';
import { decode, measure } from '../../src/text/utf8.ts';
import { anyBytes, chunked } from '../arbitraries.ts';

function cut(
  chunks: readonly Uint8Array[],
  flushAfterEach = false,
): { pieces: Piece[]; cutter: PieceCutter } {
  const cutter = new PieceCutter('text');
  const pieces: Piece[] = [];
  for (const chunk of chunks) {
    pieces.push(...cutter.push(chunk));
    if (flushAfterEach) pieces.push(...cutter.flush());
  }
  pieces.push(...cutter.finish());
  return { pieces, cutter };
}

describe('pieces', () => {
  it('put together are the stream, and come to the same totals in any chunking, also when flushed early', () => {
    fc.assert(
      fc.property(anyBytes, fc.array(fc.nat(), { maxLength: 12 }), fc.boolean(), (bytes, cuts, flush) => {
        const { pieces, cutter } = cut(chunked(bytes, cuts), flush);
        expect(Buffer.concat(pieces.map((piece) => piece.bytes))).toEqual(Buffer.from(bytes));
        const { chars, breaks, illFormed } = measure(bytes);
        const totals = cutter.totals();
        expect(totals).toMatchObject({
          bytes: bytes.length,
          chars,
          illFormed,
          hash: createHash('sha256').update(bytes).digest('hex'),
        });
        expect(pieces.reduce((sum, piece) => sum + piece.extent.breaks, 0)).toBe(breaks);
        expect(pieces.map((piece) => decode(piece.bytes)).join('')).toBe(decode(bytes));
      }),
      { numRuns: 300 },
    );
  });

  it('begin where the one before ended', () => {
    const { pieces } = cut([Buffer.from('日本語\r\n'.repeat(30_000))]);
    expect(pieces.length).toBeGreaterThan(3);
    let at = { bytes: 0, chars: 0, breaks: 0 };
    for (const piece of pieces) {
      expect(piece.start).toEqual(at);
      at = {
        bytes: at.bytes + piece.extent.bytes,
        chars: at.chars + piece.extent.chars,
        breaks: at.breaks + piece.extent.breaks,
      };
    }
  });

  it('never end inside a character or between CR and LF, and are at most 64 KB', () => {
    for (const unit of ['😀', '日', 'é', 'a\r\n']) {
      for (let offset = 0; offset < 4; offset++) {
        const text = 'x'.repeat(offset) + unit.repeat(40_000);
        const { pieces } = cut([Buffer.from(text)]);
        for (const piece of pieces) {
          expect(piece.bytes.length).toBeLessThanOrEqual(PIECE_BYTES);
          expect(piece.illFormed).toBe(0);
          expect(piece.bytes.at(-1)).not.toBe(13);
        }
      }
    }
  });

  it('have 64 KB when there is enough, whatever the chunks; what a character held back begins the next', () => {
    const bytes = Buffer.from(`x${'é'.repeat(100_000)}`);
    for (const size of [1_000, 65_535, 65_536, 65_537, 200_000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const sizes = cut(chunks).pieces.map((piece) => piece.bytes.length);
      expect([size, sizes]).toEqual([size, [PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES, 3_394]]);
    }
  });

  it('hold the memory of one chunk as it is, and of what was held back only its own', () => {
    const cutter = new PieceCutter('binary');
    const chunk = Buffer.alloc(100, 'x');
    expect([...cutter.push(chunk), ...cutter.flush()][0]?.bytes.buffer).toBe(chunk.buffer);
    for (const _ of cutter.push(Buffer.alloc(PIECE_BYTES + 3, 'x')));
    const [rest] = [...cutter.finish()];
    expect([rest?.bytes.length, rest?.bytes.buffer.byteLength]).toEqual([3, 3]);
  });

  it('are not measured where they are no text', () => {
    const cutter = new PieceCutter('binary');
    const [piece] = [...cutter.push(Buffer.from('a\xff\r\nb', 'latin1')), ...cutter.finish()];
    expect([piece?.extent, piece?.illFormed]).toEqual([{ bytes: 5, chars: 0, breaks: 0 }, 0]);
    expect(cutter.totals()).toMatchObject({ bytes: 5, chars: 0, lines: 0, illFormed: 0 });
  });
});
