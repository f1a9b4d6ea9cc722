/** `element` for diffs: the files, whole hunks, and what is left out counted by file. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { diff } from '../../src/formats/diff/index.ts';
import { anyBytes } from '../arbitraries.ts';
import { temporaryFolder } from '../folders.ts';
import { fileOf, headOf, hunkOf } from './diff-text.ts';
import { checkSelection, holdsFor, omits, rendered, seen, shareOf, shownBy } from './line-checks.ts';

const anyDiff = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .tuple(fc.nat(200), fc.integer({ min: 1, max: 5 }), fc.nat(30))
          .map(([i, hunks, lines]) => fileOf(i, hunks, lines)),
      },
      fc
        .nat(50)
        .map(
          (i) =>
            `diff --git a/old${i}.ts b/new${i}.ts\nsimilarity index 100%\nrename from old${i}.ts\nrename to new${i}.ts\n`,
        ),
      fc
        .nat(50)
        .map(
          (i) =>
            `diff --git a/p${i}.png b/p${i}.png\nindex 1..2 100644\nBinary files a/p${i}.png and b/p${i}.png differ\n`,
        ),
      fc.nat(50).map((i) => `commit ${'a'.repeat(40)}\nAuthor: A <a@b.c>\n\n    message ${i}\n\n`),
      fc.constant(
        '--- a/x.txt\n+++ b/x.txt\n@@ -1,2 +1,2 @@\n-- a\n+- b\n c\n\\ No newline at end of file\n',
      ),
      fc.constantFrom('', '\n', 'junk\n', '@@ broken @@\n', '--- \n', '+++ b/only\n', 'naïve 日本 👍\r\n'),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.from(parts.join('')));

/** Every hunk of which a line is shown is shown whole. */
function expectWholeHunks(text: string): void {
  const kept = text.split(/^\.\.\. \[.*\] \.\.\.$/m).join('\n');
  for (const [hunk, before, after] of kept.matchAll(
    /^@@ -\d+,(\d+) \+\d+,(\d+) @@.*\n(?:[ +\-\\].*\n?)*/gm,
  )) {
    const lines = hunk.split('\n').slice(1);
    expect(lines.filter((line) => /^[ -]/.test(line)).length).toBe(Number(before));
    expect(lines.filter((line) => /^[ +]/.test(line)).length).toBe(Number(after));
  }
}

describe('a diff', () => {
  it('keeps small files whole and says of the others what is missing', () => {
    const text = shownBy(diff, fileOf(1, 1, 2) + fileOf(2, 6, 40) + fileOf(3, 1, 2), 1_600);
    expect(text).toContain(fileOf(1, 1, 2));
    expect(text).toContain(fileOf(3, 1, 2));
    expect(text).toContain('diff --git a/src/file2.ts b/src/file2.ts\n');
    expect(text).toMatch(/chars omitted: \d+ hunks? in src\/file2\.ts \(\+\d+ −\d+\)\] \.\.\.\n/);
    expectWholeHunks(text);
  });

  it('names every file while there is room, before any long hunk', () => {
    const text = shownBy(diff, Array.from({ length: 30 }, (_, i) => fileOf(i, 3, 60)).join(''), 8_000);
    for (let i = 0; i < 30; i++) expect(text).toContain(`diff --git a/src/file${i}.ts`);
    expectWholeHunks(text);
  });

  it('counts the files for which there is no room, by name as far as that goes', () => {
    const bytes = Buffer.from(Array.from({ length: 400 }, (_, i) => fileOf(i, 2, 30)).join(''));
    const selector = seen(diff, [bytes], 2_000);
    const selection = selector.select(shareOf(2_000));
    checkSelection(bytes, selector, selection, shareOf(2_000));
    const text = rendered(selector, selection);
    const named = [...text.matchAll(/^diff --git/gm)].length;
    const missing = omits(selection).reduce(
      (sum, { what }) =>
        sum +
        (what?.unit === 'file' ? what.count : Number(/^(\d+) files/.exec(what?.of ?? '')?.[1] ?? 1) - 1),
      0,
    );
    expect(named + missing).toBe(400);
  });

  it('keeps renames, modes and binary files', () => {
    const rename = 'diff --git a/a.ts b/b.ts\nsimilarity index 100%\nrename from a.ts\nrename to b.ts\n';
    const mode = 'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n';
    const binary = 'diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n';
    const text = shownBy(diff, fileOf(1, 9, 60) + rename + mode + binary + fileOf(2, 9, 60), 1_500);
    for (const part of [rename, mode, binary]) expect(text).toContain(part);
  });

  it('ranks lock files and built files last', () => {
    const lock = fileOf(1, 2, 3, 'package-lock.json');
    const text = shownBy(
      diff,
      lock +
        fileOf(2, 1, 3, 'dist/app.min.js') +
        Array.from({ length: 3 }, (_, i) => fileOf(i, 2, 3)).join(''),
      1_500,
    );
    expect(text).not.toContain('+new 1 101\n+more 1 101\ndiff --git a/dist');
    for (let i = 0; i < 3; i++) expect(text).toContain(hunkOf(i, 1, 3));
  });

  it('is not misled by a deleted line that looks like a header', () => {
    const text = `${headOf('a.sql')}@@ -1,3 +1,1 @@\n--- a/comment\n--- another\n x\n${hunkOf(1, 50, 2)}`;
    expect(shownBy(diff, text + fileOf(2, 9, 80), 900)).toContain('--- a/comment\n--- another\n');
  });

  it('keeps what is said before it', () => {
    const message =
      'commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@b.c>\nDate:   now\n\n    Why it was done\n\n';
    expect(shownBy(diff, message + fileOf(1, 9, 80), 900).startsWith(message)).toBe(true);
  });

  it('of a hunk that is longer than what can be shown shows its heading and pieces', () => {
    const declared = '+export function restoreSession(options: RestoreOptions) {\n';
    const [first = '', ...rest] = hunkOf(1, 1, 1_000).split(/(?<=\n)/);
    const half = rest.length >> 1;
    const counted = first.replace(/\+(\d+),(\d+)/, (_, from, count) => `+${from},${Number(count) + 1}`);
    const hunk = [counted, ...rest.slice(0, half), declared, ...rest.slice(half)].join('');
    const text = shownBy(diff, headOf('src/a.ts') + hunk, 2_000);
    expect(text).toContain(headOf('src/a.ts') + counted);
    expect(text).toContain(declared);
  });

  it('fails on what is none', () => {
    for (const text of ['', 'hello\nworld\n', '# A title\n\n--- \n\nText\n'])
      expect(seen(diff, [Buffer.from(text)]).failure).toBe('no diff was found in it');
  });
});

describe('a diff of many small files', () => {
  const text = Array.from({ length: 60 }, (_, i) => fileOf(i, 1, 6, `src/part${i}/file${i}.ts`)).join('');

  it('names every file, in its head or in the list of a gap', () => {
    const shown = shownBy(diff, text, 4_000);
    for (let i = 0; i < 60; i++) expect(shown).toContain(`src/part${i}/file${i}.ts`);
  });

  it('still shows whole hunks of some', () => {
    expect(shownBy(diff, text, 4_000).match(/^@@ /gm)?.length ?? 0).toBeGreaterThan(3);
  });

  it('keeps lists short where most names would not fit', () => {
    const many = Array.from({ length: 900 }, (_, i) => fileOf(i, 1, 6)).join('');
    const selector = seen(diff, [Buffer.from(many)], 2_000);
    for (const { what } of omits(selector.select(shareOf(2_000))))
      expect(what?.of?.length ?? 0).toBeLessThanOrEqual(60);
  });
});

describe('every diff', () => {
  it('is covered and counted exactly, within its share, whatever the chunks', () => holdsFor(diff, anyDiff));
  it('and every other text too', () => holdsFor(diff, anyBytes));
});

describe('what git writes', () => {
  let folder = '';
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });

  beforeAll(async () => {
    folder = await temporaryFolder();
    git('init', '-q');
    const source = (change: string) =>
      Array.from({ length: 200 }, (_, i) => `line ${i}${i % 60 === 0 ? change : ''}\n`).join('');
    for (let i = 0; i < 12; i++) writeFileSync(join(folder, `f${i}.txt`), source(''));
    writeFileSync(join(folder, 'blob.bin'), Buffer.from([0, 1, 2]));
    git('add', '.');
    git('commit', '-qm', 'first');
    for (let i = 0; i < 11; i++) writeFileSync(join(folder, `f${i}.txt`), source(` changed ${i}`));
    writeFileSync(join(folder, 'blob.bin'), Buffer.from([0, 9, 9]));
    git('mv', 'f11.txt', 'name with blanks.txt');
    git('add', '.');
    git('commit', '-qm', 'second');
  });

  it.each([900, 3_000, 8_000])('is shown by files and whole hunks at %i chars', (chars) => {
    const text = shownBy(diff, git('diff', 'HEAD~1'), chars);
    expectWholeHunks(text);
    expect(text).toContain('rename to name with blanks.txt\n');
  });

  it('in a log with patches keeps the commits', () => {
    const text = shownBy(diff, git('log', '-p'), 4_000);
    expect([...text.matchAll(/^commit [0-9a-f]{40}$/gm)].length).toBe(2);
    expectWholeHunks(text);
  });
});
