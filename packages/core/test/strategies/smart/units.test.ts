/** Units are the same however the text arrives, and cover it. */

import { DEFAULT_POLICY } from '@spillway/core/plugin';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Piece } from '../../../src/model/piece.ts';
import { smartSummary } from '../../../src/strategies/smart/smart.ts';
import { type Unit, UnitFeed } from '../../../src/strategies/smart/units.ts';
import { ownWatches } from '../../../src/strategies/smart/watches.ts';
import { NO_CUE, standardLexicon } from '../../../src/strategies/smart/words.ts';
import { PieceCutter } from '../../../src/text/pieces.ts';

const policy = DEFAULT_POLICY;

function piecesOf(text: string, sizes: readonly number[]): Piece[] {
  const cutter = new PieceCutter('text');
  const bytes = new TextEncoder().encode(text);
  const pieces: Piece[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(...cutter.push(bytes.subarray(at, at + size)), ...cutter.flush());
    at += size;
  }
  pieces.push(...cutter.push(bytes.subarray(at)), ...cutter.finish());
  return pieces;
}

function unitsOf(text: string, sizes: readonly number[]) {
  const units: Unit[] = [];
  const feed = new UnitFeed(standardLexicon(), (unit) => units.push(unit));
  for (const piece of piecesOf(text, sizes)) feed.push(piece);
  feed.finish();
  return units.map(({ bytes, from, to, ...rest }) => ({
    ...rest,
    text: new TextDecoder().decode(bytes.subarray(from, to)),
  }));
}

const fragment = fc.oneof(
  fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    'error: ',
    '\u001b[31m',
    '\u001b[0K',
    'FAILED ',
    '12:00:01 ',
    'é日😀',
    '   ',
  ),
  fc.string({ maxLength: 12 }),
  fc.constantFrom('word '.repeat(120), 'x'.repeat(500), 'fetching 10 %\rfetching 20 %\r'),
);
const text = fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join('').toWellFormed());
const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 20 });

describe('units', () => {
  it('are the same in any chunking, one after the other, without gaps', () => {
    fc.assert(
      fc.property(text, sizes, (whole, chunks) => {
        const units = unitsOf(whole, chunks);
        expect(units).toEqual(unitsOf(whole, []));
        let at = 0;
        for (const [i, unit] of units.entries()) {
          expect([unit.index, unit.start.bytes]).toEqual([i, at]);
          at = unit.end.bytes;
        }
        expect(at).toBe(new TextEncoder().encode(whole).length);
      }),
      { numRuns: 300 },
    );
  });

  it('give the same selection in any chunking', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 3, maxLength: 8 }), sizes, (parts, chunks) => {
        const whole = parts.join('error: it broke\n');
        const selected = (pieces: readonly Piece[]) => {
          const selector = smartSummary(ownWatches(standardLexicon)).start(policy, 600);
          for (const piece of pieces) selector.push(piece);
          return selector.select({
            chars: 500,
            lines: Number.POSITIVE_INFINITY,
            gap: { chars: 40, lines: 3 },
          });
        };
        expect(selected(piecesOf(whole, chunks))).toEqual(selected(piecesOf(whole, [])));
      }),
      { numRuns: 200 },
    );
  });

  it('hold the stems that begin a line, also behind a time stamp', () => {
    const [plain, stamped, inside] = unitsOf('! Missing\n10:00:00 ! Missing\nx ! Missing\n', []);
    expect(plain?.mask).not.toBe(0);
    expect(stamped?.mask).toBe(plain?.mask);
    expect(inside?.mask).not.toBe(plain?.mask);
  });

  it('hold the stems that begin a line behind colours too', () => {
    const lines = ['! Gone', '\u001b[31m! Gone', '\u001b[1m\u001b[38;5;9m! Gone', '10:00:00 \u001b[0m! Gone'];
    const [plain, ...coloured] = unitsOf(`${lines.join('\n')}\n\u001b[31mx ! Gone\n\u001b[`, []).map(
      ({ mask }) => mask & ~NO_CUE,
    );
    expect(plain).not.toBe(0);
    expect(coloured).toEqual([plain, plain, plain, 0, 0]);
  });

  it('of many short lines each have the stems of their own', () => {
    const text = Array.from({ length: 3_000 }, (_, i) =>
      i % 3 === 0 ? 'a warning\r\n' : i % 3 === 1 ? '\n' : 'ab\r',
    );
    const units = unitsOf(text.join(''), [700]);
    const [warning] = unitsOf('a warning\r\n', []);
    expect(units.map((unit) => unit.mask)).toEqual(text.map((_, i) => (i % 3 === 0 ? warning?.mask : 0)));
    expect(units.map((unit) => unit.text)).toEqual(text);
  });

  it('of a long line are segments that end at a separator', () => {
    const units = unitsOf(`${'word '.repeat(200)}\nnext\n`, []);
    expect(units.map((unit) => [unit.text.length, unit.first])).toEqual([
      [300, true],
      [300, false],
      [401, false],
      [5, true],
    ]);
  });

  it('hold no more of a long log than a few budgets', () => {
    const selector = smartSummary(ownWatches(standardLexicon)).start(policy, 1_000);
    const cutter = new PieceCutter('text');
    const encoder = new TextEncoder();
    let held = 0;
    for (let i = 0; i < 50; i++) {
      const lines = Array.from(
        { length: 1_000 },
        (_, j) => `ERROR: job ${i * 1_000 + j} failed with ${(i * j) % 977} left`,
      );
      for (const piece of cutter.push(encoder.encode(`${lines.join('\n')}\n`))) selector.push(piece);
    }
    for (const piece of cutter.finish()) selector.push(piece);
    const selection = selector.select({
      chars: 900,
      lines: Number.POSITIVE_INFINITY,
      gap: { chars: 40, lines: 3 },
    });
    for (const segment of selection) if (segment.kind === 'keep') held += selector.bytes(segment).length;
    expect(held).toBeLessThanOrEqual(900);
    expect(selection.filter((segment) => segment.kind === 'keep').length).toBeGreaterThan(1);
  });
});
