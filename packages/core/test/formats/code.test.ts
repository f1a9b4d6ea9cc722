/** `element` for source code: cut between blocks, header kept, names of what is missing. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code as format } from '../../src/formats/code/index.ts';
import { anyBytes } from '../arbitraries.ts';
import { checkSelection, detailed, holdsFor, rendered, seen, shareOf, shownBy } from './line-checks.ts';

const code = (family?: string) => detailed(format, family);
const SOURCE = resolve(import.meta.dirname, '../../src');
const IMPORTS =
  "/** What this file does. */\nimport { a } from '../strategies/elements/a.ts';\nimport { b } from '../strategies/elements/b.ts';\n\n";
const fun = (name: string, lines = 8) =>
  `/** Says ${name}. */\nexport function ${name}(x: number): number {\n${'  x += compute(x);\n'.repeat(lines)}  return x;\n}\n\n`;
const cls = (name: string, methods: number) =>
  `export class ${name} {\n  #x = 0;\n\n${Array.from({ length: methods }, (_, i) => `  method${i}(): void {\n${'    this.#x++;\n'.repeat(6)}  }\n\n`).join('')}}\n\n`;
const def = (name: string) =>
  `@decorated\ndef ${name}(x):\n    """Says ${name}.\n\nNot a block.\n"""\n${'    x = compute(x)\n'.repeat(6)}    return x\n\n\n`;

const anyCode = fc
  .array(
    fc.oneof(
      fc.nat(99).map((i) => fun(`f${i}`, i % 30)),
      fc.nat(20).map((i) => cls(`C${i}`, i % 9)),
      fc.nat(20).map((i) => def(`d${i}`)),
      fc.constantFrom(
        'const a = `\nfunction no() {\n`;\n',
        '// note\n',
        '/* open\n',
        '}\n',
        '{\n',
        '\n\n',
        "import x from 'y';\n",
        '#define A 1\n',
        'const re = /[\'"`{]/;\n',
        'naïve 日本 👍\r\n',
        '\tindented\n',
      ),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.from(parts.join('')));

describe('code', () => {
  it('keeps header and imports, whole blocks, and names what is missing with its lines', () => {
    const all =
      IMPORTS + fun('first') + fun('parse', 200) + fun('render', 200) + cls('Store', 60) + fun('last');
    const text = shownBy(code('c-like'), all, 1_200);
    expect(text.startsWith(IMPORTS)).toBe(true);
    expect(text).toContain(fun('first'));
    expect(text).toContain(fun('last').trimEnd());
    expect(text).toMatch(/omitted: 2 blocks \(parse, render, lines 18-\d+\)\]/);
    expect(text).toContain('export class Store {\n');
    expect(text).toMatch(/\(method\d+, (?:method\d+, )*…, lines \d+-\d+\)\]/);
  });

  it('takes the comment and the decorator above a definition as part of it', () => {
    const all = `import os\n\n\n${['one', 'two', 'three', 'four', 'five', 'six'].map(def).join('')}`;
    const text = shownBy(code(), all, 700);
    expect(text.startsWith(`import os\n\n\n${def('one')}`)).toBe(true);
    expect(text).toMatch(/blocks? \((?:\w+, )*\w+, lines \d+-\d+\)\]/);
  });

  it('is not misled by braces in texts, comments and expressions', () => {
    const odd = `export function odd() {\n  const a = "}}}{{{";\n  // {{{\n  const b = /[{"']/;\n  return \`\n}\n\${a}\`;\n}\n\n`;
    const text = shownBy(
      code('c-like'),
      IMPORTS + odd + Array.from({ length: 30 }, (_, i) => fun(`f${i}`)).join(''),
      1_500,
    );
    expect(text).toContain(odd);
  });

  it('fails on a text without blocks, on one block, on nothing and on junk', () => {
    for (const text of [
      '',
      'Only a sentence.\n',
      `function one() {\n${'  x();\n'.repeat(5_000)}}\n`,
      '\u0000\u0001function a() {\n}\nfunction b() {\n}\n',
    ])
      expect(seen(code(), [Buffer.from(text)]).isFollowed).toBe(false);
  });
});

describe('every source file', () => {
  it('is covered and counted exactly, within its share, whatever the chunks', () =>
    holdsFor(code(), anyCode));
  it('and every other text too', () => holdsFor(code('python-like'), anyBytes));

  it('of this package is cut where a line at the margin begins something, but for a few long blocks', () => {
    const files = readdirSync(SOURCE, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name.endsWith('.ts'),
    );
    let [segments, inside] = [0, 0];
    for (const entry of files) {
      const bytes = readFileSync(join(entry.parentPath, entry.name));
      const selector = seen(code('c-like'), [bytes], 2_000);
      if (!selector.isFollowed) continue;
      const selection = selector.select(shareOf(2_000));
      checkSelection(bytes, selector, selection, shareOf(2_000));
      for (const segment of selection) {
        segments++;
        if (/^(?: {4}|[})\]])/.test(bytes.toString('utf8', segment.start, segment.start + 5))) inside++;
      }
      if (bytes.length > 3_000) expect(rendered(selector, selection).length).toBeGreaterThan(700);
    }
    expect(segments).toBeGreaterThan(500);
    expect(inside / segments).toBeLessThan(0.05);
  });
});
