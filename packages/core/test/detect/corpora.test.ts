/**
 * Detection on real outputs that nobody here wrote. They are looked for at SPILLWAY_CORPORA or
 * beside the checkout (`../shared/corpora`), and are not part of the repository; without them these
 * tests are skipped, and say so.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detect } from '../../src/detect/detect.ts';
import { formatOf } from '../../src/formats/index.ts';
import { type ContentKind, SAMPLE_BYTES } from '../../src/model/content.ts';

interface Item {
  readonly file: string;
  readonly kind?: string;
  readonly valid?: boolean | null;
}

const folder = resolve(
  process.env.SPILLWAY_CORPORA ?? join(import.meta.dirname, '../../../../../shared/corpora'),
);
const found = existsSync(folder);
if (!found) console.warn(`Real outputs not found at ${folder}: the tests on them are skipped.`);

const read = (manifest: string): Item[] =>
  readFileSync(join(folder, manifest), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Item);
const kindOf = (item: Item): ContentKind => {
  const bytes = readFileSync(join(folder, item.file));
  return detect(bytes.subarray(0, SAMPLE_BYTES), { complete: bytes.length <= SAMPLE_BYTES }).kind;
};

const hasOwnErrors = (kind: ContentKind): boolean => kind === 'text' || formatOf(kind)?.errorLines === 'own';

describe.skipIf(!found)('on real outputs', () => {
  it('every JSON text of the validity suite is json if it is one, and not if it is not', () => {
    for (const item of read('structured.jsonl').filter(({ kind }) => kind === 'json-validity')) {
      const bytes = readFileSync(join(folder, item.file));
      if (bytes.length > SAMPLE_BYTES || typeof item.valid !== 'boolean') continue;
      const nested = item.valid && /^\s*[[{]/.test(bytes.toString('utf8').replace(/^\uFEFF/, ''));
      expect([item.file, kindOf(item) === 'json']).toEqual([item.file, nested]);
    }
  });

  it('structured files are what their manifest says', () => {
    for (const item of read('structured.jsonl').filter(({ kind }) => kind !== 'json-validity')) {
      expect([item.file, kindOf(item)]).toEqual([item.file, item.kind]);
    }
  });

  it('at least 95 % of failure outputs are salient or structured', () => {
    const items = read('failures.jsonl');
    const right = items.filter(
      (item) => hasOwnErrors(kindOf(item)) || ['json', 'ndjson', 'xml'].includes(kindOf(item)),
    );
    expect(right.length / items.length).toBeGreaterThanOrEqual(0.95);
  });

  it('diffs, listings, searches and prose are none of these', () => {
    const wanted: Record<string, ContentKind> = {
      'git diff': 'diff',
      'file listing': 'listing',
      'code search': 'hits',
      'prose, non-Latin script': 'prose',
    };
    for (const item of read('plain.jsonl')) {
      const kind = wanted[item.kind ?? ''];
      if (kind !== undefined) expect([item.file, kindOf(item)]).toEqual([item.file, kind]);
    }
  });
});
