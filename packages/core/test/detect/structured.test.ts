/**
 * JSON, NDJSON, XML, CSV and diffs are cut by their grammar, so a text must not be taken for one
 * that it cannot be.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detect } from '../../src/detect/detect.ts';
import type { ContentKind } from '../../src/model/content.ts';
import { JsonScan } from '../../src/table/tree/json-scan.ts';
import { encode } from '../../src/text/utf8.ts';
import { CSV, DIFF, JSON_TEXT } from './outputs.ts';

const kindOf = (text: string, complete = true): ContentKind => detect(encode(text), { complete }).kind;
const stateOf = (text: string) => {
  const scan = new JsonScan({ open() {}, close() {}, leaf() {} }, 'one');
  scan.push(encode(text));
  if (scan.failure !== null) return 'no';
  scan.finish();
  return scan.failure === null ? 'whole' : 'open';
};
const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('JSON', () => {
  it('agrees with JSON.parse on values and on values with one character changed', () => {
    const change = fc.record({
      json: fc.json(),
      at: fc.nat(),
      by: fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '0', '.', 'e', '-', ' ', '\n', 'x'),
    });
    fc.assert(
      fc.property(change, ({ json, at, by }) => {
        const position = at % (json.length + 1);
        for (const text of [json, json.slice(0, position) + by + json.slice(position + 1)]) {
          expect(stateOf(text) === 'whole').toBe(parses(text));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('stays json at every byte of a cut-off text, and is not if that was all', () => {
    const bytes = encode(JSON_TEXT);
    for (let end = 1; end < bytes.length - 1; end++) {
      expect(detect(bytes.subarray(0, end), { complete: false }).kind).toBe('json');
      expect(detect(bytes.subarray(0, end), { complete: true }).kind).not.toBe('json');
    }
  });

  it('may have a byte order mark and white space before it', () => {
    expect(kindOf('\uFEFF {"a":1}')).toBe('json');
    expect(kindOf(' \r\n\t[1]')).toBe('json');
  });

  it.each([
    '{a:1}',
    "{'a':1}",
    '{"a":1,}',
    '[1,]',
    '[01]',
    '[1.]',
    '[.5]',
    '[+1]',
    '[1e]',
    '[NaN]',
    '["\\x"]',
    '["\\u12g4"]',
    '["\t"]',
    '{"a" 1}',
    '[1}',
    '{"a":1}}',
    '{"a":1} trailing',
    '[1] [2]',
    '[tru]',
    '{1:2}',
    '[INFO] starting',
    '{{template}}',
    '[',
  ])('is not %j', (text) => {
    expect(kindOf(text)).not.toBe('json');
  });

  it.each(['{a', "{'", '[01', '[1.x', '["\\x', '[1 2', '{"a" 1', '[INFO] a', '{{a', '[}'])(
    'never begins with %j',
    (text) => {
      expect(kindOf(text, false)).not.toBe('json');
    },
  );
});

describe('NDJSON', () => {
  it('needs two whole lines, most of them objects or arrays', () => {
    expect(kindOf('{"a":1}\n{"b":2}\n')).toBe('ndjson');
    expect(kindOf('{"a":1}\n{"b":2}\n{"c', false)).toBe('ndjson');
    expect(kindOf('{"a":1}\n{"b', false)).not.toBe('ndjson');
    expect(kindOf('{"a":1}\n')).toBe('json');
    expect(kindOf('[1]\n2\n3\n')).not.toBe('ndjson');
  });

  it('is no longer NDJSON with one other line', () => {
    expect(kindOf('{"a":1}\n{"b":2}\n2024-05-01 10:00:00 INFO started\n')).not.toBe('ndjson');
    expect(kindOf('{"a":1}\n{"b":2}\n{"c"')).not.toBe('ndjson');
  });

  it('may be one line if the tool says so', () => {
    const one = encode('{"a":1}\n{"b');
    expect(detect(one, { complete: false, mediaType: 'application/x-ndjson' }).kind).toBe('ndjson');
    expect(detect(encode('{"a":'), { complete: false, name: 'events.jsonl' }).kind).toBe('ndjson');
    expect(detect(encode('[\n 1,'), { complete: false, name: 'events.jsonl' }).kind).toBe('json');
  });
});

describe('XML', () => {
  it.each([
    '<a><b></a></b>',
    '<a>',
    '<a/><b/>',
    '<a b=c"></a',
    'text <a/>',
    '< a/>',
    '<a/> text',
    '<?php echo 1;',
    '<a <b/>',
  ])('is not %j', (text) => {
    expect(kindOf(text)).not.toBe('xml');
  });

  it('stays xml at every character of a cut-off text', () => {
    const text =
      '<?xml version="1.0"?><!DOCTYPE r [<!ELEMENT r ANY>]>\n<r a="1>" b=\'>\'><!-- <x> --><c/><![CDATA[</r>]]><d>é</d></r>';
    for (let end = 8; end < text.length; end++) expect(kindOf(text.slice(0, end), false)).toBe('xml');
    expect(kindOf(text)).toBe('xml');
  });
});

describe('CSV and diffs', () => {
  it('are taken for themselves or for text when cut off, never for another structure', () => {
    const harmless: ContentKind[] = ['text', 'prose', 'listing', 'code'];
    for (const [text, kind] of [
      [CSV, 'csv'],
      [DIFF, 'diff'],
    ] as const) {
      const bytes = encode(text);
      for (let end = 1; end <= bytes.length; end++) {
        for (const complete of [true, false]) {
          expect([kind, ...harmless]).toContain(detect(bytes.subarray(0, end), { complete }).kind);
        }
      }
    }
  });

  it('CSV needs three rows with equally many separators outside quotes', () => {
    expect(kindOf('a,b,c\n1,2,3\n')).not.toBe('csv');
    expect(kindOf('a,b,c\n1,2,3\n1,2\n1\n')).not.toBe('csv');
    expect(kindOf('a,b,c\n1,"2,\n2",3\n4,5,6\n')).toBe('csv');
    expect(kindOf('a;b;c\n1;2,5;3\n4;5,5;6\n')).toBe('csv');
    expect(kindOf('a\tb\n1\t2\n3\t4\n')).toBe('tsv');
  });

  it('sentences with commas are prose', () => {
    const text =
      'First of all, this is a sentence.\nAfter that, there is another one.\nIn the end, nothing is a table.\nAs before, one comma a line.\n';
    expect(kindOf(text)).toBe('prose');
  });

  it('a diff in a Markdown fence is prose', () => {
    expect(
      kindOf(`# Change\n\nApply the following change to your copy:\n\n\`\`\`diff\n${DIFF}\`\`\`\n`),
    ).toBe('prose');
  });
});

describe('a table whose first column counts its rows', () => {
  const rows = (from: number) =>
    Array.from({ length: 40 }, (_, i) => `${String(from + i).padEnd(9)}user${from + i}`.padEnd(20)).map(
      (row) => `${row}active`,
    );

  it('is a table below a ruler, and below a header that lines up', () => {
    const header = `${'id'.padEnd(9)}${'login'.padEnd(11)}state`;
    const ruler = `${'-'.repeat(7)}  ${'-'.repeat(9)}  ${'-'.repeat(6)}`;
    expect(kindOf([header, ruler, ...rows(1)].join('\n'))).toBe('table');
    expect(kindOf([header, ...rows(1)].join('\n'))).toBe('table');
  });

  it('is not seen in a numbered file', () => {
    const source = Array.from(
      { length: 40 },
      (_, i) => `${String(i + 1).padStart(6)}  const a${i} = f(${i});`,
    );
    expect(kindOf(source.join('\n'))).toBe('code');
    expect(kindOf(['Contents of src/a.ts:', ...source].join('\n'))).toBe('code');
  });
});
