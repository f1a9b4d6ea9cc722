// One call makes the request: it fits the window with everything counted that is sent, or fails
// with the culprit and the way out named.
import { type MadeRequest, type Session, textOf, writeAs } from '@spillway/core/history';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Spillway } from '../../src/index.ts';
import { linesOf, NAME, openHistory, turn } from './opened.ts';
import { anthropicRefuses, openaiRefuses } from './provider-rules.ts';

const say = (session: Session, role: 'user' | 'assistant' | 'system', text: string) =>
  session.say({ role, parts: [{ type: 'text', text }] });

/** Every text of a request, whoever says it and wherever it stands. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if ('base64' in value) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** What must hold for every request that is made. */
function mustFit(spillway: Spillway, made: MadeRequest, window: number): MadeRequest {
  const { numbers, messages } = made;
  expect(numbers.tokens).toBeLessThanOrEqual(Math.floor(window * 0.95));
  const sent = messages.flatMap(({ parts, foreign }) => [
    ...stringsIn(parts.map(content)),
    ...stringsIn(foreign),
  ]);
  const counted = sent.reduce((sum, text) => sum + spillway.countTokens(text), 0);
  expect(counted).toBeLessThanOrEqual(numbers.tokens + 2 * sent.length);
  expect(anthropicRefuses(writeAs('anthropic', messages).messages)).toEqual([]);
  expect(openaiRefuses(writeAs('openai_chat', messages).messages)).toEqual([]);
  expect(messages.at(-1)?.role).not.toBe('assistant');
  return made;
}

/** What is sent of a part, without our own names in it. */
function content(part: MadeRequest['messages'][number]['parts'][number]): unknown {
  if (part.type === 'result') return [part.callId, part.tool, textOf(part), part.foreign];
  if (part.type === 'call') return [part.callId, part.tool, part.input, part.foreign];
  if (part.type === 'text') return [part.text, part.foreign];
  return part;
}

async function fetched(spillway: Spillway, id: string): Promise<string> {
  let body = '';
  for (let args: object | null = { artifact_id: id }; args !== null; ) {
    const page = await spillway.retrieve(args, NAME.scope);
    body += page.body;
    args = page.nextCursor === null ? null : { artifact_id: id, cursor: page.nextCursor };
  }
  return body;
}

/** Parallel calls in one message, each with its result. */
async function batch(session: Session, count: number, chars: number): Promise<string[]> {
  const calls = Array.from({ length: count }, (_, i) => ({
    type: 'call' as const,
    callId: `p${i}`,
    tool: 'read_file',
    input: `{"path":"src/file-${i}.ts"}`,
  }));
  await session.say({ role: 'assistant', parts: calls });
  const ids: string[] = [];
  for (const { callId, tool } of calls) {
    const { output } = await session.result({ callId, tool }, { kind: 'text', text: linesOf(chars, callId) });
    ids.push(output.id);
  }
  return ids;
}

describe('a request that is made in one call', () => {
  it('is what `prepare` gives where there is room, and is repeated byte for byte', async () => {
    const { session } = openHistory();
    await say(session, 'system', 'Be careful.');
    for (let i = 0; i < 5; i++) await turn(session, i, linesOf(3_000, `t${i}`));
    const made = await session.request({ window: 60_000 });
    expect(made.compactions).toBe(0);
    expect(made.verdict).toBe('fits');
    const prepared = await session.prepare({ window: 60_000 });
    expect({ ...made, compactions: undefined, compacted: undefined }).toEqual({
      ...prepared,
      compactions: undefined,
    });
    await turn(session, 9, 'more');
    const more = await session.request({ window: 60_000 });
    expect(JSON.stringify(more.messages.slice(0, made.messages.length))).toBe(JSON.stringify(made.messages));
  });

  it('fits in every turn of a long session, in large and small windows, with nothing else to be called', async () => {
    for (const window of [3_000, 10_000, 30_000]) {
      const { session, spillway } = openHistory();
      await say(session, 'system', 'Be careful.');
      let compactions = 0;
      for (let i = 0; i < 24; i++) {
        await turn(session, i, linesOf(9_000, `t${i}`));
        compactions += mustFit(spillway, await session.request({ window }), window).compactions;
      }
      expect(compactions).toBeGreaterThan(0);
      expect(compactions).toBeLessThan(30);
    }
  });

  it('holds 30 parallel results in a small window, each with its handle, and 200 by their handles alone', async () => {
    const { session, spillway } = openHistory();
    await say(session, 'user', 'Read all of them.');
    const ids = await batch(session, 30, 20_000);
    const made = mustFit(spillway, await session.request({ window: 8_000 }), 8_000);
    const results = made.messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'result'));
    expect(results.map(({ output }) => output)).toEqual(ids);
    for (const [i, result] of results.entries()) expect(textOf(result)).toContain(ids[i]);

    const many = openHistory();
    await say(many.session, 'user', 'Read all of them.');
    const outputs = await batch(many.session, 200, 1_200);
    const folded = mustFit(many.spillway, await many.session.request({ window: 8_000 }), 8_000);
    const text = JSON.stringify(folded.messages);
    const index = /earlier results are listed in (art_\w+)\./.exec(text)?.[1] ?? '';
    const named = text + (await fetched(many.spillway, index));
    expect(text).toContain('The conversation stands at message #202: go on from there.');
    for (const id of outputs) expect(named).toContain(id);
  });

  it('holds a message of 3 MB in a small window by both its ends, with a handle of the whole', async () => {
    const pasted = `Explain this log: ${linesOf(3_000_000, 'log')} and answer in Dutch.`;
    for (const before of [0, 4]) {
      const { session, spillway } = openHistory();
      for (let i = 0; i < before; i++) await turn(session, i, linesOf(2_000, `t${i}`));
      await say(session, 'user', pasted);
      const made = mustFit(spillway, await session.request({ window: 8_000 }), 8_000);
      const text = JSON.stringify(made.messages);
      expect(text).toContain('Explain this log: ');
      expect(text).toContain('answer in Dutch.');
      const id = /(art_\w+) \(3,000,\d\d\d chars\)/.exec(text)?.[1] ?? '';
      expect(await fetched(spillway, id)).toBe(pasted);
      await say(session, 'assistant', 'It is about this and that.');
      await say(session, 'user', 'And now?');
      mustFit(spillway, await session.request({ window: 8_000 }), 8_000);
    }
  });

  it('fits although the arguments of the last call are larger than the window', async () => {
    const { session, spillway } = openHistory();
    await say(session, 'user', 'Write it.');
    const input = JSON.stringify({ path: 'a.ts', content: linesOf(400_000) });
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 'w', tool: 'write_file', input }],
    });
    const { output } = await session.result(
      { callId: 'w', tool: 'write_file' },
      { kind: 'text', text: 'written' },
    );
    const made = mustFit(spillway, await session.request({ window: 10_000 }), 10_000);
    expect(JSON.stringify(made.messages)).toContain(output.id);
  });

  it('counts what frameworks keep beside the content, and media by kind and size', async () => {
    const { session, spillway } = openHistory();
    const thoughts = linesOf(200_000, 'thought');
    await session.import('openai_chat', [
      { role: 'user', content: 'Think.' },
      { role: 'assistant', content: 'Done.', reasoning_content: thoughts },
      { role: 'user', content: 'And?' },
    ]);
    const { numbers } = await session.prepare({ window: 1_000_000 });
    expect(numbers.tokens).toBeGreaterThan(spillway.countTokens(thoughts));
    expect((await session.prepare({ window: 20_000 })).verdict).toBe('refused');
    const made = mustFit(spillway, await session.request({ window: 20_000 }), 20_000);
    expect(made.compactions).toBe(1);

    const shown = async (mediaType: string, bytes: number, mediaTokens?: number) => {
      const { session: one } = openHistory();
      const data = new Uint8Array(bytes).fill(7);
      await one.say({ role: 'user', parts: [{ type: 'media', mediaType, data }] });
      const prepared = await one.prepare(mediaTokens === undefined ? {} : { mediaTokens });
      return prepared.numbers.tokens;
    };
    expect(await shown('image/png', 20_000)).toBe(1_504);
    expect(await shown('image/png', 4_000_000)).toBe(4_004);
    expect(await shown('application/pdf', 2_000_000)).toBe(80_004);
    expect(await shown('text/plain', 300_000)).toBe(100_004);
    expect(await shown('audio/mpeg', 3_000_000)).toBe(6_004);
    expect(await shown('application/pdf', 2_000_000, 9)).toBe(13);
  });

  it('counts media in results too, also when it was sent before', async () => {
    const { session, spillway } = openHistory();
    const call = { type: 'call', callId: 's', tool: 'shot', input: '{}' } as const;
    await session.say({ role: 'assistant', parts: [call] });
    const data = Buffer.alloc(3_000_000, 5).toString('base64');
    const blocks = [{ type: 'image' as const, data, mimeType: 'image/png' }];
    await session.result({ callId: 's', tool: 'shot' }, { kind: 'blocks', blocks });
    const first = await session.prepare();
    expect(first.numbers.tokens).toBeGreaterThan(3_000);
    expect((await session.prepare()).numbers.tokens).toBe(first.numbers.tokens);
    mustFit(spillway, await session.request({ window: 2_500 }), 2_500);
  });

  it('goes on in a window that has become smaller, and with a host that words summaries badly', async () => {
    const { session, spillway } = openHistory();
    for (let i = 0; i < 30; i++) await turn(session, i, linesOf(9_000, `t${i}`));
    mustFit(spillway, await session.request({ window: 200_000 }), 200_000);
    mustFit(spillway, await session.request({ window: 30_000 }), 30_000);
    for (const reported of [linesOf(900_000, 'tale'), '', 'short']) {
      for (let i = 0; i < 4; i++) await turn(session, 50 + i, linesOf(9_000, `u${i}${reported.length}`));
      const made = await session.request({ window: 9_000, model: async () => reported });
      mustFit(spillway, made, 9_000);
    }
  });

  it('changes nothing that it was given, and keeps canonical history as it was', async () => {
    const { session } = openHistory();
    for (let i = 0; i < 6; i++) await turn(session, i, linesOf(9_000, `t${i}`));
    const canonical = async () => {
      const all: string[] = [];
      for await (const message of session.messages()) all.push(JSON.stringify(message));
      return all;
    };
    const before = await canonical();
    const options = Object.freeze({ window: 6_000, reserve: 100 });
    await session.request(options);
    expect(await canonical()).toEqual(before);
  });
});

describe('whatever is said, in whatever order', () => {
  const ALPHABETS = [
    'abc def\n',
    '漢字かな交じり文\n',
    '─│┌ █ ░\n',
    'QWErty0123456789+/=',
    '{"a":[1,2]},',
    'ERROR: x\nok\n',
  ];
  const text = fc
    .tuple(fc.constantFrom(...ALPHABETS), fc.integer({ min: 1, max: 60_000 }))
    .map(([alphabet, chars]) => alphabet.repeat(Math.ceil(chars / alphabet.length)).slice(0, chars));
  const step = fc.oneof(
    fc.record({ do: fc.constant('ask' as const), text }),
    fc.record({ do: fc.constant('think' as const), text, beside: text }),
    fc.record({
      do: fc.constant('call' as const),
      count: fc.integer({ min: 1, max: 6 }),
      again: fc.boolean(),
    }),
    fc.record({ do: fc.constant('answer' as const), text }),
    fc.record({ do: fc.constant('send' as const) }),
  );

  it('every request fits, is one that providers take, and is the same when it is made again', async () => {
    const steps = fc.array(step, { minLength: 10, maxLength: 25 });
    const windows = fc.integer({ min: 1_500, max: 30_000 });
    await fc.assert(
      fc.asyncProperty(steps, windows, async (all, window) => {
        const { session, spillway } = openHistory();
        const open: string[] = [];
        let calls = 0;
        for (const one of [...all, { do: 'send' as const }]) {
          if (one.do === 'ask') await say(session, 'user', one.text);
          if (one.do === 'think') {
            const foreign = { openai_chat: { reasoning_content: one.beside } };
            await session.say({ role: 'assistant', parts: [{ type: 'text', text: one.text }], foreign });
          }
          if (one.do === 'call') {
            const ids = Array.from({ length: one.count }, (_, i) =>
              one.again ? `same-${i}` : `c${calls++}`,
            );
            open.push(...ids);
            const parts = ids.map((callId) => ({ type: 'call' as const, callId, tool: 't', input: '{}' }));
            await session.say({ role: 'assistant', parts });
          }
          const callId = one.do === 'answer' ? open.shift() : undefined;
          if (one.do === 'answer' && callId !== undefined)
            await session.result({ callId, tool: 't' }, { kind: 'text', text: one.text });
          if (one.do !== 'send') continue;
          const { numbers, messages } = await session.request({ window });
          expect(numbers.tokens).toBeLessThanOrEqual(numbers.hard ?? 0);
          const again = await session.request({ window });
          expect(JSON.stringify(again.messages)).toBe(JSON.stringify(messages));
        }
        await spillway.close();
      }),
      { numRuns: Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 12) },
    );
  });
});

describe('a request that nothing makes fit', () => {
  it('names the culprit and the way out: the reserve, the system message, or the window itself', async () => {
    const { session } = openHistory();
    await say(session, 'user', 'Hello there.');
    await expect(session.request({ window: 8_000, reserve: 9_000 })).rejects.toMatchObject({
      code: 'over_window',
      status: 413,
      message: expect.stringMatching(
        /^The request cannot be made to fit: compacted as far as possible it has \d+ tokens, and hard_at of the window of 8000 is 7600 tokens\. The largest part is `reserve` \(9000 tokens\)\. Lower `reserve`, or use a window of at least \d+ tokens\.$/,
      ),
    });
    const { session: ruled } = openHistory();
    await say(ruled, 'system', linesOf(60_000, 'rule'));
    await say(ruled, 'user', 'Hello.');
    await expect(ruled.request({ window: 8_000 })).rejects.toThrow(
      /The largest part is a system message \(\d+ tokens\)\. Shorten the system messages, or use a window of at least \d+ tokens\.$/,
    );
    const { session: tiny } = openHistory();
    await say(tiny, 'user', linesOf(9_000));
    const failed = await tiny.request({ window: 60 }).catch((error: Error) => error.message);
    const needed = Number(/^.* Use a window of at least (\d+) tokens\.$/.exec(String(failed))?.[1]);
    expect(needed).toBeGreaterThan(60);
    await expect(tiny.request({ window: needed + 200 })).resolves.toMatchObject({ compactions: 0 });
  });

  it('is refused by `prepare` with the largest part, and with advice that helps', async () => {
    const { session } = openHistory();
    await say(session, 'user', 'First.');
    await say(session, 'user', linesOf(40_000));
    const refused = await session.prepare({ window: 6_000 });
    if (refused.verdict !== 'refused') throw new Error('not refused');
    expect(refused.reason).toMatch(
      /over hard_at, which is 5700 tokens\. The largest part is message #2 \(\d+ tokens\)\. Make it with `session\.request`, which compacts the session as far as needed\.$/,
    );
    const reserved = await session.prepare({ window: 6_000, reserve: 7_000 });
    if (reserved.verdict !== 'refused') throw new Error('not refused');
    expect(reserved.reason).toMatch(/Lower `reserve`, or use a window of at least \d+ tokens\.$/);
  });

  it('needs a window that is one', async () => {
    const { session } = openHistory();
    for (const window of [undefined, Number.NaN, '9000', 0, -1])
      await expect(session.request({ window } as never)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(session.request(undefined as never)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
