/**
 * Plans of whole lines on real outputs that nobody here wrote. They are looked for at SPILLWAY_CORPORA
 * or beside the checkout (`../shared/corpora`), and are not part of the repository; without them
 * these tests are skipped, and say so.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hits } from '../../src/formats/hits/index.ts';
import { table } from '../../src/formats/table/index.ts';
import type { Format } from '../../src/model/format.ts';
import { decode } from '../../src/text/utf8.ts';
import { checkSelection, omits, rendered, seen, shareOf } from '../formats/line-checks.ts';

const folder = resolve(
  process.env.SPILLWAY_CORPORA ?? join(import.meta.dirname, '../../../../../shared/corpora'),
);
const filesIn = (name: string) =>
  existsSync(join(folder, name))
    ? readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];
const kinds: readonly [string, Format, readonly string[]][] = [
  ['rows', table, filesIn('structured/csv')],
  ['hits', hits, filesIn('plain/git').filter((file) => file.includes('_grep_'))],
];
if (kinds.some(([, , files]) => files.length === 0))
  console.warn(`Real outputs not found at ${folder}: the tests on them are skipped.`);

describe.each(kinds)('%s on real outputs', (_name, strategy, files) => {
  it.skipIf(files.length === 0).each([1_000, 8_000, 50_000])(
    'keeps to %i chars, whole lines, and exact counts',
    (chars) => {
      for (const file of files) {
        const bytes = readFileSync(file);
        const selector = seen(strategy, [bytes], chars);
        expect(selector.isFollowed).toBe(true);
        const selection = selector.select(shareOf(chars));
        checkSelection(bytes, selector, selection, shareOf(chars));
        const text = rendered(selector, selection);
        if (decode(bytes).length <= chars) expect(text).toBe(decode(bytes));
        else {
          expect(omits(selection).every(({ what }) => what !== undefined)).toBe(true);
          expect(text.length).toBeGreaterThan(chars * 0.6);
        }
      }
    },
  );
});

describe('all plans of whole lines', () => {
  const all = ['plain', 'structured', 'failures', 'needles'].flatMap(filesIn);

  it.skipIf(all.length === 0)(
    'cover every real output exactly, whatever it is',
    () => {
      for (const file of all) {
        const bytes = readFileSync(file).subarray(0, 300_000);
        for (const strategy of [table, hits]) {
          const selector = seen(strategy, [bytes], 4_000);
          if (selector.isFollowed)
            checkSelection(bytes, selector, selector.select(shareOf(4_000)), shareOf(4_000));
        }
      }
    },
    300_000,
  );
});
