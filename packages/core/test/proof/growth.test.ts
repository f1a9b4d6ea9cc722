/**
 * Memory does not grow with the output. Formats that are read by lines hold a few megabytes of an
 * output of 200 MB, whatever it is, and of an output whose names are all different; `smart_summary`
 * holds a few megabytes of data in a log.
 */
import { describe, expect, it } from 'vitest';
import { keepCode } from '../../src/formats/code/keep.ts';
import { keepDiff } from '../../src/formats/diff/keep.ts';
import { keepHits } from '../../src/formats/hits/keep.ts';
import { keepListing } from '../../src/formats/listing/keep.ts';
import { keepRows } from '../../src/formats/table/keep.ts';
import { smartSummary } from '../../src/strategies/smart/smart.ts';
import { ownWatches } from '../../src/strategies/smart/watches.ts';
import { standardLexicon } from '../../src/strategies/smart/words.ts';
import { fileOf } from '../formats/diff-text.ts';
import { growthOf, omits, piecesOf, rendered, shareOf } from '../formats/line-checks.ts';

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
    const chunk = Buffer.from(times(50, (i) => fileOf(i, 3, 40)));
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

describe('of names that are all different little is held, and all are counted', () => {
  it('of a million files in a listing', () => {
    let file = 0;
    const path = () =>
      `src/pkg${Math.floor(file / 1_000)}/mod${Math.floor(file / 20) % 50}/file${file++ % 20}.ts\n`;
    const { bytes, selector } = growthOf(keepListing, 36_000_000, () => Buffer.from(times(2_000, path)));
    expect(file).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(MOST);
    const selection = selector.select(shareOf(8_000));
    const kept = rendered(selector, selection).match(/^src\//gm)?.length ?? 0;
    expect(kept + omits(selection).reduce((sum, { what }) => sum + (what?.count ?? 0), 0)).toBe(file);
  });

  it('of 100,000 files in a diff', () => {
    let file = 0;
    const { bytes, selector, seen } = growthOf(keepDiff, 64_000_000, () =>
      Buffer.from(times(500, () => fileOf(file++, 2, 8))),
    );
    expect(file).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(MOST);
    const selection = selector.select(shareOf(8_000));
    expect(selection.at(-1)?.end).toBe(seen.bytes);
    expect(rendered(selector, selection).match(/^diff --git/gm)?.length).toBeGreaterThan(20);
  });
});

describe('what is remembered of data in a log', () => {
  const smart = smartSummary(ownWatches(standardLexicon));
  const item = (i: number) =>
    `  {"id": ${i}, "name": "someone with the number ${i}", "tags": ["a", "b", ${i % 7}]},\n`;

  it('does not grow with its size', () => {
    const opening = Buffer.from(`starting\n[\n${times(500, item)}`);
    const more = Buffer.from(times(2_000, (i) => item(i + 500)));
    const { bytes, selector, seen } = growthOf(smart, 16_000_000, (at) => (at === 0 ? opening : more));
    expect(seen.bytes).toBeGreaterThan(15_000_000);
    expect(bytes).toBeLessThan(8_000_000);
    for (const piece of piecesOf(Buffer.from(`  {"id": 0}\n]\nError: no more\n`), seen)) selector.push(piece);
    const selection = selector.select(shareOf(4_000));
    expect(omits(selection).some(({ what }) => what?.unit === 'item' && what.count > 50_000)).toBe(true);
  });

  it('does not grow with its number', () => {
    const values = Array.from({ length: 400 }, (_, i) => ({ id: i, name: `n${i}` }));
    const block = Buffer.from(`step done\n${JSON.stringify(values, null, 2)}\n`.repeat(20));
    expect(growthOf(smart, 24_000_000, () => block).bytes).toBeLessThan(8_000_000);
  });
});
