/** `element` for tables: header and whole rows, unusual ones before average ones. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { table as tables } from '../../src/formats/table/index.ts';
import { anyBytes } from '../arbitraries.ts';
import {
  checkSelection,
  detailed,
  holdsFor,
  omits,
  RUNS,
  rendered,
  seen,
  shareOf,
  shownBy,
} from './line-checks.ts';

const rows = (detail?: string) => detailed(tables, detail);
const HEADER = 'id,name,status,price,city\n';
const CITIES = ['Berlin', 'Lisbon', 'Osaka', 'Quito'];
const average = (i: number) => `${i},item ${i},ok,${(50 + (i % 17)).toFixed(2)},${CITIES[i % 4]}\n`;
const table = (count: number, change: (i: number) => string | undefined = () => undefined) =>
  HEADER + Array.from({ length: count }, (_, i) => change(i) ?? average(i)).join('');

const field = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'ok',
    'error',
    '12',
    '3.5',
    'naïve',
    '日本',
    '"quoted"',
    '"a,b"',
    '"two\nlines"',
    '"it ""is"""',
    '5" pipe',
    '👍',
  ),
  fc.string({ maxLength: 20 }).map((text) => text.replace(/[",\r\n]/g, '_')),
);
const anyTable = fc
  .record({
    records: fc.array(fc.array(field, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 120 }),
    delimiter: fc.constantFrom(',', '\t', ';'),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    times: fc.integer({ min: 1, max: 12 }),
    last: fc.constantFrom('', '\n'),
  })
  .map(({ records, delimiter, end, times, last }) => {
    const body = records.map((record) => record.join(delimiter)).join(end);
    return Buffer.from(Array.from({ length: times }, () => body).join(end) + last);
  });

describe('a CSV', () => {
  it('keeps its header, its first and last rows, and counts the others', () => {
    const text = shownBy(rows(), table(1_000), 1_500);
    expect(text.startsWith(HEADER + [0, 1, 2, 3, 4].map(average).join(''))).toBe(true);
    expect(text.endsWith([995, 996, 997, 998, 999].map(average).join(''))).toBe(true);
    expect(text).toMatch(/\n\.\.\. \[([\d,]+) lines \/ [\d,]+ chars omitted: \1 rows\] \.\.\.\n/);
  });

  it('shows a row whose value is like no other of its column but for numbers', () => {
    const odd = '777,moved to another shelf,ok,51.00,Osaka\n';
    const text = shownBy(
      rows(),
      table(2_000, (i) => (i === 777 ? odd : undefined)),
      1_500,
    );
    expect(text).toContain(odd);
  });

  it('shows a row with a long message where others have a short status', () => {
    const odd = `777,item 777,${'waiting for the second review of the carrier; '.repeat(4)},51.00,Osaka\n`;
    const text = shownBy(
      rows(),
      table(2_000, (i) => (i === 777 ? odd : undefined)),
      1_500,
    );
    expect(text).toContain(odd);
  });

  it('shows a row with a rare status before average ones', () => {
    const text = shownBy(
      rows(),
      table(2_000, (i) => (i === 777 ? '777,item 777,CrashLoopBackOff,51.00,Osaka\n' : undefined)),
      1_500,
    );
    expect(text).toContain('777,item 777,CrashLoopBackOff,51.00,Osaka\n');
  });

  it.each([
    ['another number of fields', (i: number) => `${i},item ${i},ok\n`],
    ['an empty cell', (i: number) => `${i},item ${i},ok,52.00,\n`],
    ['a number far from the others', (i: number) => `${i},item ${i},ok,99999.00,Lisbon\n`],
    ['a word among numbers', (i: number) => `${i},item ${i},ok,n/a,Lisbon\n`],
    ['a rare value', (i: number) => `${i},item ${i},ok,51.00,Ushuaia\n`],
    ['a status that says that something failed', (i: number) => `${i},item ${i},failed,51.00,Quito\n`],
  ])('at 8,000 chars shows a row with %s in at least 9 of 10 random places', (_what, odd) => {
    let found = 0;
    const positions = fc.sample(fc.integer({ min: 0, max: 9_999 }), { numRuns: 20, seed: 7 });
    for (const position of positions)
      if (
        shownBy(
          rows(),
          table(10_000, (i) => (i === position ? odd(i) : undefined)),
          8_000,
        ).includes(odd(position))
      )
        found++;
    expect(found / positions.length).toBeGreaterThanOrEqual(0.9);
  });

  it('takes a quoted field with separators, quotes and line ends as one cell', () => {
    const odd = '77,"a ""b"",\nc\r\nd",failed,51.00,Quito\n';
    const text = shownBy(
      rows(),
      table(3_000, (i) => (i === 77 ? odd : undefined)),
      2_000,
    );
    expect(text).toContain(odd);
    const selector = seen(rows(), [Buffer.from(table(3_000, (i) => (i === 77 ? odd : undefined)))]);
    const selection = selector.select(shareOf(2_000));
    const kept = rendered(selector, selection).match(/^\d+,/gm)?.length ?? 0;
    const omitted = omits(selection).reduce((sum, { what }) => sum + (what?.count ?? 0), 0);
    expect(kept + omitted).toBe(3_000);
  });

  it('takes a quote inside a field as a character', () => {
    const text = table(500, (i) => (i % 2 === 0 ? `${i},5" pipe,ok,51.00,Quito\n` : undefined));
    expect(seen(rows(), [Buffer.from(text)]).isFollowed).toBe(true);
  });

  it('leaves out a row that no budget can show, and only that', () => {
    const cell = 'x'.repeat(10_000_000);
    const bytes = Buffer.from(table(300, (i) => (i === 100 ? `100,${cell},ok,51.00,Quito\n` : undefined)));
    const selector = seen(rows(), [bytes], 8_000);
    const selection = selector.select(shareOf(8_000));
    checkSelection(bytes, selector, selection, shareOf(8_000));
    const gaps = omits(selection).map(({ firstLine, lastLine }) => [firstLine, lastLine]);
    expect(gaps).toContainEqual([102, 102]);
    expect(rendered(selector, selection)).not.toContain('xxx');
    expect(rendered(selector, selection)).toContain(average(99));
    expect(rendered(selector, selection)).toContain(average(101));
  });

  it('fails where a quoted field is never closed', () => {
    expect(seen(rows(), [Buffer.from(`${table(200)}201,"open,ok\n${table(200)}`)]).isFollowed).toBe(false);
  });

  it('fails on prose, on nothing and on binary junk', () => {
    const junk =
      fc.sample(fc.uint8Array({ minLength: 3_000, maxLength: 3_000 }), { numRuns: 1, seed: 3 })[0] ??
      new Uint8Array();
    for (const bytes of [
      Buffer.from('Just a sentence. And one more.\nNothing else.\n'),
      Buffer.alloc(0),
      junk,
    ])
      expect(seen(rows(), [bytes]).isFollowed).toBe(false);
  });

  it('is read with the separator that detection found', () => {
    const text = `a|b\n${Array.from({ length: 400 }, (_, i) => `${i}|x, y\n`).join('')}`;
    const selector = seen(rows('|'), [Buffer.from(text)]);
    expect(selector.isFollowed).toBe(true);
    expect(shownBy(rows('|'), text, 1_000)).toMatch(/^a\|b\n0\|x, y\n/);
  });
});

describe('a table by lines', () => {
  const pods = Array.from(
    { length: 300 },
    (_, i) =>
      `web-${String(i).padStart(4, '0')}   1/1     ${i === 200 ? 'CrashLoopBackOff' : 'Running'}   0          4d\n`,
  );

  it('aligned by blanks keeps its header and the pod in trouble', () => {
    const text = shownBy(rows(), `NAME       READY   STATUS    RESTARTS   AGE\n${pods.join('')}`, 1_000);
    expect(text.startsWith('NAME       READY   STATUS    RESTARTS   AGE\nweb-0000')).toBe(true);
    expect(text).toContain(pods[200]);
  });

  it('in Markdown keeps the rule below its header', () => {
    const body = Array.from(
      { length: 400 },
      (_, i) => `| ${i} | ${i === 111 ? 'failed' : 'passed'} |\n`,
    ).join('');
    const text = shownBy(rows(), `| case | result |\n|-----:|--------|\n${body}`, 700);
    expect(text.startsWith('| case | result |\n|-----:|--------|\n| 0 | passed |\n')).toBe(true);
    expect(text).toContain('| 111 | failed |\n');
  });

  it('in a box keeps frame and header together', () => {
    const body = Array.from({ length: 400 }, (_, i) => `│ ${String(i).padStart(4)} │ up    │\n`).join('');
    const text = shownBy(
      rows(),
      `┌──────┬───────┐\n│   id │ state │\n├──────┼───────┤\n${body}└──────┴───────┘\n`,
      900,
    );
    expect(text.startsWith('┌──────┬───────┐\n│   id │ state │\n├──────┼───────┤\n│    0 │ up    │\n')).toBe(
      true,
    );
    expect(text.endsWith('└──────┴───────┘\n')).toBe(true);
  });
});

describe('every table', () => {
  it('is covered and counted exactly, within its share, whatever the chunks', () =>
    holdsFor(rows(), anyTable));
  it('and every other text too', () => holdsFor(rows(), anyBytes));

  it('keeps its header wherever there is room for it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 300, max: 20_000 }),
        fc.integer({ min: 1, max: 3_000 }),
        (chars, count) => {
          expect(shownBy(rows(), table(count), chars).startsWith(HEADER)).toBe(true);
        },
      ),
      RUNS,
    );
  });
});
