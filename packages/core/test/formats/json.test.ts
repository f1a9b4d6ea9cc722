/** JSON stays JSON, whatever its shape and the budget. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Projection } from '@spillway/core';
import type { PolicyPatch } from '@spillway/core/plugin';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunked } from '../arbitraries.ts';
import { openSpillway } from '../opening.ts';

const call = { tool: 'api', session: 's', scope: 's' };

async function project(
  text: string | Uint8Array | Uint8Array[],
  policy: PolicyPatch = {},
  tool = 'api',
): Promise<Projection> {
  const spillway = openSpillway({
    clock: () => 1_700_000_000_000,
    random: (count) => new Uint8Array(count),
  });
  return (await spillway.process({ ...call, tool }, { kind: 'text', text }, { policy })).projection;
}

/** Documents of any shape, some of them indented. */
const anyJson = fc
  .tuple(
    fc.letrec<{ value: unknown; object: unknown; array: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.string({ maxLength: 60 }),
        fc.string({ unit: 'grapheme', minLength: 200, maxLength: 900 }),
        tie('object'),
        tie('array'),
      ),
      object: fc.dictionary(
        fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('$omitted', '$omitted_1', 'error', 'id')),
        tie('value'),
        { maxKeys: 30 },
      ),
      array: fc.array(tie('value'), { maxLength: 40 }),
    })).array,
    fc.constantFrom(0, 2),
  )
  .map(([value, indent]) => JSON.stringify(value, null, indent));

const anyShare = fc.record({
  inlineLimit: fc.integer({ min: 300, max: 5_000 }),
  firstElements: fc.constantFrom(1, 2, 5),
  lastElements: fc.constantFrom(1, 2, 5),
  maxDepth: fc.constantFrom(null, null, 2, 4),
});

/** One that reads a file shows exact text. */
const anyTool = fc.constantFrom('api', 'read_file');
const MARKED =
  /\.\.\. [\d,]+ items? omitted(?:: [^"]+)? \.\.\.|\[[\d,]+ chars? omitted\]|"\$omitted(?:_\d+)?":/;

describe('a JSON document', () => {
  it.each([2, 4, '\t'])(
    'in a file is shown as exact text, and stays valid (indented by %j)',
    async (indent) => {
      const items = Array.from({ length: 200 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a', 'b'] }));
      const text = `${JSON.stringify({ total: 5120, items, end: { ok: true } }, null, indent)}\n`;
      const { text: shown, metadata } = await project(text, { inlineLimit: 2_000 }, 'read_file');
      JSON.parse(shown);
      const lines = new Set(text.split('\n'));
      for (const line of shown.split('\n')) if (!MARKED.test(line)) expect(lines).toContain(line);
      expect(shown).toContain('"total": 5120,\n');
      expect(metadata.elided_chars).toBe(0);
    },
  );

  it('in a file takes few lines where only few may be shown', async () => {
    const text = JSON.stringify(
      Array.from({ length: 300 }, (_, id) => ({ id })),
      null,
      2,
    );
    const { text: shown, notice } = await project(text, { inlineLimit: 2_000, maxLines: 12 }, 'read_file');
    JSON.parse(shown);
    expect(`${notice ?? ''}${shown}`.trimEnd().split('\n').length).toBeLessThanOrEqual(12);
  });

  it('elsewhere keeps the blank behind a colon', async () => {
    const text = JSON.stringify({ total: 5120, items: Array.from({ length: 900 }, (_, id) => id) }, null, 2);
    expect((await project(text, { inlineLimit: 900 })).text).toContain('{"total": 5120,"items": [0,1,');
  });

  it('of any shape within any budget stays valid, counts exactly, and is within every cap', async () => {
    await fc.assert(
      fc.asyncProperty(anyJson, anyShare, anyTool, async (text, policy, tool) => {
        const projection = await project(text, policy, tool);
        JSON.parse(projection.text);
        expect(projection.text.length + (projection.notice?.length ?? 0)).toBeLessThanOrEqual(
          policy.inlineLimit,
        );
        const { omitted, elided_chars, original_size } = projection.metadata;
        const markers = (
          projection.text.match(
            /"\.\.\. [\d,]+ items? omitted(?:: [^"]+)? \.\.\."|"\$omitted(?:_\d+)?":| \.\.\. \[[\d,]+ chars? omitted\] \.\.\. /g,
          ) ?? []
        ).length;
        if (omitted.length > 0) expect(markers).toBeGreaterThan(0);
        const shown = original_size - omitted.reduce((sum, gap) => sum + gap.chars, 0) - elided_chars;
        expect(shown).toBeGreaterThanOrEqual(0);
        for (let i = 1; i < omitted.length; i++)
          expect(omitted[i]?.first_char).toBeGreaterThan(omitted[i - 1]?.last_char ?? 0);
      }),
      { numRuns: 300, endOnFailure: true },
    );
  });

  it('keeps only what the original has, at the same place', async () => {
    await fc.assert(
      fc.asyncProperty(anyJson, anyShare, anyTool, async (text, policy, tool) => {
        const projection = await project(text, policy, tool);
        expectSubset(JSON.parse(projection.text), JSON.parse(text));
      }),
      { numRuns: 300, endOnFailure: true },
    );
  });

  it('gives the same in any chunking', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyJson,
        anyShare,
        fc.array(fc.nat(), { maxLength: 12 }),
        async (text, policy, cuts) => {
          expect((await project(chunked(Buffer.from(text), cuts), policy)).text).toBe(
            (await project(text, policy)).text,
          );
        },
      ),
      { numRuns: 150, endOnFailure: true },
    );
  });

  it('can be fetched back at every gap', async () => {
    const text = JSON.stringify(
      {
        rows: Array.from({ length: 900 }, (_, i) => ({ id: i, name: `näme ${i}` })),
        note: 'x'.repeat(3_000),
      },
      null,
      1,
    );
    const spillway = openSpillway();
    const { projection } = await spillway.process(
      call,
      { kind: 'text', text },
      { policy: { inlineLimit: 2_000 } },
    );
    expect(projection.metadata.omitted.length).toBeGreaterThan(1);
    for (const gap of projection.metadata.omitted) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of await spillway.readRaw(
        { artifact_id: projection.metadata.artifact_id, chars: `${gap.first_char}-${gap.last_char}` },
        's',
      ))
        chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toBe(text.slice(gap.first_char - 1, gap.last_char));
    }
  });
});

describe('the lines of a JSON document', () => {
  it.each(['', '\n', '\n\n'])('add up exactly when it ends in %j', async (end) => {
    const text = JSON.stringify({ rows: Array.from({ length: 900 }, (_, i) => ({ id: i })) }, null, 1) + end;
    const { metadata } = await project(text, { inlineLimit: 1_000 });
    expect(metadata.original_lines).toBe(text.trimEnd().split('\n').length + Math.max(0, end.length - 1));
    const shown = metadata.original_lines - metadata.omitted.reduce((sum, gap) => sum + gap.lines, 0);
    expect(shown).toBeGreaterThan(10);
    expect(metadata.omitted.every((gap) => gap.lines <= gap.last_line - gap.first_line + 1)).toBe(true);
  });
});

describe('an array', () => {
  it('of 100 numbers with the first and last two asked for says that 96 were left out', async () => {
    const { text, notice, metadata } = await project(
      JSON.stringify(
        Array.from({ length: 100 }, (_, i) => i + 1),
        null,
        1,
      ),
      { inlineLimit: 300, firstElements: 2, lastElements: 2 },
    );
    expect(text).toBe('[1,2,"... 96 items omitted ...",99,100]');
    expect(notice).toContain('art_1700000000_0000000000000000');
    expect(metadata.strategy_used).toBe('element');
  });

  it('under one key of an object leaves the other keys alone', async () => {
    const items = Array.from({ length: 50 }, (_, i) => ({ id: i, name: `item ${i}` }));
    const { text } = await project(JSON.stringify({ items, total_count: 50, ok: true }, null, 2), {
      inlineLimit: 700,
      firstElements: 3,
      lastElements: 2,
    });
    const shown = JSON.parse(text);
    expect(shown.items).toHaveLength(6);
    expect(shown.items[3]).toBe('... 45 items omitted ...');
    expect(shown).toMatchObject({ total_count: 50, ok: true });
  });

  it('keeps the items that differ from the rest: another shape, a null, an outlier, a rare value, an error', async () => {
    let found = 0;
    const rounds = 40;
    for (let round = 0; round < rounds; round++) {
      const items: Record<string, unknown>[] = Array.from({ length: 1_000 }, (_, i) => ({
        id: i,
        name: `user ${i}`,
        price: 20 + ((i * 37) % 11),
        status: i % 3 === 0 ? 'open' : 'closed',
        owner: { team: `t${i % 9}` },
      }));
      const at = 50 + ((round * 7919) % 900);
      const odd = [
        { extra: true },
        { owner: null },
        { price: 1e7 },
        { status: 'exploded' },
        { error: 'no such order' },
      ][round % 5];
      items[at] = { ...items[at], ...odd, mark: undefined };
      const { text } = await project(JSON.stringify({ data: items }));
      if (text.includes(`"id":${at},`)) found++;
    }
    expect(found).toBeGreaterThanOrEqual(rounds * 0.9);
  });
});

describe('an object', () => {
  it('with too many keys says how many were left out, under a key that it does not have itself', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => [i === 7 ? '$omitted' : `key${i}`, i]),
    );
    const { text } = await project(JSON.stringify(wide), { inlineLimit: 1_000 });
    const shown = JSON.parse(text);
    const kept = Object.keys(shown).length - 1;
    const gone = (2_000 - kept).toLocaleString('en-US');
    expect(shown.$omitted_1).toMatch(new RegExp(`^${gone} keys: key\\d+, key\\d+, .*, …$`));
    expect(shown.$omitted).toBe(7);
  });
});

describe('what tells of an error', () => {
  const rest = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`field_${i}`, `value number ${i}`]));
  const fault = { code: 17, message: 'the quota of the project is used up' };

  it('is kept before all else, however deep it lies, and gets the most room', async () => {
    const item = (i: number) => ({ id: i, state: { ...rest, error: i === 3 ? fault : null } });
    const text = JSON.stringify({ ...rest, list: Array.from({ length: 6 }, (_, i) => item(i)) });
    const shown = JSON.parse((await project(text, { inlineLimit: 900 })).text);
    expect(shown.list).toContainEqual(expect.objectContaining({ id: 3 }));
    expect(shown.list.find((each: { id?: number }) => each.id === 3).state.error).toEqual(fault);
  });

  it.each(['', [], {}, null, false, 0])('is not a field called error that holds %j', async (nothing) => {
    const keysWith = async (name: string) => {
      const { text } = await project(JSON.stringify({ ...rest, [name]: nothing }), { inlineLimit: 600 });
      return Object.keys(JSON.parse(text)).map((key) => (key === name ? 'it' : key));
    };
    expect(await keysWith('error')).toEqual(await keysWith('extra'));
  });
});

describe('an item that says that it failed', () => {
  const items = (failing: Record<string, unknown>, at = 150) =>
    JSON.stringify({
      tests: Array.from({ length: 300 }, (_, i) =>
        i === at ? { name: `test ${i}`, ...failing } : { name: `test ${i}`, status: 'passed', ok: true },
      ),
    });

  it.each([
    { status: 'failed', ok: true },
    { status: 'FAILURE', ok: true },
    { level: 'error', ok: true },
    { status: 'passed', ok: true, failureMessages: ['expected 4 to be 5'] },
    { status: 'passed', success: false },
  ])('is kept before its siblings: %j', async (failing) => {
    const { text } = await project(items(failing), { inlineLimit: 2_000 });
    expect(JSON.parse(text).tests).toContainEqual({ name: 'test 150', ...failing });
  });

  it('may be an event in an array that begins with its name', async () => {
    const events = lines(300, (i) => JSON.stringify([i === 150 ? 'fail' : 'pass', { title: `test ${i}` }]));
    const { text } = await project(events, { inlineLimit: 2_000 });
    expect(text).toContain('["fail",{"title":"test 150"}]');
  });

  it('is one of many where most say so: none of them takes the room of the others', async () => {
    const findings = Array.from({ length: 40 }, (_, i) => ({
      severity: 'critical',
      title: `finding ${i}`,
      more: 'x'.repeat(900),
    }));
    const { text } = await project(JSON.stringify(findings), { inlineLimit: 4_000 });
    const shown = JSON.parse(text).filter((item: unknown) => typeof item === 'object');
    expect(shown.length).toBeGreaterThan(8);
  });
});

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('');

describe('a long string', () => {
  it('is cut inside, with the chars left out, never inside an escape', async () => {
    for (let shift = 0; shift < 12; shift++) {
      const { text } = await project(
        `{"s":"${'a'.repeat(shift)}${'\\ud83d\\ude00\\n\\u00e9😀'.repeat(600)}"}`,
        { inlineLimit: 600 },
      );
      expect(JSON.parse(text).s).toMatch(
        /^a*(?:😀|\n|é)+ \.\.\. \[[\d,]+ chars omitted\] \.\.\. (?:😀|\n|é)+$/u,
      );
    }
  });
});

describe('numbers and escapes', () => {
  it('stay as they were written', async () => {
    const { text } = await project(
      `[12345678901234567890, 1.50, 1e400, "\\u0041", ${'0, '.repeat(3_000)}-0.0]`,
      { inlineLimit: 1_000 },
    );
    expect(text.startsWith('[12345678901234567890,1.50,1e400,"\\u0041",0,')).toBe(true);
    expect(text.endsWith(',-0.0]')).toBe(true);
  });
});

describe('the address of keys that are left out', () => {
  const omittedOf = async (value: unknown) =>
    (await project(JSON.stringify(value), { inlineLimit: 1_000 })).metadata.omitted;

  it('is that of all members where many are alike, so that a reader can go on', async () => {
    const packages = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`lib-${i}`, { version: `1.0.${i}`, licence: 'MIT' }]),
    );
    const omitted = await omittedOf({ name: 'app', packages });
    expect(omitted.map(({ found_by }) => found_by)).toContainEqual({ json_path: '$.packages.*' });
  });

  it('is that of the largest member of a record', async () => {
    const omitted = await omittedOf({
      name: 'app',
      versions: Array(400).fill('1.0.0'),
      time: 'x'.repeat(90),
    });
    expect(omitted[0]?.found_by?.json_path).toMatch(/^\$\.versions/);
  });
});

describe('the notice of a JSON body', () => {
  const text = JSON.stringify(Array.from({ length: 2_000 }, (_, i) => i));

  it('travels apart by default, and counts into the budget', async () => {
    const projection = await project(text, { inlineLimit: 1_000 });
    expect(projection.notice).toMatch(/^\[Showing .* of 8,891 chars \(1 line.* More: /);
    expect(projection.blocks.map((block) => block.type)).toEqual(['text', 'text']);
    const { truncated_size, notice_size } = projection.metadata;
    expect(truncated_size).toBe(projection.text.length);
    expect(notice_size).toBe(projection.notice?.length);
    expect(truncated_size + notice_size).toBeLessThanOrEqual(1_000);
  });

  it('may be embedded, go before, or be left to the metadata', async () => {
    const embedded = await project(text, { inlineLimit: 1_000, notice: 'embedded' });
    expect(JSON.parse(embedded.text)[0]).toMatch(/^\[Showing /);
    const inObject = await project(JSON.stringify({ $spillway: 1, list: JSON.parse(text) }), {
      inlineLimit: 1_000,
      notice: 'embedded',
    });
    expect(JSON.parse(inObject.text).$spillway_).toMatch(/^\[Showing /);
    expect((await project(text, { inlineLimit: 1_000, notice: 'before' })).text).toMatch(/^\[Showing /);
    const none = await project(text, { inlineLimit: 1_000, notice: 'metadata' });
    expect([JSON.parse(none.text).length > 10, none.notice]).toEqual([true, null]);
  });

  it('of a command that failed is embedded, so that the exit code is not lost', async () => {
    const spillway = openSpillway();
    const policy = { inlineLimit: 1_000 };
    const input = { kind: 'exec', stdout: text, exitCode: 3 } as const;
    const { projection } = await spillway.process(call, input, { policy });
    expect(JSON.parse(projection.text)[0]).toContain('Exit code 3.');
  });
});

describe('what a tool prints as JSON', () => {
  it('stays JSON for every tool, unless somebody chose a strategy', async () => {
    const text = JSON.stringify(Array.from({ length: 5_000 }, (_, i) => ({ i })));
    JSON.parse((await project(text, {}, 'execute_command')).text);
    expect((await project(text, { strategy: 'tail' }, 'execute_command')).metadata.strategy_used).toBe(
      'tail',
    );
    expect((await project(text, { contentDetection: false })).metadata.strategy_used).toBe('head_tail');
  });

  it('within the limit is passed on as it is, indentation included', async () => {
    const text = JSON.stringify({ a: [1, 2, 3] }, null, 4);
    expect((await project(text)).text).toBe(text);
  });

  it('but is malformed is shown as text, and it is said why', async () => {
    const { text, metadata } = await project(`{"a":[1,2${',3'.repeat(9_000)}, oops]}`, {
      strategy: 'element',
    });
    expect(text).toContain('\n[Shown as text: a value is missing.]\n');
    expect(metadata.strategy_used).toBe('head_tail');
  });
});

describe('lines of JSON', () => {
  it('stay lines of JSON', async () => {
    const text = Array.from(
      { length: 3_000 },
      (_, i) => `{"seq":${i},"level":"${i === 1_500 ? 'fatal' : 'info'}"}\n`,
    ).join('');
    const projection = await project(text);
    const lines = projection.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({ seq: 0, level: 'info' });
    expect(lines.at(-1)).toEqual({ seq: 2_999, level: 'info' });
    expect(lines).toContainEqual({ seq: 1_500, level: 'fatal' });
    expect(
      lines.some(
        (line) =>
          typeof line === 'string' && /^\.\.\. [\d,]+ items omitted: \$\[\d+:\d+\] \.\.\.$/.test(line),
      ),
    ).toBe(true);
  });
});

describe('hostile documents', () => {
  it.each([
    ['a hundred thousand arrays inside each other', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['a hundred thousand objects inside each other', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['a key of 3 MB', `{"${'k'.repeat(3_000_000)}":1,"z":2}`],
    ['a string of 3 MB', `{"a":"${'s\\\\'.repeat(1_000_000)}","z":2}`],
    ['a number of 100,000 digits', `[1,${'9'.repeat(100_000)},2]`],
    [
      'a flood of white space',
      `[1,${' '.repeat(1_000_000)}2,[3],${'\n'.repeat(500_000)}4${'\t'.repeat(400_000)}]`,
    ],
    ['a hundred thousand duplicate keys', `{${Array.from({ length: 100_000 }, () => '"dup":1').join(',')}}`],
  ])('%s: valid in, valid out', async (_name, text) => {
    const projection = await project(text);
    JSON.parse(projection.text);
    expect(projection.text.length).toBeLessThanOrEqual(8_000);
  });
});

const corpora = resolve(
  process.env.SPILLWAY_CORPORA ?? join(import.meta.dirname, '../../../../../shared/corpora'),
);
const manifest = join(corpora, 'structured.jsonl');
const items = existsSync(manifest)
  ? readFileSync(manifest, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { file: string; kind: string; valid?: boolean | null })
  : [];
if (items.length === 0)
  console.warn(`Real documents not found at ${corpora}: the tests on them are skipped.`);

describe.skipIf(items.length === 0)('the public JSON suite and real documents', () => {
  it('valid in, valid out at 1,000, 8,000 and 50,000; invalid in, no crash', async () => {
    for (const { file, valid } of items.filter((item) => item.file.endsWith('.json'))) {
      const bytes = readFileSync(join(corpora, file));
      for (const inlineLimit of [300, 1_000, 8_000, 50_000]) {
        const projection = await project(bytes, { strategy: 'element', inlineLimit });
        const { truncated_size, notice_size } = projection.metadata;
        expect(truncated_size + notice_size).toBeLessThanOrEqual(inlineLimit);
        if (valid === true) JSON.parse(projection.text.replace(/^\uFEFF/, ''));
      }
    }
  });
});

/** Whatever is shown is in the original at the same key, or among the items of the same array. */
function expectSubset(shown: unknown, original: unknown): void {
  if (typeof shown === 'string') {
    const [head = '', tail = ''] = shown.split(/ \.\.\. \[[\d,]+ chars? omitted\] \.\.\. /);
    if (shown === original || isMarker(shown)) return;
    expect(original).toBeTypeOf('string');
    expect((original as string).startsWith(head) && (original as string).endsWith(tail)).toBe(true);
  } else if (Array.isArray(shown)) {
    let at = 0;
    const all = original as unknown[];
    for (const item of shown) {
      const skipped =
        typeof item === 'string' ? /^\.\.\. ([\d,]+) items? omitted(?:: [^"]+)? \.\.\.$/.exec(item) : null;
      if (skipped !== null && !all.includes(item)) {
        at += Number(skipped[1]?.replaceAll(',', ''));
        continue;
      }
      expectSubset(item, all[at]);
      at++;
    }
    expect(at).toBe(all.length);
  } else if (shown !== null && typeof shown === 'object') {
    const all = original as Record<string, unknown>;
    for (const [key, value] of Object.entries(shown)) {
      if (!Object.hasOwn(all, key)) expect(isMarker(value) && key.startsWith('$omitted')).toBe(true);
      else expectSubset(value, all[key]);
    }
  } else {
    expect(shown).toEqual(original);
  }
}

function isMarker(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /^(?:\.\.\. [\d,]+ items? omitted(?:: .+)? \.\.\.|[\d,]+ keys?(?:: .+)?)$/.test(value)
  );
}

describe('one order among 2,000 that is not like the others', () => {
  const orders = (status: string) =>
    Array.from({ length: 2_000 }, (_, i) => ({
      id: i + 1,
      customer: `c${(i * 37) % 400}`,
      total: ((i * 7_919) % 10_000) / 100,
      status: i === 1_387 ? status : 'shipped',
      items: [{ sku: `s${i % 90}`, count: 1 + (i % 4) }],
    }));
  const limits = Array.from({ length: 26 }, (_, i) => 2_000 + i * 393);

  it.each([
    ['payment_failed', 0],
    ['on_hold', 2],
  ])('is shown whole where it is %s, whatever the limit', async (status, indent) => {
    const text = JSON.stringify({ orders: orders(status) }, null, indent);
    const found: string[] = [];
    for (const inlineLimit of limits) {
      const shown = await project(text, { inlineLimit });
      if (shown.text.includes(status)) found.push(shown.text);
      // Small items are shown whole or not at all.
      expect(shown.text.match(/\$omitted/g)?.length ?? 0).toBeLessThanOrEqual(2);
    }
    expect(found.length).toBe(limits.length);
  });
});
