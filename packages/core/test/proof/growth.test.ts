/**
 * Memory does not grow with the output. Formats that are read by lines hold less than an output of
 * 32 MB has, whatever it is, also where its names are all different.
 */
import { describe, expect, it } from 'vitest';
import { code } from '../../src/formats/code/index.ts';
import { diff } from '../../src/formats/diff/index.ts';
import { hits } from '../../src/formats/hits/index.ts';
import { table } from '../../src/formats/table/index.ts';
import { fileOf } from '../formats/diff-text.ts';
import { growthOf, omits, shareOf } from '../formats/line-checks.ts';

const BYTES = 32_000_000;
const MOST = 24_000_000;

const times = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join('');

describe('of 32 MB no more than a table is held', () => {
  it('of source code', () => {
    const method = (i: number) => `  method${i}(): void {\n${'    this.#x++;\n'.repeat(6)}  }\n\n`;
    const chunk = Buffer.from(
      times(
        200,
        (i) =>
          `/** Says f${i}. */\nexport function f${i}(x: number): number {\n${'  x += compute(x);\n'.repeat(8)}  return x;\n}\n\n` +
          `export class C${i} {\n  #x = 0;\n\n${times(3, method)}}\n\n`,
      ),
    );
    expect(growthOf(code, BYTES, () => chunk).bytes).toBeLessThan(MOST);
  });

  it('of a diff', () => {
    const chunk = Buffer.from(times(50, (i) => fileOf(i, 3, 40)));
    expect(growthOf(diff, BYTES, () => chunk).bytes).toBeLessThan(MOST);
  });

  it('of search hits', () => {
    const hit = (file: number, line: number) => `src/file${file}.ts:${line}:  use(selection, ${line});\n`;
    const chunk = Buffer.from(times(500, (file) => times(40, (i) => hit(file, i + 1))));
    expect(growthOf(hits, BYTES, () => chunk).bytes).toBeLessThan(MOST);
  });

  it('of a table, which is still shown', () => {
    const cities = ['Berlin', 'Lisbon', 'Osaka', 'Quito'];
    const row = (i: number) => `${i},item ${i},ok,${(50 + (i % 17)).toFixed(2)},${cities[i % 4]}\n`;
    const header = Buffer.from('id,name,status,price,city\n');
    const chunk = Buffer.from(times(2_000, row));
    const { bytes, selector } = growthOf(table, BYTES, (at) => (at === 0 ? header : chunk));
    expect(bytes).toBeLessThan(MOST);
    expect(selector.isFollowed).toBe(true);
    expect(selector.select(shareOf(8_000)).length).toBeGreaterThan(1);
  });
});

describe('of names that are all different little is held, and all are counted', () => {
  it('of 50,000 files in a diff', () => {
    let file = 0;
    const { bytes, selector, seen } = growthOf(diff, BYTES, () =>
      Buffer.from(times(500, () => fileOf(file++, 2, 8))),
    );
    expect(file).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(MOST);
    const selection = selector.select(shareOf(8_000));
    expect(selection.at(-1)?.end).toBe(seen.bytes);
    expect(omits(selection).flatMap(({ what }) => what?.outline ?? []).length).toBeGreaterThan(20);
  });
});
