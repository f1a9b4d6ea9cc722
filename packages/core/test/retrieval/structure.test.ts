/**
 * Fetching rows of a table, one file's part of a diff, elements of XML: exactly as stored, in
 * pages.
 */
import type { Spillway } from '@spillway/core';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { openSpillway } from '../opening.ts';

let spillway: Spillway;

beforeEach(() => {
  spillway = openSpillway();
});

async function store(text: string | Uint8Array): Promise<string> {
  const answer = await spillway.process({ tool: 't', session: 's', scope: 's' }, { kind: 'text', text });
  return (await spillway.sealed(answer))?.id ?? '';
}

const fetch = (id: string, args: object) => spillway.retrieve({ artifact_id: id, ...args }, 's');

async function allPages(id: string, args: object): Promise<string[]> {
  const bodies: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page: Awaited<ReturnType<typeof fetch>> = await fetch(id, {
      ...args,
      ...(cursor ? { cursor } : {}),
    });
    expect(page.text.length).toBeLessThanOrEqual(16_000);
    bodies.push(page.body);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return bodies;
}

describe('rows', () => {
  const HEADER = 'id,name,note\r\n';
  const row = (i: number) => `${i},"name, ${i}","two\r\nlines ""quoted"" ${i}"\r\n`;
  const csv = (count: number) => HEADER + Array.from({ length: count }, (_, i) => row(i + 1)).join('');

  it('of CSV count below the header, which every page repeats; quoted line ends are no rows', async () => {
    const id = await store(csv(10));
    expect((await fetch(id, { rows: '3-4' })).text).toBe(
      `[${id}: rows 3-4 of 10]\n${HEADER}${row(3)}${row(4)}`,
    );
    expect((await fetch(id, { rows: 10 })).body).toBe(HEADER + row(10));
    expect((await fetch(id, { rows: '9-' })).body).toBe(HEADER + row(9) + row(10));
    expect((await fetch(id, { rows: '11-20' })).text).toBe(
      `[${id}: no row at that place. In all: 10 rows]\n${HEADER}`,
    );
  });

  it('in pages put together are all rows, each once', async () => {
    const id = await store(csv(4_000));
    const bodies = await allPages(id, { rows: '100-3900' });
    expect(bodies.every((body) => body.startsWith(HEADER))).toBe(true);
    expect(bodies.map((body) => body.slice(HEADER.length)).join('')).toBe(
      Array.from({ length: 3_801 }, (_, i) => row(i + 100)).join(''),
    );
    const page = await fetch(id, { rows: '100-3900' });
    expect(page.notice).toMatch(
      new RegExp(
        `: rows 100-4\\d\\d of 4,000\\. Next: get_artifact\\(artifact_id="${id}", rows="100-3900", cursor="s0\\.4\\d\\d\\.0\\.4000\\.\\d+"\\)\\]\\n$`,
      ),
    );
    expect(page.found).toMatchObject({ unit: 'row', first: 100, total: 4_000 });
  });

  it('that are larger than a page go on in the next', async () => {
    const large = `1,"${'y'.repeat(40_000)}"\n`;
    const id = await store(`a,b\n${large}2,z\n`);
    const bodies = await allPages(id, { rows: '1-' });
    expect(bodies.map((body) => body.slice(4)).join('')).toBe(`${large}2,z\n`);
  });

  it.each([
    ['TSV', 'a\tb\n1\t2\n3\t4\n', 'a\tb\n3\t4\n', 2],
    [
      'a Markdown table',
      '| a | b |\n|---|:--|\n| 1 | 2 |\n| - | - |\n',
      '| a | b |\n|---|:--|\n| - | - |\n',
      2,
    ],
    ['a table of psql', ' a | b \n---+---\n 1 | 2\n 3 | 4\n', ' a | b \n---+---\n 3 | 4\n', 2],
    [
      'a box',
      '┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ 1 │ 2 │\n│ 3 │ 4 │\n└───┴───┘\n',
      '┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ 3 │ 4 │\n',
      2,
    ],
    [
      'aligned columns',
      'NAME      READY\nweb-1     1/1\nweb-2     0/1\n',
      'NAME      READY\nweb-2     0/1\n',
      2,
    ],
    ['a header with a byte order mark, and blank lines', '\uFEFFa;b\n\n1;2\n\n3;4', '\uFEFFa;b\n3;4', 2],
  ])('of %s', async (_, text, second, total) => {
    const page = await fetch(await store(text), { rows: '2' });
    expect(page.body).toBe(second);
    expect(page.found).toEqual({ unit: 'row', first: 2, last: 2, total });
  });

  it.each(['just some prose\nwithout columns\n', '{"a":1,"b":2}\n', '<a>1,2</a>', ''])(
    'of %j are refused',
    async (text) => {
      const id = await store(text === '' ? '\n' : text);
      await expect(fetch(id, { rows: '1-2' })).rejects.toThrow(
        'This part does not look like a table (CSV, TSV, aligned or ruled columns), so rows cannot be used. Ask by lines, chars or pattern.',
      );
    },
  );

  it.each(['s0.999999.0.5.0', 's0.3.7.4000.11', 's0.3.0.999999999.999999999', 's0.0.0.0.0'])(
    'by the forged cursor %s are bounded, and end',
    async (forged) => {
      const id = await store(csv(200));
      let cursor: string | null = forged;
      for (let pages = 0; cursor !== null; pages++) {
        expect(pages).toBeLessThan(20);
        const page: Awaited<ReturnType<typeof fetch>> = await fetch(id, { rows: '1-', cursor });
        expect(page.text.length).toBeLessThanOrEqual(16_000);
        cursor = page.nextCursor;
      }
    },
  );

  it('do not depend on where the stored pieces end', async () => {
    const field = fc.stringMatching(/^[a-z,"\n\réつ]{0,12}$/);
    const line = fc
      .tuple(field, field)
      .map((fields) => fields.map((text) => `"${text.replaceAll('"', '""')}"`).join(','));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 60_000, max: 65_600 }),
        async (lines, filler) => {
          const rows = [`${'f'.repeat(filler)},1`, ...lines].map((text) => `${text}\n`);
          const id = await store(`h,i\n${rows.join('')}`);
          const last = await fetch(id, { rows: `${rows.length}` });
          expect(last.body).toBe(`h,i\n${rows.at(-1)}`);
          expect(last.found?.total).toBe(rows.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a file of a diff', () => {
  const PLAIN = 'diff --git a/src/a.ts b/src/a.ts\nindex 111..222 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n';
  const HUNKS = [
    '@@ -1,3 +1,3 @@ top\n one\n--- removed that looks like a head\n+++ added that looks like one\n two\n',
    '@@ -10 +10 @@\n-x\n+y\n\\ No newline at end of file\n',
  ];
  const RENAMED =
    'diff --git a/old name.txt b/new name.txt\nsimilarity index 100%\nrename from old name.txt\nrename to new name.txt\n';
  const QUOTED =
    'diff --git "a/sp\\303\\244t \\"q\\".txt" "b/sp\\303\\244t \\"q\\".txt"\n--- "a/sp\\303\\244t \\"q\\".txt"\n+++ "b/sp\\303\\244t \\"q\\".txt"\n@@ -0,0 +1 @@\n+a\n';
  const SPACED =
    'diff --git a/with space.md b/with space.md\n--- a/with space.md\t\n+++ b/with space.md\t\n@@ -1 +1 @@\n-a\n+b\n';
  const MODE = 'diff --git a/run me.sh b/run me.sh\nold mode 100644\nnew mode 100755\n';
  const DELETED =
    'diff --git a/gone.js b/gone.js\ndeleted file mode 100644\n--- a/gone.js\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n';
  const diff = `commit 0123456789abcdef\nAuthor: A <a@b>\n\n    message\n\n${PLAIN}${HUNKS.join('')}${RENAMED}${QUOTED}${SPACED}${MODE}${DELETED}`;

  it.each([
    ['src/a.ts', PLAIN + HUNKS.join('')],
    ['b/src/a.ts', PLAIN + HUNKS.join('')],
    ['old name.txt', RENAMED],
    ['new name.txt', RENAMED],
    ['spät "q".txt', QUOTED],
    ['with space.md', SPACED],
    ['run me.sh', MODE],
    ['gone.js', DELETED],
    ['*.txt', RENAMED + QUOTED],
    ['src/*', PLAIN + HUNKS.join('')],
    ['*', diff.slice(diff.indexOf('diff --git'))],
  ])('named %s is its head and its hunks', async (file, expected) => {
    const page = await fetch(await store(diff), { file });
    expect(page.body).toBe(expected);
  });

  it('is told with the number of its blocks and files; what is not there is told as well', async () => {
    const id = await store(diff);
    expect((await fetch(id, { file: 'src/a.ts' })).notice).toBe(
      `[${id}: blocks 1-3 of 3 (heads and hunks) in 1 of 6 files]\n`,
    );
    expect((await fetch(id, { file: 'src/b.ts' })).text).toBe(
      `[${id}: none of the 6 files of this diff has that path; file="*" shows all]\n`,
    );
  });

  it('of plain unified diffs is found too', async () => {
    const one =
      '--- lib/x.c\t2024-01-01 00:00:00\n+++ lib/x.c\t2024-01-02 00:00:00\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n';
    const two =
      'Index: y.c\n===================================================================\n--- y.c\t(revision 1)\n+++ y.c\t(working copy)\n@@ -1 +1 @@\n-1\n+2\n';
    const id = await store(`Some words first\n--- not a head\n${one}${two}`);
    expect((await fetch(id, { file: 'lib/x.c' })).body).toBe(one);
    expect((await fetch(id, { file: 'y.c' })).body).toBe(two);
    expect((await fetch(id, { file: '*' })).notice).toContain('in 2 of 2 files]');
  });

  it('in pages put together is the whole', async () => {
    const hunk = (i: number) => `@@ -${i},2 +${i},2 @@\n-${'é'.repeat(60)}${i}\n+b\n c\n`;
    const large = `${PLAIN}${Array.from({ length: 900 }, (_, i) => hunk(i + 1)).join('')}`;
    const giant = `diff --git a/min.js b/min.js\n--- a/min.js\n+++ b/min.js\n@@ -1 +1 @@\n-${'x'.repeat(70_000)}\n+y\n`;
    const id = await store(large + SPACED + giant);
    expect((await allPages(id, { file: 'src/a.ts' })).join('')).toBe(large);
    expect((await allPages(id, { file: 'min.js' })).join('')).toBe(giant);
  });

  it('is refused where there is no diff', async () => {
    await expect(fetch(await store('--- a heading\nprose\n'), { file: 'a' })).rejects.toThrow(
      'This part is not a diff, so file cannot be used. Ask by lines, chars or pattern.',
    );
  });
});

describe('an XML path', () => {
  const XML =
    '\uFEFF<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY x "<b>">]>\n<!-- <b/> -->\n<a>\n  <b id="1">one &amp; <![CDATA[</b>]]></b>\n  <c/>\n  <b id=\'2\' title="a > b"><c>x</c></b>\n  <b><b id="4"/></b>\n  <é x="ü"/>\n</a>\n';

  it.each([
    ['/a/b[1]', '/a[1]/b[1]: <b id="1">one &amp; <![CDATA[</b>]]></b>\n'],
    ['/a/b[2]/c', '/a[1]/b[2]/c[1]: <c>x</c>\n'],
    ['//c', '/a[1]/c[1]: <c/>\n/a[1]/b[2]/c[1]: <c>x</c>\n'],
    ['//b/b', '/a[1]/b[3]/b[1]: <b id="4"/>\n'],
    ['/a//b[1]', '/a[1]/b[1]: <b id="1">one &amp; <![CDATA[</b>]]></b>\n/a[1]/b[3]/b[1]: <b id="4"/>\n'],
    ['/a/*[3]/@title', '/a[1]/b[2]/@title: a > b\n'],
    ['//@id', '/a[1]/b[1]/@id: 1\n/a[1]/b[2]/@id: 2\n/a[1]/b[3]/b[1]/@id: 4\n'],
    ['/a/é/@*', '/a[1]/é[1]/@x: ü\n'],
    ['/a/b[9]', ''],
    ['/a/*[2-3]/c', '/a[1]/b[2]/c[1]: <c>x</c>\n'],
    ['/a/b[2-9]/@id', '/a[1]/b[2]/@id: 2\n'],
    [
      '//b',
      '/a[1]/b[1]: <b id="1">one &amp; <![CDATA[</b>]]></b>\n/a[1]/b[2]: <b id=\'2\' title="a > b"><c>x</c></b>\n/a[1]/b[3]: <b><b id="4"/></b>\n/a[1]/b[3]/b[1]: <b id="4"/>\n',
    ],
  ])('%s', async (xml_path, expected) => {
    expect((await fetch(await store(XML), { xml_path })).body).toBe(expected);
  });

  it.each([
    ['a/b', 1],
    ['/a/b[0]', 3],
    ['/a[b=1]', 3],
    ['/a/@id/b', 3],
    ['/', 1],
  ])('like %s is refused, and where is told', async (xml_path, at) => {
    await expect(fetch(await store(XML), { xml_path })).rejects.toThrow(
      `xml_path is not understood at char ${at}. It may have up to 30 steps such as`,
    );
  });

  it.each([
    ['prose', 'something stands outside of the root element'],
    ['<a><b></a>', 'an end tag does not match'],
    ['<a><b>', 'the text ends too early'],
    ['<!-- nothing -->', 'the text ends too early'],
  ])('in %s is refused', async (text, why) => {
    await expect(fetch(await store(text), { xml_path: '//a' })).rejects.toThrow(
      `This part is not well-formed XML (${why}), so xml_path cannot be used. Ask by lines, chars or pattern.`,
    );
  });

  it('in pages gives each match once, also where pieces end inside a tag', async () => {
    const item = (i: number) => `<item n="${i}" note="${'ä>'.repeat(i % 50)}">${'t'.repeat(i % 70)}</item>`;
    const id = await store(`<list>${Array.from({ length: 4_000 }, (_, i) => item(i + 1)).join('')}</list>`);
    expect((await allPages(id, { xml_path: '/list/item' })).join('')).toBe(
      Array.from({ length: 4_000 }, (_, i) => `/list[1]/item[${i + 1}]: ${item(i + 1)}\n`).join(''),
    );
    expect((await fetch(id, { xml_path: '//item' })).notice).toMatch(/: matches 1-\d+ of 4,000\. Next: /);
  });
});

describe('a question by structure', () => {
  it('by JSONPath is refused where no engine for it was given', async () => {
    await expect(fetch(await store('{}'), { json_path: '$' })).rejects.toThrow(
      'json_path is not available here. Ask by lines, chars or pattern.',
    );
  });

  it('is spelled as a command where the caller has one', async () => {
    const show = (id: string, args: object) => `read ${id} ${JSON.stringify(args)}`;
    spillway = openSpillway({ hint: { kind: 'command', show, export: String } });
    const id = await store(`<a>${'<b c="d"/>'.repeat(3_000)}</a>`);
    expect((await fetch(id, { xml_path: '//b/@c' })).nextCall).toMatch(
      new RegExp(`^read ${id} \\{"xml_path":"//b/@c","cursor":"s0\\.\\d+\\.0\\.3000\\.0"\\}$`),
    );
  });

  it('may name the part it means', async () => {
    const answer = await spillway.process(
      { tool: 't', session: 's', scope: 's' },
      { kind: 'exec', stdout: 'a,b\n1,2\n', stderr: 'c,d\n3,4\n', exitCode: 0 },
    );
    const id = (await spillway.sealed(answer))?.id ?? '';
    expect((await fetch(id, { part: 'stderr', rows: '1' })).text).toBe(
      `[${id} stderr: rows 1-1 of 1]\nc,d\n3,4\n`,
    );
  });
});
