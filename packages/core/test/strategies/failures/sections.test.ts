/**
 * A log without trouble shows what it went through: the first lines of its sections, beside its
 * beginning and its end.
 */
import type { PolicyPatch } from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import { Sections } from '../../../src/strategies/sections.ts';
import { HEADINGS, headingOf } from '../../../src/vocabulary/headings.ts';
import { CALL, COMMAND, openSpillway, shown } from '../../opening.ts';
import { tableOf } from '../../tables.ts';
import { wordOf } from '../../words.ts';

/** What a summary shows, within its limit. */
async function summary(text: string, policy: PolicyPatch = {}) {
  const projection = await shown(
    text,
    { strategy: 'smart_summary', inlineLimit: 4_000, ...policy },
    { call: COMMAND },
  );
  expect(projection.text.length).toBeLessThanOrEqual(policy.inlineLimit ?? 4_000);
  return projection;
}

/** The headings of a text, row by row. */
function headingsIn(text: string): (string | null)[] {
  const table = tableOf(text, { clean: 'cleaned' });
  return Array.from({ length: table.rows }, (_, row) => headingOf(table, row));
}

const steps = (name: string, count = 100) =>
  Array.from({ length: count }, (_, i) => `${name} ${i}: part ${wordOf(i)} copied\n`).join('');
const NAMES = ['fetch', 'unpack', 'configure', 'compile', 'link', 'install', 'index', 'publish'];
const staged = (heading: (name: string, i: number) => string) =>
  NAMES.map((name, i) => `${heading(name, i)}\n${steps(name)}`).join('');

const EXAMPLES = [
  '##[group]Run npm ci',
  '::group::Fetching the repository',
  'travis_fold:start:before_install',
  'section_start:1560896352:prepare_script',
  '##[section]Starting: Build',
  '--- :docker: Building the image',
  '==> Installing dependencies',
  '===> Compiling hackney',
  '-----> Node.js app detected',
  '> Task :core:compileJava UP-TO-DATE',
  '> shop@1.4.0 test',
  '> @shop/cart@1.4.0 lint',
  'TASK [nginx : install] *****************************',
  'PLAY [all] *****************************************',
  'Step 3/10 : RUN npm ci',
  'STAGE 2: build',
  '#12 [build 4/7] RUN make',
  '--- stage ---',
  '==== test session starts ====',
  '******* Building *******',
  '[INFO] --- maven-compiler-plugin:3.6.1:compile (default-compile) @ adapter ---',
  '[INFO] ------------------< com.example:shop >------------------',
  '[Pipeline] { (Build)',
  '## Deploying',
  "make[1]: Entering directory '/srv/shop'",
  '     Running tests/orders.rs (target/debug/deps/orders-17)',
  '   Doc-tests shop',
  '$ bundle install --jobs=3',
  '2026-01-05T10:00:00.000Z ==> Installing',
  '\u001b[34;1m==>\u001b[0m \u001b[1mInstalling\u001b[0m',
];

describe('a heading', () => {
  it.each(EXAMPLES)('is %j', (line) => {
    expect(headingsIn(`${line}\n`)).not.toContain(null);
  });

  it.each([
    '--- a/src/shop.ts',
    '+++ b/src/shop.ts',
    '+++ Actual',
    ' --> src/lib.rs:4:40',
    ' ---> 1c989c82a355',
    '-------------------------------------',
    '# this is what a shell script says, in passing;',
    '# PASS:  1',
    '> a quoted line',
    '=> nothing',
    'makes: Entering',
    '$',
    '[1/30] Linking shop',
    '#include <stdio.h>',
    `=== ${'x'.repeat(300)} ===`,
  ])('is not %j', (line) => {
    expect(headingsIn(`${line}\n`).every((heading) => heading === null)).toBe(true);
  });

  it('has an example of each kind, which begins as that says', () => {
    const texts = EXAMPLES.flatMap((line) => headingsIn(`${line}\n`).map((heading) => heading ?? ''));
    const kinds = HEADINGS.filter(({ first, pattern }) =>
      texts.some((text) => first.some((sign) => text.startsWith(sign)) && pattern.test(text)),
    );
    expect(kinds).toEqual(HEADINGS);
  });

  it('is found in a time that does not explode', () => {
    for (const line of ['='.repeat(239), `${'-'.repeat(120)}a${'-'.repeat(100)}b`, '#'.repeat(200)])
      expect(headingsIn(`${line}\n`.repeat(2_000))).toHaveLength(2_000);
  });
});

describe('the sections of a log without trouble', () => {
  it.each([
    ['arrows', (name: string) => `==> ${name}`],
    ['folds', (name: string) => `##[group]Run ${name}`],
    ['tasks', (name: string) => `> Task :shop:${name}`],
    ['steps', (name: string, i: number) => `Step ${i + 1}/8 : RUN ${name}`],
    ['banners', (name: string) => `--- ${name} ---`],
    ['directories', (name: string) => `make[1]: Entering directory '/srv/${name}'`],
  ])('are shown by their first lines, in order: %s', async (_, heading) => {
    const { text } = await summary(staged(heading), { inlineLimit: 8_000 });
    const positions = NAMES.map((name, i) => text.indexOf(`${heading(name, i)}\n`));
    expect(positions).not.toContain(-1);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(text).toContain(`${heading('fetch', 0)}\nfetch 0: part b copied\nfetch 1: part c copied\n`);
    expect(text).toMatch(/publish 98: part \w+ copied\npublish 99: part \w+ copied\n$/);
  });

  it('are told in the notice and listed below the marker of the gap around them', async () => {
    const { text } = await summary(
      staged((name) => `==> ${name}`),
      { inlineLimit: 3_000 },
    );
    expect(text.split('\n').slice(1, 2)).toEqual(['[Sections: 8.]']);
    expect(text).toMatch(
      /\n\.\.\. \[\d+ lines \/ [\d,]+ chars omitted: \d+-\d+\] \.\.\.\n(?:\d+: .*\n)*304: ==> compile\n/,
    );
  });

  it('take little, and less where all went well: the rest stays with the beginning and the end', async () => {
    for (const [end, most] of [
      ['', 600],
      ['BUILD SUCCESS\n', 400],
    ] as const) {
      const many = Array.from({ length: 300 }, (_, i) => `==> part ${i}\n${steps(`s${i}`, 9)}`).join('');
      const { metadata, text } = await summary(many + end);
      const { omitted } = metadata;
      const between = omitted
        .slice(1)
        .reduce((sum, gap, i) => sum + gap.first_char - (omitted[i]?.last_char ?? 0) - 1, 0);
      expect(between).toBeGreaterThan(40);
      expect(between).toBeLessThanOrEqual(most);
      expect(text.length).toBeGreaterThan(800);
      const parts = [...text.matchAll(/^(?:\d+: )?==> part (\d+)$/gm)].map((match) => Number(match[1]));
      expect(parts.filter((part) => part > 60 && part < 240).length).toBeGreaterThan(2);
    }
  });

  it('leave their room to warnings', async () => {
    const warned = staged((name) => `==> ${name}`).replaceAll(/^(\w+ [1-5]5: )/gm, '$1warning: slow disk ');
    const { text } = await summary(`${warned}BUILD SUCCESS\n`, { inlineLimit: 2_500 });
    expect(text).toMatch(/\[Warning lines: [1-9]\d* of 40 shown/);
    expect(text).toContain('Sections: 8.]');
  });

  it('are named among the reasons', async () => {
    const spillway = openSpillway();
    const policy = { strategy: 'smart_summary', inlineLimit: 3_000 };
    const text = staged((name) => `==> ${name}`);
    const { projection } = await spillway.process(CALL, { kind: 'text', text }, { policy });
    const id = projection.metadata.artifact_id;
    if (id === null) throw new Error('nothing was cut');
    const [first] = await spillway.reasons({ scope: 's', id }, { policy });
    const causes = first?.blocks.map((block) => block.causes[0]?.cause);
    expect([causes?.[0], causes?.at(-1)]).toEqual(['beginning', 'end']);
    expect(causes?.slice(1, -1)).toEqual(expect.arrayContaining(['section']));
  });
});

describe('the sections of a log that tells of a failure', () => {
  it('are counted', async () => {
    const log = `${staged((name) => `==> ${name}`)}Error: no space left on device\n`;
    const { text } = await summary(log);
    expect(text).toContain('Error: no space left on device');
    expect(text).toContain('Sections: 8.]');
  });

  it('take nothing from errors', async () => {
    const errors = Array.from(
      { length: 80 },
      (_, i) => `Error: disk ${'abcdefgh'[i % 8]}${i} is full of ${i * 7} things\n`,
    );
    const log = `${staged((name) => `==> ${name}`)}${errors.join('')}${steps('last')}`;
    // Lines of another shape would stand out by it, and take a little.
    const plain = log.replaceAll(/^==> (\w+)$/gm, '$1 100: part b copied');
    const count = async (text: string) => (await summary(text)).text.match(/^Error: disk/gm)?.length;
    expect(await count(log)).toBe(await count(plain));
  });
});

describe('what is remembered of sections', () => {
  const sectionsOf = (text: string) => {
    const table = tableOf(text);
    const sections = new Sections(table);
    sections.update();
    const lines = sections.headings.map((row) => table.lineOf(row));
    return { count: sections.count, lines };
  };

  it('is spread over all of them, however many there are', () => {
    const { count, lines } = sectionsOf(
      Array.from({ length: 10_000 }, (_, i) => `==> part ${i}\nbegins\nends\n`).join(''),
    );
    expect(count).toBe(10_000);
    expect(lines.length).toBeLessThanOrEqual(64);
    expect(lines.length).toBeGreaterThan(30);
    const gaps = lines.slice(1).map((line, i) => line - (lines[i] ?? 0));
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(3);
  });

  it('is nothing where every other line looks like a heading', () => {
    const text = Array.from({ length: 50 }, (_, i) => `==> part ${i}\n`).join('');
    expect(sectionsOf(text)).toEqual({ count: 0, lines: [] });
  });

  it('is each heading once', () => {
    const text = `==> a\nfirst\n==> b\n\n==> a\nagain\n==> c\n==> d\nlast\n${steps('more', 3)}`;
    expect(sectionsOf(text)).toEqual({ count: 4, lines: [1, 3, 7, 8] });
  });
});
