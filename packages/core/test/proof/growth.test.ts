/** Formats that are read by lines hold a few megabytes of an output of 200 MB, whatever it is. */
import { describe, expect, it } from 'vitest';
import { keepCode } from '../../src/formats/code/keep.ts';
import { keepDiff } from '../../src/formats/diff/keep.ts';
import { keepHits } from '../../src/formats/hits/keep.ts';
import { keepListing } from '../../src/formats/listing/keep.ts';
import { keepRows } from '../../src/formats/table/keep.ts';
import { growthOf, shareOf } from '../formats/line-checks.ts';

const BYTES = 200_000_000;
const MOST = 12_000_000;

const times = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join('');

describe('of 200 MB no more than a few megabytes are held', () => {
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
    expect(growthOf(keepCode(), BYTES, () => chunk).bytes).toBeLessThan(MOST);
  });

  it('of a diff', () => {
    const hunk = (file: number, at: number) =>
      `@@ -${at},41 +${at},42 @@ function f${file}()\n${' context of the hunk\n'.repeat(40)}-old ${file} ${at}\n+new ${file} ${at}\n+more ${file} ${at}\n`;
    const chunk = Buffer.from(
      times(50, (i) => {
        const name = `src/file${i}.ts`;
        const head = `diff --git a/${name} b/${name}\nindex 1234567..89abcde 100644\n--- a/${name}\n+++ b/${name}\n`;
        return head + times(3, (h) => hunk(i, h * 100 + 1));
      }),
    );
    expect(growthOf(keepDiff, BYTES, () => chunk).bytes).toBeLessThan(MOST);
  });

  it('of search hits', () => {
    const hit = (file: number, line: number) => `src/file${file}.ts:${line}:  use(selection, ${line});\n`;
    const chunk = Buffer.from(times(500, (file) => times(40, (i) => hit(file, i + 1))));
    expect(growthOf(keepHits, BYTES, () => chunk).bytes).toBeLessThan(MOST);
  });

  it('of a listing', () => {
    const chunk = Buffer.from(
      times(2_000, (i) => `src/a/b/file${i}.ts\n`) + times(2_000, (i) => `src/c/file${i}.ts\n`),
    );
    expect(growthOf(keepListing, BYTES, () => chunk).bytes).toBeLessThan(MOST);
  });

  it('of a table, which is still shown', () => {
    const cities = ['Berlin', 'Lisbon', 'Osaka', 'Quito'];
    const row = (i: number) => `${i},item ${i},ok,${(50 + (i % 17)).toFixed(2)},${cities[i % 4]}\n`;
    const header = Buffer.from('id,name,status,price,city\n');
    const chunk = Buffer.from(times(2_000, row));
    const { bytes, selector } = growthOf(keepRows(), BYTES, (at) => (at === 0 ? header : chunk));
    expect(bytes).toBeLessThan(MOST);
    expect(selector.failure).toBeNull();
    expect(selector.select(shareOf(8_000)).length).toBeGreaterThan(1);
  });
});
