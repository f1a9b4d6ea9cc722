/** The contract of formats, on every built-in format and on one that a plugin adds. */
import type { Format, FormatStrategy } from '@spillway/core/plugin';
import { type FormatSubject, formatContract } from '@spillway/core/testing';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/formats/index.ts';
import { measure } from '../../src/text/utf8.ts';
import { fileOf } from './diff-text.ts';
import { iniSection } from './ini/address.ts';
import { ini } from './ini/index.ts';

const times = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join('');

const orders = Array.from({ length: 200 }, (_, i) => ({ id: i, name: `order ${i}`, price: i % 17 }));
const rows = times(300, (i) => `${i},item ${i},ok,${50 + (i % 17)}\n`);
const sections = ['server', 'database', 'cache'].map(
  (name) => `[${name}]\n${times(60, (i) => `${name}_key_${i} = some value\n`)}`,
);

/** What is needed beside the format itself. */
const SUBJECTS: Readonly<Record<string, Omit<FormatSubject, 'format'>>> = {
  json: {
    texts: [JSON.stringify(orders, null, 2), times(200, (i) => `{"id":${i},"text":"line ${i}"}\n`)],
    mustBeValid: (text) => {
      const isLines = /^\{.*\}\n\{/.test(text);
      for (const value of isLines ? text.trimEnd().split('\n') : [text]) JSON.parse(value);
    },
  },
  table: {
    texts: [`id,name,status,price\n${rows}`, `id,name,status,price\n${rows}`.replaceAll(',', '\t')],
    pieces: [{ argument: '100-101', found: '100,item 100,ok' }],
  },
  diff: {
    texts: [times(30, (i) => fileOf(i, 2, 12))],
    pieces: [{ argument: 'src/file7.ts', found: '+new 7 1' }],
  },
  xml: {
    texts: [
      `<?xml version="1.0"?>\n<orders>\n${times(200, (i) => `  <order id="${i}"><name>n ${i}</name></order>\n`)}</orders>\n`,
      `<!doctype html>\n<html><body><ul>\n${times(200, (i) => `<li>entry ${i}</li>\n`)}</ul></body></html>\n`,
    ],
    mustBeValid: (text) => expect(text.match(/<\w/g)?.length).toBe(text.match(/<\/\w/g)?.length),
    pieces: [{ argument: '/orders/order[8]/name', found: 'n 7' }],
  },
  compiler: { texts: [times(60, (i) => `src/a${i}.c:${i + 1}:5: error: 'x${i}' undeclared [-Wall]\n`)] },
  hits: { texts: [times(90, (i) => `src/file${i % 9}.ts:${i + 1}:  return find(needle, ${i});\n`)] },
  listing: { texts: [times(200, (i) => `src/part${i % 7}/file${i}.ts\n`)] },
  'test-run': { texts: [times(80, (i) => `--- FAIL: TestThing${i} (0.0${i % 9}s)\n`)] },
  trace: {
    texts: [
      `Traceback (most recent call last):\n${times(60, (i) => `  File "/srv/app/part${i}.py", line ${i + 1}, in call\n    call(${i})\n`)}ValueError: no\n`,
    ],
  },
  log: { texts: [times(60, (i) => `2024-05-01 10:00:${10 + (i % 50)} INFO worker ${i}: took a job\n`)] },
  code: {
    texts: [
      times(
        60,
        (i) => `export function f${i}(x: number): number {\n  const y = x + ${i};\n  return y * 2;\n}\n\n`,
      ),
    ],
  },
  prose: {
    texts: [
      times(30, (i) => `The ${i}th time we met, it was raining, and nobody had thought of an umbrella.\n\n`),
    ],
  },
  ini: {
    texts: [sections.join('')],
    mustBeValid: (text) => expect(text).toMatch(/^(?:(?:;.*|\[\w+\]|\w+ = .*)\n)+$/),
    pieces: [{ argument: 'cache', found: 'cache_key_3 = some value' }],
  },
};

/** Bytes that nobody reads are not shown, so a text of them cannot be cut. */
const subjects = [...FORMATS, ini].filter(({ name }) => name !== 'binary');

describe.each(subjects.map((format) => [format.name, format] as const))('the format %s', (name, format) => {
  const subject = SUBJECTS[name];
  it('has texts that are long enough', () => {
    expect(subject?.texts.every((text) => text.length > 2_000)).toBe(true);
  });

  it.each(formatContract.map((each) => [each.name, each] as const))('%s', async (_, { run }) => {
    await run({ texts: [], ...subject, format });
  });
});

describe('a format that breaks a promise does not pass', () => {
  const subject = { texts: [], ...SUBJECTS.ini };
  const { plan: _, ...read } = ini;
  const broken: readonly (readonly [RegExp, Format])[] = [
    [/^its texts are recognised/, { ...ini, recognisers: [] }],
    [/^a text that is cut stays valid/, { ...ini, grammar: { mark: () => 'something is missing\n' } }],
    [
      /^what is kept is text of the original/,
      { ...read, keep: () => keeping((bytes) => bytes.map(() => 65)) },
    ],
    [/^the chunks in which a text arrives/, { ...read, keep: () => keeping((bytes) => bytes) }],
    [
      /^a piece is found/,
      { ...ini, address: { ...iniSection, find: async (_, { sink }) => ({ matches: sink() }) } },
    ],
  ];

  it.each(broken)('%s', async (name, format) => {
    const [found] = formatContract.filter((each) => name.test(each.name));
    await expect(found?.run({ ...subject, format })).rejects.toThrow();
  });
});

/** Keeps everything, changed, in segments that end where the chunks ended. */
function keeping(change: (bytes: Uint8Array) => Uint8Array): FormatStrategy {
  const start: FormatStrategy['start'] = () => {
    const chunks: Uint8Array[] = [];
    return {
      push: (bytes) => chunks.push(bytes),
      select() {
        let end = 0;
        return chunks.map((chunk) => {
          const { bytes, chars, breaks: lines } = measure(chunk);
          end += bytes;
          return { kind: 'keep', start: end - bytes, end, chars, lines };
        });
      },
      bytes: ({ start, end }) => change(Buffer.concat(chunks).subarray(start, end)),
    };
  };
  return { name: 'element:ini', start };
}
