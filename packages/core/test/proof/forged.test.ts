// Arguments of every kind, forged cursors above all: nothing but a refusal or the artifact's own
// text comes back.
import { SpillwayError } from '@spillway/core';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { anyText } from '../arbitraries.ts';
import { openSpillway } from '../opening.ts';

const scope = 'scope';
const call = { tool: 'tool', session: 'session', scope };
const SECRET = '§';
const emoji = '😀'.repeat(40_000);
const texts = [`${'a line of words\r\n'.repeat(9_000)}end`, emoji, '', 'x'.repeat(100_000)];
const image = Uint8Array.from({ length: 3_000 }, (_, i) => i % 256);
const spillway = openSpillway({
  patterns: {
    compile: (pattern) => ({ find: (text) => text.indexOf(pattern) }),
  },
});
let own = '';
let other = '';
let elsewhere = '';

beforeAll(async () => {
  const blocks = texts.map((text) => ({ type: 'text' as const, text }));
  const result = {
    kind: 'blocks' as const,
    blocks: [...blocks, { type: 'image' as const, data: image, mimeType: 'image/png' }],
  };
  own = (await spillway.sealed(await spillway.process(call, result)))?.id ?? '';
  const secret = { kind: 'text' as const, text: SECRET.repeat(300_000) };
  other = (await spillway.sealed(await spillway.process(call, secret)))?.id ?? '';
  elsewhere = (await spillway.sealed(await spillway.process({ ...call, scope: 'other' }, secret)))?.id ?? '';
});

const position = fc.oneof(
  fc.integer({ min: 0, max: 400_000 }),
  fc.constantFrom(0, 1, 2, 65_535, 65_536, 65_537, 159_999, 160_000, 999_999_999_999_999),
);
const cursor = fc
  .tuple(
    fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant(999_999_999)),
    position,
    position,
    fc.option(position),
  )
  .map(([part, start, end, total]) => [part, start, end, ...(total === null ? [] : [total])].join('.'));
const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '1e9',
    '0x10',
    '-1',
    '-1--5',
    '1-',
    '9-1',
    '٣',
  ),
  fc.string({ minLength: 10_001, maxLength: 10_002 }),
);
const oddValue = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(
    { toString: 1, valueOf: 2 },
    { toString: 'x' },
    [],
    [1],
    {},
    true,
    Number.NaN,
    -1,
    0.5,
    1e308,
  ),
  fc.anything(),
);
const name = fc.constantFrom(
  'part',
  'start_line',
  'end_line',
  'lines',
  'chars',
  'pattern',
  'context',
  'json_path',
);
const range = fc.tuple(position, position).map(([first, last]) => `${first}-${last}`);

/** What may come back: nothing, or a refusal as a client's own mistake. */
async function refused(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(SpillwayError);
    expect([400, 404]).toContain((error as SpillwayError).status);
    return true;
  }
}

const isOwn = (body: string) => texts.some((text) => text.includes(body));

describe('a forged cursor', () => {
  it('gives a range of the same artifact, whole characters only, or is refused', async () => {
    await fc.assert(
      fc.asyncProperty(cursor, async (forged) => {
        await refused(async () => {
          const { body, text } = await spillway.retrieve({ artifact_id: own, cursor: forged }, scope);
          expect(isOwn(body)).toBe(true);
          expect(body.isWellFormed() && !body.includes('\uFFFD')).toBe(true);
          expect(text.length).toBeLessThanOrEqual(16_000);
        });
        await refused(async () => {
          const bytes: Uint8Array[] = [];
          for await (const chunk of await spillway.readRaw({ artifact_id: own, cursor: forged }, scope))
            bytes.push(chunk);
          expect(isOwn(Buffer.concat(bytes).toString())).toBe(true);
        });
        await refused(async () => {
          const found = await spillway.retrieve({ artifact_id: own, cursor: forged, pattern: 'e' }, scope);
          expect(found.text).not.toContain(SECRET);
          expect(found.text.length).toBeLessThanOrEqual(16_000);
        });
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    '-1.0.5',
    '0.-1.5',
    '0.5.1',
    '0.0',
    '0.0.1e3',
    '0.0.9999999999999999',
    ' 0.0.1',
    '0.0.1\n',
    '٠.0.1',
  ])('%j is refused as an argument', async (forged) => {
    await expect(spillway.retrieve({ artifact_id: own, cursor: forged }, scope)).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('that points at an image or another part of the record is refused', async () => {
    const cursor = '4.0.3000';
    await expect(spillway.retrieve({ artifact_id: own, cursor }, scope)).rejects.toMatchObject({
      status: 400,
    });
  });

  it('beyond the end is an empty page with the totals', async () => {
    const page = await spillway.retrieve({ artifact_id: own, cursor: '3.100000.999999999999999' }, scope);
    expect(page).toMatchObject({ body: '', totalChars: 100_000, nextCursor: null });
  });
});

test('arguments of any type and value are answered or refused, never anything else', async () => {
  const args = fc.record(
    { artifact_id: fc.constant(''), extra: fc.tuple(fc.oneof(name, oddText), fc.oneof(range, oddValue)) },
    { requiredKeys: ['artifact_id', 'extra'] },
  );
  await fc.assert(
    fc.asyncProperty(args, fc.option(cursor), async ({ extra: [key, value] }, forged) => {
      const request = { artifact_id: own, [key]: value, ...(forged === null ? {} : { cursor: forged }) };
      await refused(async () => {
        const { body, text } = await spillway.retrieve(request, scope);
        expect(text).not.toContain(SECRET);
        if (key !== 'pattern') expect(isOwn(body)).toBe(true);
      });
    }),
    { numRuns: 400 },
  );
  for (const odd of [null, undefined, 1, 'art_1_aaaa', [], [own], new Map()])
    expect(await refused(() => spillway.retrieve(odd, scope))).toBe(true);
});

test('an id of anything but an artifact is refused before it is looked up; one of another scope is not there', async () => {
  await fc.assert(
    fc.asyncProperty(oddValue, async (id) => {
      expect(await refused(() => spillway.retrieve({ artifact_id: id }, scope))).toBe(true);
    }),
    { numRuns: 150 },
  );
  await expect(spillway.retrieve({ artifact_id: elsewhere }, scope)).rejects.toMatchObject({ status: 404 });
  await expect(spillway.retrieve({ artifact_id: other }, `${scope}\0`)).rejects.toMatchObject({
    status: 404,
  });
});

describe('pages put together', () => {
  const contents = fc.array(
    fc.oneof(anyText, fc.constant(''), fc.constant('日本語'.repeat(3_000)), fc.constant('y'.repeat(9_000))),
    { minLength: 1, maxLength: 5 },
  );

  it('are the text of every part, in order, whatever the parts are', async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (parts) => {
        const { id, small } = await stored(parts);
        let together = '';
        for (let next: string | null = ''; next !== null; ) {
          const page = await small.retrieve(
            { artifact_id: id, ...(next === '' ? {} : { cursor: next }) },
            scope,
          );
          expect(page.text.length).toBeLessThanOrEqual(1_000);
          together += page.body;
          next = page.nextCursor;
        }
        expect(together).toBe(parts.join(''));
      }),
      { numRuns: 40 },
    );
  });

  it.each(['lines', 'chars'] as const)('asked for by %s, in any division, are the text', async (unit) => {
    await fc.assert(
      fc.asyncProperty(contents, fc.array(fc.nat(20_000), { maxLength: 4 }), async (parts, cuts) => {
        const { id, small } = await stored(parts);
        for (const [i, text] of parts.entries()) {
          const ends = [...cuts.toSorted((a, b) => a - b), Number.MAX_SAFE_INTEGER];
          let together = '';
          for (const [at, end] of ends.entries()) {
            const first = (ends[at - 1] ?? 0) + 1;
            if (end < first) continue;
            const request = { artifact_id: id, part: String(i + 1), [unit]: `${first}-${end}` };
            for (let page = await small.retrieve(request, scope); ; ) {
              together += page.body;
              if (page.nextCursor === null) break;
              page = await small.retrieve(
                { artifact_id: id, part: String(i + 1), cursor: page.nextCursor },
                scope,
              );
            }
          }
          expect(together).toBe(text);
        }
      }),
      { numRuns: 25 },
    );
  });

  async function stored(parts: readonly string[]) {
    const small = openSpillway();
    small.configureSession(call.session, { pageLimit: 1_000 });
    const blocks = parts.map((text) => ({ type: 'text' as const, text }));
    const record = await small.sealed(await small.process(call, { kind: 'blocks', blocks }));
    return { id: record?.id ?? '', small };
  }
});
