/** `element` for search hits: files in order, the best hits of each, and counts of the others. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hits } from '../../src/formats/hits/index.ts';
import type { Dialect } from '../../src/model/dialect.ts';
import type { OmittedThings } from '../../src/model/selection.ts';
import { plain } from '../../src/wording/dialects/plain.ts';
import { spill } from '../../src/wording/dialects/spill.ts';
import { standard } from '../../src/wording/dialects/standard.ts';
import { parseProjection } from '../../src/wording/parse-projection.ts';
import { anyBytes } from '../arbitraries.ts';
import { checkSelection, holdsFor, omits, rendered, seen, shareOf, shownBy } from './line-checks.ts';

const SOURCE = resolve(import.meta.dirname, '../../src');
const hit = (file: number, line: number, text = `  use(selection, ${line});`) =>
  `src/file${file}.ts:${line}:${text}\n`;
const hitsOf = (file: number, count: number) =>
  Array.from({ length: count }, (_, i) => hit(file, i + 1)).join('');

const anyHits = fc
  .record({
    files: fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 30 }),
    form: fc.constantFrom('numbered', 'columns', 'grouped', 'around', 'named'),
    end: fc.constantFrom('\n', '\r\n'),
    text: fc.constantFrom(
      'use(x)',
      'export function run() {',
      '日本 👍',
      '',
      'a:1:b',
      `${'long '.repeat(20)}`,
    ),
  })
  .map(({ files, form, end, text }) => {
    const lines = files.flatMap(([file, count]) => {
      const path = `src/dir${file % 5}/file-${file}.ts`;
      const body = Array.from({ length: count }, (_, i) => {
        if (form === 'numbered') return `${path}:${i + 1}:${text}`;
        if (form === 'columns') return `${path}:${i + 1}:7:${text}`;
        if (form === 'named') return `${path}:${text}`;
        if (form === 'grouped') return `${i + 1}:${text}`;
        return `${path}-${i * 3 + 1}-before${end}${path}:${i * 3 + 2}:${text}${end}${path}-${i * 3 + 3}-after${end}--`;
      });
      return form === 'grouped' ? [path, ...body, ''] : body;
    });
    return Buffer.from(lines.join(end));
  });

describe('search hits', () => {
  it('of every file that fits show at least the first, and say how many more there are', () => {
    const text = shownBy(hits, hitsOf(1, 50) + hitsOf(2, 50) + hitsOf(3, 50), 1_200);
    for (const file of [1, 2, 3]) {
      expect(text).toContain(hit(file, 1));
      expect(text).toMatch(new RegExp(`chars(?: omitted)?: \\d+ hits in src/file${file}\\.ts\\] \\.\\.\\.`));
    }
  });

  it('of files of which nothing is shown are counted together', () => {
    const bytes = Buffer.from(Array.from({ length: 300 }, (_, i) => hitsOf(i, 5)).join(''));
    const selector = seen(hits, [bytes], 1_500);
    const selection = selector.select(shareOf(1_500));
    checkSelection(bytes, selector, selection, shareOf(1_500));
    const gaps = omits(selection);
    expect(gaps.at(-1)?.what?.of).toMatch(/^\d+ files$/);
    const kept = rendered(selector, selection).match(/^src\/file/gm)?.length ?? 0;
    expect(kept + gaps.reduce((sum, { what }) => sum + (what?.count ?? 0), 0)).toBe(1_500);
  });

  it('show the line that defines something, wherever in its file it is', () => {
    const define = hit(2, 999, 'export function selection(share: Share): Selection {');
    const text = shownBy(hits, hitsOf(1, 80) + hitsOf(2, 40) + define + hitsOf(2, 40) + hitsOf(3, 80), 1_200);
    expect(text).toContain(define);
  });

  it('show a hit with names of its own before hits that say the same', () => {
    const own = hit(1, 70, '  selection.restoreCursorPosition(lastVisibleRow)');
    expect(shownBy(hits, hitsOf(1, 69) + own + hitsOf(1, 69) + hitsOf(2, 80), 1_000)).toContain(own);
  });

  it('under headings keep the heading of every hit that is shown', () => {
    const group = (file: number, count: number) =>
      `src/file${file}.ts\n${Array.from({ length: count }, (_, i) => `${i + 1}:use(x)\n`).join('')}\n`;
    const text = shownBy(hits, Array.from({ length: 12 }, (_, i) => group(i, 40)).join(''), 1_500);
    let heading = '';
    for (const line of text.split('\n')) {
      if (line.startsWith('src/')) heading = line;
      if (/^\d+:/.test(line)) expect(heading).not.toBe('');
      if (line === '') heading = heading === '' ? '' : heading;
    }
    expect(text).toContain('src/file0.ts\n1:use(x)\n');
    expect(text).toMatch(/omitted: 3\d hits in src\/file0\.ts\]/);
  });

  it('in paths with a drive or a revision are told apart by file', () => {
    const drive = Array.from({ length: 90 }, (_, i) => `C:\\src\\a${i % 2 === 0 ? 1 : 1}.ts:${i}:x\n`).join(
      '',
    );
    expect(shownBy(hits, drive, 500)).toMatch(/hits in C:\\src\\a1\.ts\]/);
    const revision = Array.from({ length: 90 }, (_, i) => `HEAD:src/a.ts:${i}:x\n`).join('');
    expect(shownBy(hits, revision, 500)).toMatch(/hits in HEAD:src\/a\.ts\]/);
  });

  it('fail on what is none', () => {
    for (const text of ['', 'Just prose, nothing else.\nMore of it.\n', '\u0000\u0001\u0002:1:\n'])
      expect(seen(hits, [Buffer.from(text)]).isFollowed).toBe(false);
  });
});

describe('hits in many files', () => {
  const files = Array.from({ length: 70 }, (_, i) => i);
  const text = files
    .map((i) => hitsOf(i, 10) + (i === 43 ? hit(i, 11, 'export function selection(a) {') : ''))
    .join('');

  it('name every file, by a hit or in the list of a gap', () => {
    const shown = shownBy(hits, text, 4_000);
    for (const i of files) expect(shown).toContain(`src/file${i}.ts`);
  });

  it('show a definition first, wherever it stands', () => {
    for (const chars of [700, 1_200, 4_000])
      expect(shownBy(hits, text, chars)).toContain('export function selection(a) {');
  });

  it('come before the lines around them', () => {
    const lines = (file: number, from: number) =>
      [0, 1, 2, 3].map((i) => `src/file${file}.ts-${from + i}-  around(${i});\n`).join('');
    const around = files.map((i) => `${lines(i, 1)}${hit(i, 5)}${lines(i, 6)}--\n`).join('');
    const shown = shownBy(hits, around, 2_000);
    expect(shown.match(/:5:/g)?.length ?? 0).toBeGreaterThan(shown.match(/-\d-/g)?.length ?? 0);
  });
});

describe('what a marker says of the things left out', () => {
  const facts = { position: 'middle', lines: 1_200, chars: 34_567, following: 10, from: null } as const;
  const text = (dialect: Dialect, what: OmittedThings, from: string | null = null) =>
    dialect.marker({ ...facts, what, from }, 'full').trim();

  it('is worded by every dialect, and read back', () => {
    const what = { unit: 'hit', count: 1_200, of: 'src/a.ts' } as const;
    expect(text(standard, what)).toBe('... [1,200 lines / 34,567 chars omitted: 1,200 hits in src/a.ts] ...');
    expect(text(plain, what)).toBe('... (34,567 chars truncated: 1,200 hits in src/a.ts) ...');
    expect(text(spill, what)).toBe(
      '... (34,567 characters truncated: 1,200 hits in src/a.ts) ...\n\n[Last 10 chars below]',
    );
    for (const dialect of [standard, plain, spill])
      expect(parseProjection(text(dialect, what, 'stdout'), dialect)?.gaps).toMatchObject([
        { chars: 34_567, from: 'stdout' },
      ]);
  });

  it('is one thing or several, with what they belong to or who they are', () => {
    expect(text(standard, { unit: 'entry', count: 1, of: 'src' })).toContain('omitted: 1 entry in src]');
    expect(text(standard, { unit: 'entry', count: 2 })).toContain('omitted: 2 entries]');
    expect(text(standard, { unit: 'file', count: 2, of: 'a, b; +1 −2' })).toContain(
      'omitted: 2 files (a, b; +1 −2)]',
    );
    expect(text(standard, { unit: 'block', count: 1, of: 'parse, lines 1-9' })).toContain(
      'omitted: 1 block (parse, lines 1-9)]',
    );
  });
});

describe('every list of hits', () => {
  it('is covered and counted exactly, within its share, whatever the chunks', () => holdsFor(hits, anyHits));
  it('and every other text too', () => holdsFor(hits, anyBytes));
});

describe('a hit in a line of a minified file', () => {
  const minified = (line: number) => `dist/all.min.js:${line}:${'var a=1;'.repeat(20_000)}`;

  it('is left out with the number of its line', () => {
    const found = [hitsOf(1, 9), minified(553), '\n', hitsOf(2, 9)].join('');
    expect(shownBy(hits, found, 4_000)).toContain('1 hit in dist/all.min.js:553]');
  });

  it('is counted with others of its file', () => {
    const found = [hitsOf(1, 9), minified(553), '\n', minified(554), '\n', hitsOf(2, 9)].join('');
    expect(shownBy(hits, found, 4_000)).toContain('2 hits in dist/all.min.js]');
  });
});

describe('what grep writes', () => {
  it.each([
    ['-rn', 1_000],
    ['-rn', 8_000],
    ['-rnC2', 4_000],
    ['-r', 4_000],
  ])('with %s is shown file by file at %i chars', (flag, chars) => {
    const found = execFileSync('grep', [flag, 'const', '.'], {
      cwd: SOURCE,
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
    const text = shownBy(hits, found, chars);
    expect(text).toMatch(/omitted: \d+ hits? in /);
    const lines = new Set(found.split('\n'));
    for (const line of text.split('\n'))
      expect(lines.has(line) || /^(?:\.\.\. \[.*\] \.\.\.)?$/.test(line)).toBe(true);
  });
});
