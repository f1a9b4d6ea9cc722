/** One loop over bytes fills the table: exactly, and the same in any chunking. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLANK, CONTINUED, type LineTable, OPEN } from '../../src/table/line-table.ts';
import { coverOf, storedAt, textsOf } from '../../src/table/table-cover.ts';
import { Cleaner } from '../../src/text/cleaner.ts';
import { decode, measure } from '../../src/text/utf8.ts';
import { bytesOf, piecesIn, rowsOf, tableOf } from '../tables.ts';

const ESC = '\u001b';
const fragment = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\r\r\n',
      '\n\n',
      `${ESC}[31m`,
      `${ESC}[0m`,
      `${ESC}[2K\r`,
    ),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'error: ',
      'FAILED ',
      '12:00:01 ',
      '2026-01-01T10:00:00Z ',
      'get 10 %\rget 20 %',
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom('é日😀', '   ', '\t', '[junit]   at x', `${ESC}]0;t\u0007`, ESC, '\0'),
  },
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('word '.repeat(120), 'x'.repeat(1_000), '日'.repeat(400), '\r'.repeat(500)),
  },
);
const bytes = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fragment.map((text) => Buffer.from(text)) },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom([0xff], [0xe2, 0x80], [0xf0, 0x9f], [0x80, 0x80], [0xc3])
          .map((each) => Buffer.from(each)),
      },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 9 }) },
    ),
    { maxLength: 50 },
  )
  .map((parts) => Buffer.concat(parts));
const cuts = fc.array(fc.nat(), { maxLength: 12 });
const clean = fc.constantFrom('cleaned', 'as it is') as fc.Arbitrary<'cleaned' | 'as it is'>;

const COLUMNS = ['start', 'end', 'at', 'after', 'from', 'to', 'breaks', 'breaksAfter', 'chars'] as const;
const FEATURES = [
  'shape',
  'before',
  'digits',
  'second',
  'stamp',
  'ending',
  'flags',
  'indent',
  'first',
] as const;

/** All that a table says, as data. */
function dataOf(table: LineTable) {
  const { rows, totals, words, stems } = table;
  const columns = [...COLUMNS, ...FEATURES].map(
    (name) => [name, [...table[name].subarray(0, rows)]] as const,
  );
  const elisions = Array.from({ length: rows }, (_, row) => table.elisionsOf(row));
  return {
    text: table.bytes.subarray(0, table.length).toString('latin1'),
    columns: Object.fromEntries(columns),
    stems: [...stems.subarray(0, rows * words)],
    totals: { ...totals },
    elisions,
  };
}

function cleanedOf(content: Uint8Array, how: 'cleaned' | 'as it is'): Buffer {
  if (how === 'as it is') return Buffer.from(content);
  const parts: Buffer[] = [];
  const cleaner = new Cleaner(({ bytes: each }) => parts.push(Buffer.from(each)));
  for (const piece of piecesIn(content)) cleaner.push(piece);
  cleaner.finish();
  return Buffer.concat(parts);
}

const extentOf = (content: Uint8Array) => {
  const { illFormed: _, ...extent } = measure(content);
  return extent;
};

describe('the rows of a table', () => {
  it('are the same in any chunking, in every column', () => {
    fc.assert(
      fc.property(bytes, cuts, clean, (content, chunks, how) => {
        expect(dataOf(tableOf(content, { clean: how, cuts: chunks }))).toEqual(
          dataOf(tableOf(content, { clean: how })),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('are the cleaned text, one behind the other', () => {
    fc.assert(
      fc.property(bytes, cuts, clean, (content, chunks, how) => {
        const table = tableOf(content, { clean: how, cuts: chunks });
        const rows = Array.from({ length: table.rows }, (_, row) => bytesOf(table, row));
        expect(Buffer.concat(rows).equals(cleanedOf(content, how))).toBe(true);
        for (let row = 1; row < table.rows; row++) expect(table.from[row]).toBe(table.to[row - 1]);
      }),
      { numRuns: 300 },
    );
  });

  it('lie in the stored text end to end, with its bytes, chars and line ends', () => {
    fc.assert(
      fc.property(bytes, cuts, clean, (content, chunks, how) => {
        const table = tableOf(content, { clean: how, cuts: chunks });
        const { stored, clean: cleaned } = table.totals;
        expect(stored).toEqual(extentOf(content));
        expect(cleaned).toEqual(extentOf(cleanedOf(content, how)));
        expect(table.startOf(0)).toEqual(table.rows === 0 ? stored : { bytes: 0, chars: 0, breaks: 0 });
        for (let row = 0; row < table.rows; row++) {
          if (row > 0) expect(table.startOf(row)).toEqual(table.endOf(row - 1));
          expect(table.chars[row]).toBe(decode(bytesOf(table, row)).length);
          const { bytes: from, ...place } = table.startOf(row);
          // A cut never falls inside a sequence that is shown as one char.
          expect(place).toMatchObject(
            ((table.flags[row] as number) & CONTINUED) === 0
              ? { breaks: extentOf(content.subarray(0, from)).breaks }
              : {},
          );
        }
        expect(table.endOf(table.rows - 1)).toEqual(stored);
      }),
      { numRuns: 300 },
    );
  });

  it('are whole lines, or segments of about 300 bytes of a long one', () => {
    const table = tableOf(`${'word '.repeat(200)}\nnext\n\n${'日'.repeat(300)}`);
    expect(rowsOf(table).map((row) => row.length)).toEqual([300, 300, 401, 5, 1, 100, 100, 100]);
    const kinds = Array.from(
      table.flags.subarray(0, table.rows),
      (flags) => flags & (OPEN | CONTINUED | BLANK),
    );
    expect(kinds).toEqual([OPEN, OPEN | CONTINUED, CONTINUED, 0, BLANK, OPEN, OPEN | CONTINUED, CONTINUED]);
    expect(table.totals.isOpen).toBe(true);
  });
});

describe('what is shown of a table', () => {
  it('covers the stored text exactly, whatever rows are kept and whatever rows were dropped', () => {
    fc.assert(
      fc.property(
        bytes,
        clean,
        fc.func(fc.boolean()),
        fc.func(fc.boolean()),
        (content, how, isShown, isHeld) => {
          const table = tableOf(content, { clean: how });
          const all = rowsOf(table);
          const isEnd = (row: number) => row === 0 || row === all.length - 1;
          const held = [...all.keys()].filter((row) => isEnd(row) || isHeld(row));
          table.keepOnly(Uint8Array.from(all, (_, row) => Number(held.includes(row))));
          const rows = [...held.keys()].filter((row) => isShown(row));
          const spans = rows.map((row) => ({
            start: table.from[row] as number,
            end: table.to[row] as number,
          }));
          const selection = coverOf(table, spans);
          let at = 0;
          let chars = 0;
          for (const segment of selection) {
            expect(segment.start).toBe(at);
            at = segment.end;
            chars += segment.chars;
          }
          const { bytes: end, chars: total } = extentOf(content);
          expect([at, chars]).toEqual([end, total]);
          expect(textsOf(table, selection).join('')).toBe(
            rows.map((row) => all[held[row] as number]).join(''),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('has its place in the stored text, behind formatting too', () => {
    const table = tableOf(`a${ESC}[31mbc${ESC}[0m\nd\n`, { clean: 'cleaned' });
    expect(rowsOf(table)).toEqual(['abc\n', 'd\n']);
    expect([0, 1, 2, 3, 4, 6].map((offset) => storedAt(table, offset).bytes)).toEqual([0, 1, 7, 8, 13, 15]);
  });
});

describe('a shape', () => {
  const shapesIn = (...lines: string[]) => {
    const table = tableOf(`${lines.join('\n')}\n`);
    return new Set(table.shape.subarray(0, table.rows)).size;
  };

  it('is that of lines which differ in numbers, spaces and the length of bars only', () => {
    expect(shapesIn('took 12 ms', 'took 3456 ms', '  took\t7  ms')).toBe(1);
    expect(shapesIn('job7 done', 'job19 done')).toBe(1);
    expect(shapesIn('[###......] 1 failing', '[######...] 2 failing')).toBe(1);
    expect(shapesIn('2026-01-01T10:00:00Z done 1', '2026-01-02T11:30:00Z done 2')).toBe(1);
  });

  it('is another one where words differ, or a number is zero', () => {
    expect(shapesIn('took 12 ms', 'took 12 s', 'look 12 ms')).toBe(3);
    expect(shapesIn('7 errors', '0 errors')).toBe(2);
    expect(shapesIn('a b', 'ab')).toBe(2);
  });
});
