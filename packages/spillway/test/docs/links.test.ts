// scripts/check-links.mjs reads pages with scripts/markdown.mjs: what counts as a link and as an
// anchor. And no page is lost: the map leads to all of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pages, ROOT } from './blocks.ts';

interface MarkdownReader {
  linksOf(text: string): { target: string; line: number }[];
  anchorsOf(text: string): Set<string>;
}

const { linksOf, anchorsOf }: MarkdownReader = await import(
  new URL('../../../../scripts/markdown.mjs', import.meta.url).href
);

test('links, pictures, definitions and HTML count, also over the end of a line', () => {
  const text = [
    'See [a page](a.md) and [`code`](b.md#part), ![a picture of',
    'two lines](images/c.png).',
    '[name]: d.md',
    '<img src="e.png">',
  ].join('\n');
  expect(linksOf(text).toSorted((a, b) => a.target.localeCompare(b.target))).toEqual([
    { target: 'a.md', line: 1 },
    { target: 'b.md#part', line: 1 },
    { target: 'd.md', line: 3 },
    { target: 'e.png', line: 4 },
    { target: 'images/c.png', line: 2 },
  ]);
});

test('code holds neither links nor headings', () => {
  const text = '`[a](b.md)` and\n```sh\n# no heading\n[c](d.md)\n```\n[e](f.md)\n';
  expect(linksOf(text)).toEqual([{ target: 'f.md', line: 6 }]);
  expect(anchorsOf(text)).toEqual(new Set());
});

test('anchors are those of GitHub: small letters, hyphens, a number for the second of a name', () => {
  const text = '# What a *workspace* may not decide\n## `auto`, the default\n## Example\n## Example\n';
  expect([...anchorsOf(text)]).toEqual([
    'what-a-workspace-may-not-decide',
    'auto-the-default',
    'example',
    'example-1',
  ]);
});

test('every page of docs/ can be reached from the map, or from the list of guides or references', () => {
  const lists = ['', 'guides/', 'reference/'];
  const linked = new Set(
    lists.flatMap((folder) => {
      const text = readFileSync(join(ROOT, 'docs', folder, 'README.md'), 'utf8');
      return linksOf(text).map(({ target }) => join('docs', folder, target.replace(/#.*/, '')));
    }),
  );
  const lost = pages().filter(
    (page) => page.startsWith('docs/') && page !== 'docs/README.md' && !linked.has(page),
  );
  expect(lost).toEqual([]);
});
