/** What is shown of diffs: the files with their changes, whole hunks, then lines of others. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyBytes } from '../arbitraries.ts';
import { temporaryFolder } from '../folders.ts';
import { shown } from '../opening.ts';
import { fileOf, headOf, hunkOf } from './diff-text.ts';
import { RUNS } from './line-checks.ts';

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

const many = (count: number, hunks: number, lines: number) =>
  Array.from({ length: count }, (_, i) => fileOf(i, hunks, lines)).join('');

async function shownOf(text: string | Uint8Array, inlineLimit: number): Promise<string> {
  const projection = await shown(text, { inlineLimit, strategy: 'element' });
  expect(projection.text.length).toBeLessThanOrEqual(inlineLimit);
  return projection.text;
}

describe('a diff', () => {
  it('of few files shows whole hunks, and counts the changes of each', async () => {
    const text = await shownOf(fileOf(1, 1, 2) + fileOf(2, 6, 40) + fileOf(3, 1, 2), 2_000);
    expect(text).toContain(`· src/file1.ts +2 −1\n· 3 files changed, +16 −8\n${hunkOf(1, 1, 2)}`);
    expect(text).toContain(`· src/file2.ts +12 −6\n${hunkOf(2, 1, 40)}`);
    expect(text).toContain(hunkOf(3, 1, 2));
  });

  it('of many files names every one with its changes, before any hunk', async () => {
    const text = await shownOf(many(30, 3, 60), 8_000);
    for (let i = 0; i < 30; i++) expect(text).toContain(`· src/file${i}.ts +6 −3\n`);
    expect(text).toContain('· 30 files changed, +180 −90\n');
    expect(text).toContain('-old 0 1\n');
  });

  it('says of how many files it is where they cannot all be named', async () => {
    expect(await shownOf(many(400, 2, 30), 2_000)).toContain('· 400 files changed, +1,600 −800\n');
  });

  it('names renames, modes and binary files', async () => {
    const rename = 'diff --git a/a.ts b/b.ts\nsimilarity index 100%\nrename from a.ts\nrename to b.ts\n';
    const mode = 'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n';
    const binary = 'diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n';
    const text = await shownOf(fileOf(1, 9, 60) + rename + mode + binary + fileOf(2, 9, 60), 1_500);
    for (const line of ['· a.ts → b.ts +0 −0', '· run.sh +0 −0', '· i.png (binary) +0 −0'])
      expect(text).toContain(`${line}\n`);
  });

  it('shows lock files and built files last', async () => {
    const lock = fileOf(8, 20, 3, 'package-lock.json') + fileOf(9, 20, 3, 'dist/app.min.js');
    const text = await shownOf(lock + many(4, 1, 3), 2_000);
    for (let i = 0; i < 4; i++) expect(text).toContain(hunkOf(i, 1, 3));
    expect(text).not.toContain('+new 8 1\n');
  });

  it('is not misled by a deleted line that looks like a header', async () => {
    const text = `${headOf('a.sql')}@@ -1,3 +1,1 @@\n--- a/comment\n--- another\n x\n${hunkOf(1, 50, 2)}`;
    const projected = await shownOf(text + fileOf(2, 9, 80), 1_200);
    expect(projected).toContain('--- a/comment\n--- another\n');
  });

  it('keeps what is said before it', async () => {
    const message =
      'commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@b.c>\nDate:   now\n\n    Why it was done\n\n';
    expect(await shownOf(message + fileOf(1, 9, 80), 1_200)).toContain(message);
  });

  it('shows changed lines before lines around them', async () => {
    const text = await shownOf(fileOf(1, 5, 60), 1_500);
    for (let i = 0; i < 5; i++) expect(text).toContain(`-old 1 ${100 * i + 1}\n`);
  });

  it('of a hunk that is longer than what can be shown shows its heading and lines of it', async () => {
    const declared = '+export function restoreSession(options: RestoreOptions) {\n';
    const [first = '', ...rest] = hunkOf(1, 1, 1_000).split(/(?<=\n)/);
    const half = rest.length >> 1;
    const counted = first.replace(/\+(\d+),(\d+)/, (_, from, count) => `+${from},${Number(count) + 1}`);
    const hunk = [counted, ...rest.slice(0, half), declared, ...rest.slice(half)].join('');
    const text = await shownOf(headOf('src/a.ts') + hunk, 2_000);
    expect(text).toContain(counted);
    expect(text).toContain(declared);
  });
});

describe('every diff', () => {
  it.each([
    ['diff', anyDiff],
    ['other text', anyBytes],
  ])('is shown within its limit: %s', (_what, texts) =>
    fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 600, max: 9_000 }), async (bytes, inlineLimit) => {
        await shownOf(bytes, inlineLimit);
      }),
      RUNS,
    ),
  );
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

  it.each([1_500, 3_000])('is shown by files at %i chars', async (chars) => {
    const text = await shownOf(git('diff', 'HEAD~1'), chars);
    expect(text).toMatch(/f11\.txt(?: → |\nrename to )name with blanks\.txt/);
    expect(text).toContain('· f3.txt +4 −4\n');
  });

  it('in a log with patches keeps the commits', async () => {
    expect(await shownOf(git('log', '-p'), 4_000)).toMatch(/^commit [0-9a-f]{40}$/m);
  });
});
