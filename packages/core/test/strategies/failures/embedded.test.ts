/**
 * JSON in the middle of a log is shown as `element` shows it: valid, its shape kept, within its
 * share; small JSON as it stands.
 */
import { readFileSync } from 'node:fs';
import type { PolicyPatch } from '@spillway/core/plugin';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Share } from '../../../src/model/strategy.ts';
import { renderViews } from '../../../src/projection/render/text.ts';
import { JsonScan } from '../../../src/table/tree/json-scan.ts';
import { standard } from '../../../src/wording/dialects/standard.ts';
import { COMMAND, openSpillway, shown } from '../../opening.ts';
import { selectedFrom } from '../../part-text.ts';
import { wordOf } from '../../words.ts';

function summary(text: string, policy: PolicyPatch = {}, exitCode?: number) {
  const output =
    exitCode === undefined ? text : { kind: 'exec' as const, stdout: text, stderr: '', exitCode };
  return shown(output, { strategy: 'smart_summary', inlineLimit: 4_000, ...policy }, { call: COMMAND });
}

const steps = (from: number, count = 400) =>
  Array.from({ length: count }, (_, i) => `step ${from + i}: part ${wordOf(from + i)} copied\n`).join('');
const failing = (data: string) =>
  `${steps(0)}${data}\n${steps(400)}Error: apply failed with exit status 1\n${steps(800, 40)}`;
const quiet = (data: string) => `${steps(0)}${data}\n${steps(400)}`;

const nodes = Array.from({ length: 120 }, (_, i) => ({
  address: `disk.node_${i}`,
  values: { zone: `zone-${i % 3}`, size: i },
}));
const plan = { format: '1.2', resources: nodes, complete: true };

const OUT_OF_STOCK = { code: 'out_of_stock', message: 'only 2 left of SKU-1023' };

/** The JSON value that follows some words. */
function valueAfter(text: string, words: string | RegExp): unknown {
  const [, ...rest] = text.split(words);
  const bytes = Buffer.from(rest.join(String(words)));
  const scan = new JsonScan({ open() {}, close() {}, leaf() {} }, 'one');
  scan.push(bytes);
  return JSON.parse(bytes.subarray(0, scan.valueEnd).toString());
}

describe('JSON in a log', () => {
  const spaced = JSON.stringify(plan, null, 2);
  it.each([
    ['on one line', `$ show\n${JSON.stringify(plan)}`, failing],
    ['on one line, without a failure', `$ show\n${JSON.stringify(plan)}`, quiet],
    ['over many lines', `$ show\n${spaced}`, failing],
    ['over many lines, without a failure', `$ show\n${spaced}`, quiet],
    ['behind words on its line', `$ show\n${spaced}`.replace('\n', ' '), quiet],
    ['before words on its line', `$ show ${JSON.stringify(plan)} and so on`, failing],
    ['as a list', `$ show\n${JSON.stringify(nodes, null, 2)}`, failing],
    ['with CR LF', `$ show\n${spaced}`.replaceAll('\n', '\r\n'), failing],
  ])(
    '%s is shown in part: valid, with its shape, and with the line that says what it is',
    async (_, data, log) => {
      const { text, metadata } = await summary(log(data));
      const value = valueAfter(text, /\$ show\s/);
      const list = Array.isArray(value) ? value : (value as typeof plan).resources;
      expect(list[0]).toEqual(nodes[0]);
      expect(list.at(-1)).toMatchObject({ address: 'disk.node_119' });
      expect(list).toContainEqual(expect.stringMatching(/^\.\.\. \d+ items omitted \.\.\.$/));
      if (!Array.isArray(value)) expect(value).toMatchObject({ format: '1.2', complete: true });
      expect(text.length).toBeLessThanOrEqual(4_000);
      expect(text.length).toBeGreaterThan(3_700);
      if (log === failing) expect(text).toContain('\nError: apply failed with exit status 1\n');
      expect(text).toContain(log === failing ? 'step 839: ' : 'step 0: part b copied\n');
      expect(metadata.strategy_used).toBe('smart_summary');
    },
  );

  it('is marked as element marks it, between markers of the text', async () => {
    const { text } = await summary(failing(`$ show\n${spaced}`), { inlineLimit: 1_500 });
    expect(text.slice(text.indexOf('...'), text.indexOf('1602: '))).toBe(
      [
        '... [399 lines / 9,996 chars omitted: 2-400] ...',
        '$ show',
        '{"format":"1.2","resources":[{"address":"disk.node_0","values":{"zone":"zone-0","size":0}},{"address":"disk.node_1","values":{"zone":"zone-1","size":1}},{"address":"disk.node_2","values":{"zone":"zone-2","size":2}},"... 116 items omitted ...",{"address":"disk.node_119","values":{"zone":"zone-2","size":119}}],"complete":true}',
        '... [382 lines / 9,932 chars omitted: 1248-1630] ...',
        '',
      ].join('\n'),
    );
  });

  it('that is small stays as it stands, white space included', async () => {
    const small = JSON.stringify(
      { error: null, user: { id: 7, roles: ['admin', 'ops'] }, tags: [1, 2, 3] },
      null,
      2,
    );
    for (const log of [failing, quiet]) {
      const { text, metadata } = await summary(log(`body: ${small}`));
      expect(text).toContain(`\nbody: ${small}\n`);
      expect(metadata.elided_chars).toBe(0);
    }
  });

  it('keeps what it says of an error, wherever that stands', async () => {
    const bad = {
      address: 'disk.node_70',
      values: { zone: 'zone-1' },
      error: { message: 'no room left in zone-1' },
    };
    const broken = { ...plan, resources: nodes.toSpliced(70, 1, bad as never) };
    for (const data of [JSON.stringify(broken), JSON.stringify(broken, null, 2)]) {
      const { text } = await summary(failing(`$ show\n${data}`), { inlineLimit: 2_500 });
      const { resources } = valueAfter(text, /\$ show\s/) as typeof plan;
      expect(resources).toContainEqual(bad);
    }
  });

  it('gets the room that nothing else needs', async () => {
    const { text } = await summary(`Fetching\n${spaced}\nError: no such disk\n`);
    expect(text.length).toBeGreaterThan(3_600);
    expect((valueAfter(text, 'Fetching\n') as typeof plan).resources.length).toBeGreaterThan(30);
  });

  it('is one of several: each is shown, the later ones smaller', async () => {
    const { text } = await summary(quiet(`$ show\n${spaced}\n${steps(1)}$ state\n${spaced}`));
    expect(valueAfter(text, '$ show\n')).toMatchObject({ format: '1.2' });
    expect(valueAfter(text, '$ state\n')).toMatchObject({ format: '1.2' });
  });

  it('takes one line where lines are counted', async () => {
    const person = {
      id: 1,
      roles: ['admin', 'operations'],
      name: 'someone with quite a long name',
      from: 'here',
    };
    const { text } = await summary(quiet(`$ who\n${JSON.stringify(person, null, 2)}`), { maxLines: 30 });
    expect(text).toContain(`\n$ who\n${JSON.stringify(person)}\n`);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    expect(text.trimEnd().split('\n').length).toBeGreaterThan(10);
  });

  it.each([
    ['is cut off', JSON.stringify(plan, null, 2).slice(0, -400)],
    ['has a comment in it', JSON.stringify(plan, null, 2).replace('"node_60"', '// here')],
    ['is no JSON', `{ 'a': 1, ${'b, '.repeat(400)} }`],
    ['is the label of a log', '[1] [2] [3, {"a": 1'],
  ])('that %s is text, and nothing is lost', async (_, data) => {
    const { text, metadata } = await summary(failing(data));
    expect(text).toContain('Error: apply failed with exit status 1');
    expect(text.length).toBeLessThanOrEqual(4_000);
    expect(metadata.omitted.length).toBeGreaterThan(0);
  });

  it('is named among the reasons', async () => {
    const spillway = openSpillway();
    const { projection } = await spillway.process(
      { tool: 'run', session: 's', scope: 's' },
      { kind: 'text', text: failing(`$ show\n${spaced}`) },
      { policy: { strategy: 'smart_summary' } },
    );
    const id = projection.metadata.artifact_id;
    if (id === null) throw new Error('nothing was cut');
    const [first] = await spillway.reasons({ scope: 's', id }, { policy: { strategy: 'smart_summary' } });
    const block = first?.blocks.find(({ causes }) => causes[0]?.cause === 'structured data');
    expect(block).toMatchObject({ firstLine: 401, lastLine: 401 + spaced.split('\n').length });
  });

  it('can be fetched back at every gap', async () => {
    const spillway = openSpillway();
    const text = failing(`$ show\n${spaced}`);
    const { projection } = await spillway.process(
      { tool: 'run', session: 's', scope: 's' },
      { kind: 'text', text },
      { policy: { strategy: 'smart_summary', inlineLimit: 3_000 } },
    );
    const { omitted, elided_chars, artifact_id } = projection.metadata;
    if (artifact_id === null) throw new Error('nothing was cut');
    expect(omitted.length).toBeGreaterThan(3);
    for (const { first_char, last_char, chars } of omitted) {
      const chunks: Uint8Array[] = [];
      const asked = { artifact_id, chars: `${first_char}-${last_char}` };
      for await (const chunk of await spillway.readRaw(asked, 's')) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toBe(text.slice(first_char - 1, last_char));
      expect(last_char - first_char + 1).toBe(chars);
    }
    const gone = omitted.reduce((sum, gap) => sum + gap.chars, 0) + elided_chars;
    expect(projection.text).toContain(`Showing ${(text.length - gone).toLocaleString('en')} of `);
  });
});

describe('JSON that real tools printed among other things', () => {
  const FOLDER = new URL('../../fixtures/embedded/', import.meta.url);
  const fixture = (name: string) => readFileSync(new URL(`${name}.txt`, FOLDER), 'utf8');

  it.each([
    [
      'npm-ls',
      '==> Dependencies\n',
      { name: 'shop', dependencies: { express: { version: '4.21.2' }, mocha: { version: '11.1.0' } } },
      ['==> Tests', '1) applies the discount once', '14 !== 15'],
    ],
    [
      'terraform-show',
      '+ terraform show -json plan.bin\n',
      { checks: [expect.objectContaining({ status: 'fail' })] },
      ['+ terraform init -no-color', 'Warning: Check block assertion failed', '+ terraform output -json'],
    ],
    [
      'curl-conflict',
      'left intact\n',
      { status: 409, items: expect.arrayContaining([expect.objectContaining({ error: OUT_OF_STOCK })]) },
      ['< HTTP/1.1 409 Conflict', '==> Done, status 0'],
    ],
    [
      'cargo-metadata',
      '--- metadata ---\n',
      { packages: expect.anything() },
      ['thread ', 'test tests::adds ... FAILED', 'error: test failed'],
    ],
  ])('%s: is shown, and what it stands among', async (name, before, wanted, around) => {
    for (const inlineLimit of [2_000, 4_000]) {
      const { text } = await summary(fixture(name), { inlineLimit });
      expect(text.length).toBeLessThanOrEqual(inlineLimit);
      expect(around.filter((words) => !text.includes(words))).toEqual([]);
      expect(valueAfter(text, before)).toMatchObject(wanted);
    }
  });
});

/** Logs with data in them: of any shape, anywhere, whole or not. */
const anyValue = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 1, max: 60 }), fc.constantFrom(0, 2))
  .map(([value, copies, indent]) =>
    JSON.stringify({ list: Array.from({ length: copies }, () => value), value }, null, indent),
  );
const anyRun = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map((count) => 'a quiet line of a log\n'.repeat(count)),
  fc.constantFrom(
    'error: it broke\n',
    '==> build\n',
    '--- stage ---\n',
    'warning: slow disk\n',
    '日本語 {\n',
    '[INFO] {"a": 1,\n',
    '\n',
    '{\n',
    '"key": [\r\n',
    'busy 1%\rbusy 2%\r',
    '},\n',
  ),
  fc
    .tuple(fc.constantFrom('', 'data: ', '  '), anyValue, fc.constantFrom('\n', ' end\n', '\r\n', ',\n', ''))
    .map((parts) => parts.join('')),
);
const anyLog = fc.array(anyRun, { minLength: 1, maxLength: 12 }).map((runs) => runs.join(''));
const GAP: Share['gap'] = {
  chars: 60,
  lines: 2,
  exactly: (position, lines, chars) =>
    standard.marker({ position, lines, chars, following: 0, from: null, what: null }, 'full').length,
};

const SUMMARY = { policy: { strategy: 'smart_summary', inlineLimit: 4_000, clean: 'never' } } as const;

/** A line that repeats is shown for what stands behind it, and so are those that repeat it. */
const REPEATED: [string, { chars: number; lines: number }, number[]] = [
  `${'a quiet line of a log\n'.repeat(4)}${JSON.stringify({ list: Array(10).fill(0), value: 0 }, null, 2)}\n${'a quiet line of a log\n'.repeat(14)}error: it broke\n`,
  { chars: 504, lines: Number.POSITIVE_INFINITY },
  [],
];

describe('any log with any data in it', () => {
  const anyShare = fc.record({
    chars: fc.integer({ min: 100, max: 4_000 }),
    lines: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 12),
  });

  it('is covered exactly, whatever its chunks, and takes no more than its share', () => {
    fc.assert(
      fc.property(anyLog, anyShare, fc.array(fc.nat(), { maxLength: 8 }), (text, room, cuts) => {
        const share = { ...room, gap: GAP };
        const selected = selectedFrom(text, share, SUMMARY);
        const { selection, texts } = selected;
        expect(selectedFrom(text, share, { ...SUMMARY, cuts }).selection).toEqual(selection);
        const bytes = Buffer.from(text);
        let at = 0;
        for (const [i, { kind, start, end, chars }] of selection.entries()) {
          expect(start).toBe(at);
          const part = bytes.subarray(start, end).toString();
          expect([chars, texts[i]]).toEqual([part.length, kind === 'keep' ? part : '']);
          at = end;
        }
        expect(at).toBe(bytes.length);
        const lines = text.split(/\r\n|\r|\n/).length - (/[\r\n]$|^$/.test(text) ? 1 : 0);
        expect(selection.reduce((sum, segment) => sum + segment.lines, 0)).toBe(lines);
        const [written] = renderViews(
          [{ kind: 'text', part: {} as never, selected, from: null, labelled: false }],
          { dialect: standard, detail: 'full', addressed: false },
        );
        if (selection.some(({ kind }) => kind === 'keep'))
          expect(written?.length).toBeLessThanOrEqual(share.chars);
      }),
      { numRuns: 200, examples: [REPEATED] },
    );
  });

  it('shows data that is valid, or none of it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(
          fc.integer({ min: 0, max: 200 }),
          fc.integer({ min: 2, max: 200 }),
          fc.constantFrom(0, 2, '\t'),
          fc.constantFrom(quiet, failing),
        ),
        fc.integer({ min: 600, max: 3_000 }),
        async ([deep, wide, indent, log], inlineLimit) => {
          const data = {
            wide: Object.fromEntries(nodes.slice(0, wide).map((node, i) => [`k${i}`, node])),
            text: 'ä\n"'.repeat(deep),
            list: nodes.slice(0, deep),
          };
          const { text } = await summary(log(`data: ${JSON.stringify(data, null, indent)}`), { inlineLimit });
          expect(text.length).toBeLessThanOrEqual(inlineLimit);
          const found = text.includes('data: ');
          if (found) expect(valueAfter(text, 'data: ')).toBeDefined();
          else expect(text).not.toContain('disk.node');
        },
      ),
      { numRuns: 60 },
    );
  });
});
