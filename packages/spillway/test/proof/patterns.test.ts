// Patterns from strangers: bounded work whatever they are, and a refusal that says so.

import { memoryStore, open, re2Patterns, type SpillwayError } from 'spillway';
import { describe, expect, test, vi } from 'vitest';
import { openSpillway } from '../../../core/test/opening.ts';

const scope = 'scope';
const spillway = openSpillway({ patterns: await re2Patterns() });
const call = { tool: 't', session: 's', scope };

async function store(text: string | Uint8Array): Promise<string> {
  return (await spillway.sealed(await spillway.process(call, { kind: 'text', text })))?.id ?? '';
}

function search(id: string, pattern: string): Promise<{ body?: string; error?: SpillwayError }> {
  return spillway.retrieve({ artifact_id: id, pattern }, scope).then(
    ({ body }) => ({ body }),
    (error: SpillwayError) => ({ error }),
  );
}

describe('a pattern', () => {
  test.each(['(a+)+$', '(a|aa)+$', '(a*)*$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%s that is catastrophic elsewhere comes to an end',
    async (pattern) => {
      const id = await store(`${'a'.repeat(300_000)}!`);
      const { body, error } = await search(id, pattern);
      expect(error === undefined || error.status === 400).toBe(true);
      expect(body === undefined || body.length < 16_000).toBe(true);
    },
  );

  test.each([
    '(x{1000}){1000}',
    '((x{100}){100}){10}',
    '(?:(?:x{900}y?){1}){1}|(?:z{900})',
    `(${'a?'.repeat(900)}){1}${'b{5}'.repeat(60)}`,
    '('.repeat(5_000) + ')'.repeat(5_000),
    'a'.repeat(9_000),
  ])('that is too large is refused in one sentence (%#)', async (pattern) => {
    const id = await store('a line\n');
    const { error } = await search(id, pattern);
    expect(error).toMatchObject({ code: 'invalid_argument' });
    expect(error?.message).toMatch(/^The pattern is (too large|not valid)[^\n]+\.$/);
    expect(error?.message.length).toBeLessThan(300);
  });

  test('that would take too long on a large text is given up', async () => {
    const clock = vi.spyOn(performance, 'now');
    let ms = 0;
    clock.mockImplementation(() => {
      ms += 200;
      return ms;
    });
    const id = await store('line\n'.repeat(100));
    const { error } = await search(id, 'x');
    clock.mockRestore();
    expect(error).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('takes too long'),
    });
  });

  test('runs over bytes that are no UTF-8, and what it shows is well-formed', async () => {
    const bytes = Buffer.concat(
      Array.from({ length: 300 }, (_, i) =>
        Buffer.from([0xff, 0xc0, 0xed, 0xa0, 0x80, 0x66, 0xf0, 0x9f, i % 256, 10]),
      ),
    );
    const id = await store(bytes);
    for (const pattern of ['f', '\uFFFD', '.', '^', '[^a]', '\\x{FFFD}f', '\\C']) {
      const { body, error } = await search(id, pattern);
      if (error !== undefined) expect(error.status).toBe(400);
      else expect(body?.isWellFormed()).toBe(true);
    }
  });
});

test('every way to open Spillway has the bounded engine', async () => {
  const { spillway: opened } = await open({ store: memoryStore(), env: {} });
  const answer = await opened.process(call, { kind: 'text', text: 'x' });
  const id = (await opened.sealed(answer))?.id;
  await expect(opened.retrieve({ artifact_id: id, pattern: '(x{1000}){1000}' }, scope)).rejects.toMatchObject(
    { status: 400 },
  );
});
