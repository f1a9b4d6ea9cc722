/** `element` for listings: the tree as deep as it fits, folders with counts of what is below. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listing } from '../../src/formats/listing/index.ts';
import { anyBytes } from '../arbitraries.ts';
import { holdsFor, seen, shownBy } from './line-checks.ts';

const PACKAGE = resolve(import.meta.dirname, '../..');
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: PACKAGE, encoding: 'utf8', maxBuffer: 1e9 });
const paths = (folder: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${folder}/file${i}.ts\n`).join('');

const anyPath = fc
  .array(fc.constantFrom('src', 'lib', 'a', 'deep', 'test', 'naïve', '日本', 'with blank'), { maxLength: 5 })
  .chain((folders) => fc.nat(99).map((i) => [...folders, `f${i}.ts`].join('/')));
const anyListing = fc
  .record({
    names: fc.array(anyPath, { minLength: 1, maxLength: 300 }),
    form: fc.constantFrom('paths', 'dots', 'ls-tree', 'folders', 'tree', 'long'),
    end: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ names, form, end }) => {
    const sorted = names.toSorted();
    const lines = sorted.flatMap((name, i) => {
      if (form === 'dots') return [`./${name}`];
      if (form === 'ls-tree') return [`100644 blob ${'a'.repeat(40)}\t${name}`];
      if (form === 'folders') return i % 7 === 0 ? ['', `./${name}:`, 'x.ts'] : [`entry${i}`];
      if (form === 'tree')
        return [`${'│   '.repeat(name.split('/').length - 1)}├── ${name.split('/').at(-1)}`];
      return form === 'long' ? [`-rw-r--r-- 1 root root  12 Jan  1 10:00 ${name}`] : [name];
    });
    return Buffer.from(lines.join(end));
  });

describe('a list of paths', () => {
  it('shows every folder at the top and counts what is below', () => {
    const text = shownBy(
      listing,
      `README.md\n${paths('docs', 3)}${paths('src/deep/er', 400)}${paths('src/lib', 300)}${paths('test', 200)}z.txt\n`,
      900,
    );
    for (const line of ['README.md', 'docs/file0.ts', 'src/deep/er/file0.ts', 'test/file0.ts', 'z.txt'])
      expect(text).toContain(`${line}\n`);
    expect(text).toMatch(/omitted: \d+ entries in src\/deep\/er\]/);
    expect(text).toMatch(/omitted: \d+ entries in test\]/);
  });

  it('shows small folders whole and samples large ones', () => {
    const text = shownBy(listing, paths('docs', 4) + paths('src', 900) + paths('test', 4), 1_000);
    expect(text).toContain(paths('docs', 4));
    expect(text).toContain(paths('test', 4));
    expect(text).toContain('src/file0.ts\n');
    expect(text).toContain('src/file899.ts\n');
  });

  it('goes no deeper than max_depth', () => {
    const text = shownBy(listing, paths('a', 3) + paths('b/c', 3) + paths('b/c/d', 300), 4_000, {
      maxDepth: 2,
    });
    expect(text).toContain('b/c/file0.ts\n');
    expect(text).not.toContain('b/c/d/file5.ts\n');
  });

  it('fails on prose and on nothing', () => {
    for (const text of [
      '',
      'This is just a text about files and folders.\nIt has sentences in it, and nothing else.\n',
    ])
      expect(seen(listing, [Buffer.from(text)]).failure).toBe('no listing was found in it');
  });
});

describe('every listing', () => {
  it('is covered and counted exactly, within its share, whatever the chunks', () =>
    holdsFor(listing, anyListing));
  it('and every other text too', () => holdsFor(listing, anyBytes));
});

describe('what tools write', () => {
  it.each([
    ['ls -R', () => run('ls', '-R', 'src')],
    ['ls -laR', () => run('ls', '-laR', 'src')],
    ['find', () => run('find', 'src', 'test')],
    ['git ls-files', () => run('git', 'ls-files', '.')],
    ['git ls-tree -r', () => run('git', 'ls-tree', '-r', 'HEAD', '.')],
  ])('(%s) is shown as lines of it, in order, with counts', (_name, output) => {
    const all = output();
    for (const chars of [600, 2_000]) {
      const text = shownBy(listing, all, chars);
      expect(text).toMatch(/chars(?: omitted)?: [\d,]+ entr/);
      const lines = all.split('\n');
      let at = 0;
      for (const line of text.split('\n')) {
        if (/^(?:\.\.\. \[.*\] \.\.\.)?$/.test(line)) continue;
        at = lines.indexOf(line, at);
        expect(at).toBeGreaterThanOrEqual(0);
      }
    }
  });

  it('(tree) keeps the root, the summary and the upper levels', () => {
    const body = Array.from(
      { length: 20 },
      (_, i) => `├── dir${i}\n${Array.from({ length: 30 }, (_, j) => `│   ├── file${j}.ts\n`).join('')}`,
    ).join('');
    const text = shownBy(listing, `.\n${body}\n20 directories, 600 files\n`, 2_500);
    expect(text.startsWith('.\n├── dir0\n')).toBe(true);
    expect(text.endsWith('20 directories, 600 files\n')).toBe(true);
    for (let i = 0; i < 20; i++) expect(text).toContain(`├── dir${i}\n`);
    expect(text).toMatch(/omitted: \d+ entries in dir5\]/);
  });
});
