/** What `element` keeps of XML and HTML, with every string a model reads as it stands. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { PolicyPatch } from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import { project } from '../../src/project.ts';
import { xmlGap } from '../../src/wording/xml-gap.ts';
import { openSpillway } from '../opening.ts';
import { checkXml, run } from './xml-reading.ts';

const cut = (text: string, chars: number, options?: Parameters<typeof run>[2]) =>
  run([Buffer.from(text)], chars, options);
const many = (count: number, one: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => one(i)).join('');
const junit = (cases: string) => `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="unit" tests="2001">
${cases}  </testsuite>
</testsuites>
`;
const passing = (i: number) =>
  `    <testcase classname="app.Test${i % 40}" name="case ${i}" time="0.${i % 90}"/>\n`;
const failing = `    <testcase classname="app.TestX" name="the one that fails" time="0.1">
      <failure message="expected 3 &lt; 2">AssertionError: expected 3 &lt; 2
        at check (app.js:12)</failure>
    </testcase>
`;

describe('markers', () => {
  it('are comments between elements and words inside text', () => {
    expect(xmlGap({ unit: 'element', count: 45, slot: 'element' })).toBe('<!-- 45 elements omitted -->');
    expect(xmlGap({ unit: 'element', count: 1, slot: 'element' })).toBe('<!-- 1 element omitted -->');
    expect(xmlGap({ unit: 'char', count: 1_234, slot: 'element' })).toBe('<!-- 1,234 chars omitted -->');
    expect(xmlGap({ unit: 'char', count: 1_234, slot: 'text' })).toBe(' ... [1,234 chars omitted] ... ');
    expect(xmlGap({ unit: 'char', count: 60, slot: 'tag' })).toBe('><!-- 60 chars of attributes omitted -->');
    expect(xmlGap({ unit: 'char', count: 60, slot: 'tag/' })).toBe(
      '/><!-- 60 chars of attributes omitted -->',
    );
  });
});

describe('element on XML', () => {
  it('shows the first and the last of many siblings and counts the rest', () => {
    const { text, selection } = cut(`<r>\n${many(60, (i) => `  <v>${i + 100}</v>\n`)}</r>`, 150);
    expect(text).toBe(
      '<r>\n<v>100</v>\n<v>101</v>\n<v>102</v>\n<v>103</v>\n<v>104</v>\n<!-- 50 elements omitted --><v>155</v>\n<v>156</v>\n<v>157</v>\n<v>158</v>\n<v>159</v>\n</r>',
    );
    expect(selection.find((segment) => segment.kind === 'omit')).toMatchObject({
      what: { unit: 'element', count: 50 },
      firstLine: 7,
      lines: 50,
    });
  });

  it('keeps to first_elements and last_elements if they were set', () => {
    const text = `<r>${many(60, (i) => `<v>${i}</v>`)}</r>`;
    expect(cut(text, 400, { patch: { firstElements: 2, lastElements: 1 } }).text).toBe(
      '<r><v>0</v><v>1</v><!-- 57 elements omitted --><v>59</v></r>',
    );
  });

  it('keeps to max_depth', () => {
    const text = `<r><a><b><c>deep</c></b></a>${many(50, () => '<a>text</a>')}</r>`;
    expect(cut(text, 300, { patch: { maxDepth: 1 } }).text).toMatch(
      /^<r><a><!-- 1 element omitted --><\/a><a>text<\/a>/,
    );
  });

  it('finds one failure in the middle of 2,000 passing cases at 8,000', () => {
    const text = junit(many(1_000, passing) + failing + many(1_000, (i) => passing(i + 1_000)));
    const ran = cut(text, 8_000);
    checkXml(ran.text);
    expect(ran.text.length).toBeLessThanOrEqual(8_000);
    expect(ran.text).toContain('<failure message="expected 3 &lt; 2">AssertionError: expected 3 &lt; 2');
    expect(ran.text).toContain('at check (app.js:12)</failure>');
    const gaps = [...ran.text.matchAll(/<!-- ([\d,]+) elements? omitted(?:: [^ ]+)? -->/g)].map(
      ([, n = '']) => Number(n.replace(',', '')),
    );
    const shown = ran.text.match(/<testcase /g)?.length ?? 0;
    expect(shown + gaps.reduce((sum, n) => sum + n, 0)).toBe(2_001);
  });

  it.each([
    'status="failed"',
    'severity="error"',
    'result="Failure"',
    'failures="2"',
    'success="false"',
    'odd="1"',
  ])('keeps the one with %s among many', (attribute) => {
    const text = `<r>${many(900, (i) => `<row id="${i}" status="ok" severity="info"/>`)}<row id="x" ${attribute}/>${many(900, (i) => `<row id="${i}" status="ok" severity="info"/>`)}</r>`;
    expect(cut(text, 900).text).toContain(`<row id="x" ${attribute}/>`);
  });

  it('finds a failure inside large parts, and inside small ones', () => {
    const suite = (name: string, cases: string) => `<suite name="${name}">${cases}</suite>`;
    const large = `<all>${many(30, (i) => suite(`s${i}`, many(2_000, passing) + (i === 17 ? failing : '') + many(50, passing)))}</all>`;
    expect(cut(large, 8_000).text).toContain('AssertionError: expected 3 &lt; 2');
    const small = `<all>${many(300, (i) => suite(`s${i}`, many(6, passing) + (i === 170 ? failing : '') + many(6, passing)))}</all>`;
    expect(cut(small, 4_000).text).toContain('AssertionError: expected 3 &lt; 2');
  });

  it('counts what is nested too deep to be shown', () => {
    const { text } = cut(`${'<p>word '.repeat(300)}${'</p>'.repeat(300)}`, 2_000);
    checkXml(text);
    expect(text.length).toBeLessThanOrEqual(2_000);
  });

  it('cuts a long text inside, never inside a reference', () => {
    const { text } = cut(`<log>${'a&amp;'.repeat(400)}</log>`, 200);
    expect(text).toMatch(/^<log>(?:a?&amp;|a)+ \.\.\. \[[\d,]+ chars omitted\] \.\.\. (?:a?&amp;)+<\/log>$/);
  });

  it('cuts a CDATA section inside and closes it', () => {
    const { text } = cut(`<log><![CDATA[${'a < b; '.repeat(400)}]]></log>`, 200);
    expect(text).toMatch(/^<log><!\[CDATA\[a < b; .* \.\.\. \[[\d,]+ chars omitted\] \.\.\. .*\]\]><\/log>$/);
  });

  it('cuts a long value inside its quotes and leaves the others whole', () => {
    const { text } = cut(
      `<r><e code="7" message="${'words &quot;here&quot; '.repeat(90)}" line="12">x</e></r>`,
      260,
    );
    checkXml(text);
    expect(text).toMatch(
      /^<r><e code="7" message="words &quot;here&quot; .* \.\.\. \[[\d,]+ chars omitted\] \.\.\. .*" line="12">x<\/e><\/r>$/,
    );
  });

  it('opens no element of a list without the attribute that tells it apart', () => {
    const result = (i: number) =>
      `<test run="${`run-${i}-`.repeat(12)}" name="the name of test ${i}" host="${'host'.repeat(20)}" outcome="ok"><out>${i}</out></test>\n`;
    for (let chars = 400; chars <= 4_000; chars += 50) {
      const { text } = cut(`<r>\n${many(80, result)}</r>`, chars);
      for (const [tag] of text.matchAll(/<test [^>]*>/g)) expect(tag).toContain('name="the name of test');
    }
  });

  it('of a tag with too many attributes shows the first ones', () => {
    const { text } = cut(`<r${many(300, (i) => ` a${i}="${i}"`)}><x/></r>`, 180);
    checkXml(text);
    expect(text).toMatch(/^<r a0="0" a1="1".*><!-- [\d,]+ chars of attributes omitted --><x\/><\/r>$/);
  });

  it('does not mind where the part of a very long tag that is remembered ends', () => {
    for (let length = 16_340; length < 16_400; length++) {
      const { text, selector } = cut(
        `<r a="${'x'.repeat(length)}" next = "1" last='2'>${'<b/>'.repeat(99)}</r>`,
        300,
      );
      expect(selector.failure).toBeNull();
      checkXml(text);
    }
  });

  it('leaves out references to entities whose declarations are left out', () => {
    const type = `<!DOCTYPE r [${many(80, (i) => `<!ENTITY e${i} "x">`)}]>`;
    const { text } = cut(
      `${type}<r><a t="&e1;"/>one &e2; two &amp; three ${many(90, () => '<b/>')}</r>`,
      400,
    );
    checkXml(text);
    expect(text).not.toContain('&e');
  });

  it.each([
    ['<a><b></a>', 'an end tag does not match'],
    ['<a>', 'the text ends too early'],
    ['<a/><b/>', 'there are two root elements'],
    ['<a x=1/>', 'a value has no quotes'],
    ['<a x="1" x="2"/>', 'an attribute is there twice'],
    ['<a x="1"y="2"/>', 'a space is missing between attributes'],
    ['<a x="<"/>', '"<" stands in a value'],
    ['<a>&</a>', '"&" does not begin a reference'],
    ['<a>]]></a>', '"]]>" stands in a text'],
    ['<a>\u0000</a>', 'a control character stands in a text'],
    ['<a><!-- -- --></a>', '"--" stands in a comment'],
    ['words <a/>', 'something stands outside of the root element'],
    ['<a><!x></a>', '"<!" begins nothing that is known'],
    ['', 'the text ends too early'],
  ])('refuses %j: %s', (text, why) => {
    expect(cut(text, 1_000).selector.failure).toBe(why);
  });
});

describe('element on HTML', () => {
  it('shows a row whose text is unusual for its cell, on one line or on many', () => {
    for (const end of ['', '\n']) {
      const row = (i: number, state: string) => `<tr><td>node ${i}</td><td><b>${state}</b></td></tr>${end}`;
      const page = `<table>${many(400, (i) => row(i, i === 211 ? 'gone since 03:12' : 'up'))}</table>`;
      const { text } = cut(page, 2_000);
      expect(text).toContain('<td>node 211</td><td><b>gone since 03:12</b></td>');
    }
  });

  it('takes no name for unusual where all names differ', () => {
    const page = `<ul>${many(12, (i) => `<li>${'abcdefghijkl'[i]?.repeat(9)}<i>${'x'.repeat(40)}</i></li>`)}</ul>`;
    const { text } = cut(page, 300);
    expect(text).toContain('aaaaaaaaa');
    expect(text).toContain('lllllllll');
  });

  const html = (text: string, chars: number) => cut(text, chars, { markup: 'html' });

  it('understands void elements, unquoted values and missing end tags', () => {
    const { text } = html(
      `<!doctype html><ul class=menu>\n${many(80, (i) => `<li><a href=/p/${i}>Page ${i}</a><br>more\n`)}</ul>`,
      330,
    );
    expect(text).toMatch(/^<!doctype html><ul class=menu>\n<li><a href=\/p\/0>Page 0<\/a><br>more\n/);
    expect(text).toMatch(/<!-- 7\d elements omitted --><li><a href=\/p\/7\d>/);
    expect(text.endsWith('<li><a href=/p/79>Page 79</a><br>more\n</ul>')).toBe(true);
  });

  it('understands tables without end tags', () => {
    const { text, selector } = html(`<table>${many(200, (i) => `<tr><td>${i}<td>x`)}</table>`, 200);
    expect(selector.failure).toBeNull();
    expect(text).toMatch(/^<table><tr><td>0<td>x<tr>.*<!-- 1\d\d elements omitted --><tr>.*<td>x<\/table>$/);
  });

  it('leaves out scripts and styles first', () => {
    const page = `<html><head><title>T</title><style>${'p{} '.repeat(2_000)}</style><script>if (a < b && "</p>") {${'x();'.repeat(2_000)}}</script></head>
<body><h1>Title</h1>${many(12, (i) => `<p>Paragraph ${i} says something.</p>`)}<script>y()</script></body></html>`;
    const { text } = html(page, 900);
    expect(text).toContain('<title>T</title>');
    for (let i = 0; i < 12; i++) expect(text).toContain(`<p>Paragraph ${i} says something.</p>`);
    expect(text.length).toBeLessThanOrEqual(900);
  });

  it('takes "<" in prose for what it is, and forgives a little', () => {
    const page = `<div>a < b <b><i>x</b></i> ${many(60, (i) => `<p>${i}</p>`)}</div>`;
    expect(html(page, 200).selector.failure).toBeNull();
  });

  it('refuses what cannot be understood', () => {
    expect(
      html(
        many(300, () => '<div><b></i></span>'),
        500,
      ).selector.failure,
    ).toBe('its nesting cannot be understood');
    expect(html('<p>cut in a <a href="', 500).selector.failure).toBe('the text ends too early');
  });
});

describe('a projection of XML', () => {
  const call = { tool: 'run', session: 's', scope: 's' };
  const text = junit(many(1_000, passing) + failing + many(1_000, passing));
  async function project(content: string, patch: PolicyPatch = {}) {
    const spillway = openSpillway();
    return (await spillway.process(call, { kind: 'text', text: content }, { policy: patch })).projection;
  }

  it('is XML, with the notice apart', async () => {
    const projection = await project(text);
    checkXml(projection.text);
    expect(projection.notice).toMatch(/^\[/);
    expect(projection.metadata.strategy_used).toBe('element');
    expect(projection.text.length + (projection.notice?.length ?? 0)).toBeLessThanOrEqual(8_000);
    expect(projection.text).toContain('AssertionError');
  });

  it('may carry the notice as a comment behind the declaration', async () => {
    const projection = await project(text, { notice: 'embedded', inlineLimit: 2_000 });
    checkXml(projection.text);
    expect(projection.text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?><!-- \[/);
    expect(projection.text.length).toBeLessThanOrEqual(2_000);
  });

  it.each([300, 400, 1_000])('keeps the limit of %i', async (inlineLimit) => {
    for (const maxLines of [null, 8]) {
      const projection = await project(text, { inlineLimit, maxLines });
      expect(projection.text.length + (projection.notice?.length ?? 0)).toBeLessThanOrEqual(inlineLimit);
    }
  });

  it('falls back to text and says why', async () => {
    const projection = await project(text.replace('case 900', 'case & 900'));
    expect(projection.metadata.strategy_used).not.toBe('element');
    expect(projection.text).toContain('Shown as text: "&" does not begin a reference.');
  });
});

const folder = resolve(
  process.env.SPILLWAY_CORPORA ?? join(import.meta.dirname, '../../../../../shared/corpora'),
);
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:xml|trx)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
  : [];
if (files.length === 0) console.warn(`Real outputs not found at ${folder}: the tests on them are skipped.`);

describe.skipIf(files.length === 0)('element on real XML', () => {
  it.each([150, 1_000, 8_000, 50_000])('is well-formed within %i', (chars) => {
    for (const file of files) {
      const bytes = readFileSync(file);
      const ran = run([bytes], chars);
      expect([file, ran.selector.failure]).toEqual([file, null]);
      checkXml(ran.text);
      expect(ran.text.length).toBeLessThanOrEqual(chars);
      expect(ran.selection.reduce((sum, segment) => sum + segment.chars, 0)).toBe(ran.totals.chars);
      expect(ran.selection.reduce((sum, segment) => sum + segment.lines, 0)).toBe(ran.totals.lines);
    }
  });
});

it('a log between two tags is read as a log', async () => {
  const steps = (from: number) =>
    Array.from({ length: 2_000 }, (_, i) => `[12:00:01] step ${from + i} ok: compiled`).join('\n');
  const text = `<output>\n${steps(1)}\nERROR: connection refused at src/db.ts:77\n${steps(2_001)}\n</output>`;
  const shown = await project(text, { tool: 'run' });
  expect(shown.text).toContain('ERROR: connection refused at src/db.ts:77');
});
