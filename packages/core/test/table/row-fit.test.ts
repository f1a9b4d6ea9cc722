/** The fit knows what the rendering will take, without rendering. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Share } from '../../src/model/strategy.ts';
import { gapPrice } from '../../src/projection/price.ts';
import { renderViews } from '../../src/projection/render/text.ts';
import type { FitJob } from '../../src/projection/section.ts';
import type { LineTable } from '../../src/table/line-table.ts';
import { RowFit } from '../../src/table/row-fit.ts';
import { coverOf, textsOf } from '../../src/table/table-cover.ts';
import { plain } from '../../src/wording/dialects/plain.ts';
import { spill } from '../../src/wording/dialects/spill.ts';
import { standard } from '../../src/wording/dialects/standard.ts';
import { selectedAs } from '../part-text.ts';
import { tableOf } from '../tables.ts';

const DIALECTS = [standard, plain, spill];
const word = fc.constantFrom('a', 'line', 'é日😀', 'with words', '   ', 'error:', '12');
const short = fc.array(word, { maxLength: 9 }).map((words) => words.join(' '));
const stamped = fc.nat(3).chain((second) => short.map((text) => `2026-01-01T10:00:0${second}Z ${text}`));
const line = fc.oneof({ weight: 5, arbitrary: short }, { weight: 2, arbitrary: stamped });
const lines = fc
  .array(line, { minLength: 1, maxLength: 60 })
  .map((all) => all.map((each, i) => `${each} ${i}\n`));

/** How long the rendering of some rows is. */
function renderedChars(fit: RowFit, dialect: (typeof DIALECTS)[number]): number {
  const { table } = fit;
  let above = -1;
  const spans = [...fit.chosen].map((row) => {
    const stamp = fit.elidesStamp(above, row) ? (table.stamp[row] as number) : 0;
    above = row;
    return { start: table.from[row] as number, end: table.to[row] as number, stamp };
  });
  const selection = coverOf(table, spans);
  const texts = textsOf(table, selection);
  const selected = selectedAs(selection, { texts });
  const view = { kind: 'text', part: {} as never, selected, from: null, labelled: false } as const;
  return renderViews([view], { dialect, detail: 'full', addressed: true })[0]?.length ?? 0;
}

function shareOf(text: string, chars: number, dialect: (typeof DIALECTS)[number]): Share {
  const facts = { artifact: 'art_1699234567_a1b2c3d4', totalChars: text.length };
  const totalLines = text.split('\n').length - 1;
  const gap = gapPrice(
    { sections: [], dialect, facts: { ...facts, totalLines } } as unknown as FitJob,
    'full',
  );
  return { chars, lines: Number.POSITIVE_INFINITY, gap };
}

const scored = (table: LineTable, scores: readonly number[]) =>
  Float32Array.from({ length: table.rows }, (_, row) => scores[row % scores.length] ?? 0);

const DATED = ['0', '1', '', '0', '', '', '', '2'].map((each) =>
  each === '' ? '' : `2026-01-01T10:00:0${each}Z `,
);

describe('a fit', () => {
  const anyDialect = fc.constantFrom(...DIALECTS);
  const scores = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 40 });

  it('has the price of what is rendered, to the char', () => {
    fc.assert(
      fc.property(
        lines,
        scores,
        fc.integer({ min: 200, max: 3_000 }),
        fc.boolean(),
        (all, values, chars, elides) => {
          const text = all.join('');
          const table = tableOf(text);
          const fit = new RowFit(table, shareOf(text, chars, standard), { elidesStamps: elides });
          fit.fill(scored(table, values));
          if (fit.chosen.length > 0) expect(fit.chars).toBe(renderedChars(fit, standard));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is never longer than its room when rendered, in any dialect, with long lines and dropped rows', () => {
    const long = fc.constantFrom('word '.repeat(150), '日'.repeat(500), 'x'.repeat(900));
    const texts = fc.array(fc.oneof({ weight: 6, arbitrary: line }, { weight: 1, arbitrary: long }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(
        texts,
        scores,
        fc.integer({ min: 200, max: 3_000 }),
        anyDialect,
        (all, values, chars, dialect) => {
          const text = all.map((each, i) => `${each} ${i}${i % 5 === 0 ? '\r\n' : '\n'}`).join('');
          const table = tableOf(text);
          table.keepOnly(
            Uint8Array.from({ length: table.rows }, (_, row) =>
              Number(row % 7 !== 3 || row + 1 === table.rows),
            ),
          );
          const fit = new RowFit(table, shareOf(text, chars, dialect), { elidesStamps: true });
          fit.fill(scored(table, values));
          if (fit.chosen.length > 0)
            expect(renderedChars(fit, dialect)).toBeLessThanOrEqual(Math.min(chars, fit.chars));
        },
      ),
      {
        numRuns: 300,
        // The end of a long line is dropped, right before a line that is shown.
        examples: [[[...DATED, 'word '.repeat(150), ''], [1], 200, standard]],
      },
    );
  });

  it('stays within the lines of its room', () => {
    fc.assert(
      fc.property(lines, scores, fc.integer({ min: 3, max: 30 }), (all, values, most) => {
        const text = all.join('');
        const table = tableOf(text);
        const fit = new RowFit(
          table,
          { ...shareOf(text, 100_000, standard), lines: most },
          { elidesStamps: false },
        );
        fit.fill(scored(table, values));
        expect(fit.lines).toBeLessThanOrEqual(Math.max(most, 4));
      }),
      { numRuns: 200 },
    );
  });
});

describe('rows are taken', () => {
  const GAP = { chars: 30, lines: 3 };
  const long = (name: string) => name.padEnd(60, '.');
  const picked = (rows: readonly (readonly [number, string])[], chars: number, gap: Share['gap'] = GAP) => {
    const table = tableOf(rows.map(([, text]) => `${text}\n`).join(''));
    const fit = new RowFit(table, { chars, lines: Number.POSITIVE_INFINITY, gap }, { elidesStamps: false });
    fit.fill(Float32Array.from(rows, ([score]) => score));
    return [...fit.chosen];
  };

  it('by score, markers included', () => {
    const rows = ['a', 'b', 'c', 'd'].map((name, i) => [i + 1, long(name)] as const);
    expect(picked(rows, 61 + 30)).toEqual([3]);
    expect(picked(rows, 61 + 29)).toEqual([]);
    expect(picked(rows, 122 + 30)).toEqual([2, 3]);
  });

  it('where they close a gap that is shorter than its marker', () => {
    const rows = [
      [5, long('a')],
      [0, 'short'],
      [5, long('b')],
      [0, long('c')],
    ] as const;
    expect(picked(rows, 122 + 60)).toEqual([0, 1, 2]);
  });

  it('rather where they close a gap than where they are worth a little more', () => {
    const rows = [
      [9, long('a')],
      [1, long('x')],
      [9, long('b')],
      [0, long('.')],
      [1.2, long('y')],
    ] as const;
    expect(picked(rows, 183 + 60)).toEqual([0, 1, 2]);
  });

  it('that were said already only when nothing else is left to say', () => {
    const rows = [
      [9, long('a')],
      [8, long('a')],
      [3, long('b')],
    ] as const;
    expect(picked(rows, 122 + 60)).toEqual([0, 2]);
    expect(picked(rows, 183)).toEqual([0, 1, 2]);
  });

  it('never where they are blank or without words and stand alone', () => {
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
    const caret = [
      [1, long('int main() {')],
      [5, '^'.padEnd(60, '~')],
      [2, long('d')],
    ] as const;
    expect(picked(caret, 61 + 30)).toEqual([2]);
    expect(picked(caret, 183)).toEqual([0, 1, 2]);
  });

  it('for what markers cost, where that is known exactly', () => {
    const rows = [
      [5, long('a')],
      [1, long('x')],
      [4, long('b')],
      [1, long('y')],
      [3, long('c')],
    ] as const;
    expect(picked(rows, 183 + 25, { ...GAP, exactly: () => 10 })).toHaveLength(3);
    expect(picked(rows, 183 + 25)).toHaveLength(2);
  });
});
