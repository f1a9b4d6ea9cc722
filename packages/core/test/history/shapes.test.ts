// Messages of frameworks come in and go out: the same in their own shape, with a list of what
// another could not carry.
import { shapeContract } from '@spillway/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, type ShapeName, writeAs } from '../../src/history/index.ts';
import { linesOf, NAME, openHistory, turn } from './opened.ts';
import { FIXTURES, LONG, PNG } from './shape-fixtures.ts';

const NAMES = Object.keys(FIXTURES) as ShapeName[];

describe.each(NAMES)('%s', (shape) => {
  it.each(shapeContract.map((each) => [each.name, each] as const))('%s', async (_name, { run }) => {
    await run({ shape, messages: FIXTURES[shape] });
  });

  it('comes out as it went in, results whole, and taking it again changes nothing', async () => {
    const { session, store, history } = openHistory();
    const given = deepFreeze(structuredClone(FIXTURES[shape]));
    const imported = await session.import(shape, given);
    expect(imported.losses).toEqual([]);
    const { messages, losses } = await session.export(shape);
    expect(messages).toEqual(given);
    expect(losses.filter(({ what }) => !what.startsWith('that the call'))).toEqual([]);
    const before = await store.usage();
    await session.import(shape, given);
    expect(await store.usage()).toEqual({ ...before, events: expect.any(Number) });
    expect((await session.export(shape)).messages).toEqual(given);
    expect(history.counters.rendered_writes).toBe(0);
    expect(await session.report()).toMatchObject({ missing: shape === 'ai_ui' ? 1 : 0, orphans: 0 });
  });

  it('can be written in every other shape: pairs and errors stay, and what has no place is said', async () => {
    const { session } = openHistory();
    await session.import(shape, FIXTURES[shape]);
    const rendered: Message[] = [];
    for await (const message of session.transcript()) rendered.push(message);
    const results = rendered.flatMap(({ parts }) => parts).filter((part) => part.type === 'result');
    const data = rendered.flatMap(({ parts }) => parts).filter((part) => part.type === 'data');
    for (const other of NAMES.filter((name) => name !== shape)) {
      const { messages, losses } = writeAs(other, rendered);
      const text = JSON.stringify(messages);
      for (const { callId, blocks } of results) {
        expect(text).toContain(JSON.stringify(callId));
        for (const block of blocks)
          if (block.type === 'text') expect(text).toContain(JSON.stringify(block.text).slice(1, -1));
      }
      for (const { name } of data) expect(losses.map(({ what }) => what)).toContain(`data called ${name}`);
      const again = openHistory();
      await again.session.import(other, messages);
      const calls = rendered.flatMap(({ parts }) => parts).filter((part) => part.type === 'call');
      expect(await again.session.report()).toMatchObject({ calls: calls.length, orphans: 0, surplus: 0 });
    }
  });

  it('carries the model projection of a session, so that what was sent before stays the same', async () => {
    const { session } = openHistory();
    await session.import(shape, FIXTURES[shape]);
    const send = async () => {
      const prepared = await session.prepare();
      if (prepared.verdict === 'refused') throw new Error('refused');
      return writeAs(shape, prepared.messages).messages.map((message) => JSON.stringify(message));
    };
    const first = await send();
    expect(first.join('')).not.toContain(LONG);
    expect(first.join('').length).toBeLessThan(20_000);
    await turn(session, 1, linesOf(9_000));
    expect((await send()).slice(0, first.length - (shape === 'ai_ui' ? 1 : 0))).toEqual(
      first.slice(0, first.length - (shape === 'ai_ui' ? 1 : 0)),
    );
  });

  it('reads what it wrote, whatever was said', async () => {
    const part = fc.oneof(
      fc
        .string({ maxLength: 20, unit: 'binary' })
        .map((text) => ({ type: 'text' as const, text: `t${text}` })),
      fc.constant({ type: 'media' as const, mediaType: 'image/png', data: PNG }),
    );
    const step = fc.tuple(
      fc.array(part, { minLength: 1, maxLength: 2 }),
      fc.nat(2),
      fc.string({ unit: 'binary', maxLength: 10 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const { session } = openHistory();
        for (const [i, [parts, calls, answer]] of steps.entries()) {
          await session.say({ role: 'user', parts });
          const made = Array.from({ length: calls }, (_, n) => ({
            type: 'call' as const,
            callId: `c${i}-${n}`,
            tool: 't',
            input: `{"n":${n}}`,
          }));
          await session.say({ role: 'assistant', parts: [{ type: 'text', text: `a${i}` }, ...made] });
          for (const { callId } of made)
            await session.result({ callId, tool: 't' }, { kind: 'text', text: answer });
        }
        const written = (await session.export(shape)).messages;
        const again = openHistory();
        await again.session.import(shape, JSON.parse(JSON.stringify(written)));
        expect((await again.session.export(shape)).messages).toEqual(written);
      }),
      { numRuns: 20 },
    );
  });
});

describe('an import', () => {
  it('marks results that were cut elsewhere, with a confidence and by which signs, and keeps them as they are', async () => {
    const { session, store, history } = openHistory();
    const cut = `${linesOf(4_000)}\n... [12,345 characters truncated] ...\n${linesOf(3_000)}`;
    await session.import('openai_chat', [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 't', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: cut },
    ]);
    const text = [];
    for await (const { parts } of session.messages()) text.push(...parts);
    const result = text.find((part) => part.type === 'result');
    expect(result?.legacy).toEqual({ confidence: 0.98, signs: ['count of what is missing', 'banner'] });
    expect(await store.find({ scope: NAME.scope, id: result?.output ?? 'art_1_xxxx' })).toMatchObject({
      sourceTruncated: true,
    });
    expect((await session.export('openai_chat')).messages[1]).toMatchObject({ content: cut });
    expect(history.counters.suspected_truncations).toBe(1);
    expect(await session.report()).toMatchObject({ legacy: 1 });
  });

  it('of what we had sent refers to the outputs behind it', async () => {
    const { session, history, store } = openHistory();
    const { output } = await turn(session, 1, LONG);
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    const sent = writeAs('ai_model', prepared.messages).messages;
    expect(JSON.stringify(sent)).toContain(output.id);
    await session.import('ai_model', sent);
    expect(history.counters).toMatchObject({ relinked_results: 1, canonical_writes: 1, rendered_writes: 0 });
    expect((await store.usage()).outputs).toBe(1);
  });

  it('of a conversation that goes on says only what is new, whoever said the rest', async () => {
    const turns = (count: number) =>
      Array.from({ length: count }, (_, i) => [
        { role: 'user', content: 'continue' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: `c${i}`, type: 'function', function: { name: 't', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: `c${i}`, content: `result ${i}` },
        { role: 'assistant', content: 'ok' },
      ]).flat();
    const { session } = openHistory();
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'continue' }] });
    const call = { type: 'call', callId: 'c0', tool: 't', input: '{}' } as const;
    await session.say({ role: 'assistant', parts: [call] });
    await session.result({ callId: 'c0', tool: 't' }, { kind: 'text', text: 'result 0' });
    for (const count of [1, 2, 2, 5]) {
      await session.import('openai_chat', turns(count));
      expect((await session.export('openai_chat')).messages).toEqual(turns(count));
    }
    expect(await session.report()).toMatchObject({ messages: 20, calls: 5, results: 5, surplus: 0 });
    await session.import('openai_chat', [{ role: 'user', content: 'continue' }]);
    await session.import('openai_chat', [{ role: 'assistant', content: 'ok' }], { given: 'more' });
    expect((await session.report()).messages).toBe(22);
  });

  it('knows a result by its call and not by its id alone: some providers use ids again and again', async () => {
    const conversation = (answers: readonly string[]) =>
      answers.flatMap((answer, i) => [
        { role: 'user', content: `step ${i}` },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_0', type: 'function', function: { name: 't', arguments: `{"i":${i}}` } }],
        },
        { role: 'tool', tool_call_id: 'call_0', content: answer },
      ]);
    const { session, store } = openHistory();
    const answers = ['ok', 'other', 'ok', 'ok', linesOf(9_000), 'ok'];
    for (const count of [1, 2, 2, 4, 6, 6]) {
      const given = conversation(answers.slice(0, count));
      await session.import('openai_chat', given);
      expect((await session.export('openai_chat')).messages).toEqual(given);
    }
    expect(await session.report()).toMatchObject({ calls: 6, results: 6, missing: 0, surplus: 0 });
    const before = await store.usage();
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    await session.import('openai_chat', writeAs('openai_chat', prepared.messages).messages);
    expect((await store.usage()).outputs).toBe(before.outputs);
    expect((await session.report()).results).toBe(6);
  });

  it('takes no field from outside for one of its own, whatever it is called', async () => {
    const dollar = {
      $text: true,
      $list: true,
      $item: { type: 'x' },
      $whole: true,
      $around: {},
      $path: ['a'],
      $$a: 1,
      $about: {},
      $role: 'developer',
      $type: 'z',
      $custom: true,
    };
    const given: Record<ShapeName, readonly object[]> = {
      openai_chat: [
        { role: 'user', content: [{ type: 'text', text: 'a', ...dollar }], ...dollar },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 't', arguments: '{}' }, ...dollar }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'r', ...dollar },
      ],
      openai_responses: [
        { role: 'user', content: [{ type: 'input_text', text: 'a', ...dollar }], ...dollar },
        { type: 'function_call', call_id: 'c', name: 't', arguments: '{}', ...dollar },
        { type: 'function_call_output', call_id: 'c', output: 'r', ...dollar },
      ],
      openai_agents: [
        { role: 'user', content: [{ type: 'input_text', text: 'a', ...dollar }], ...dollar },
        { type: 'function_call', callId: 'c', name: 't', arguments: '{}', ...dollar },
        { type: 'function_call_result', callId: 'c', name: 't', status: 'completed', output: 'r', ...dollar },
      ],
      anthropic: [
        { role: 'user', content: [{ type: 'text', text: 'a', ...dollar }], ...dollar },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'c', name: 't', input: {}, ...dollar }],
          ...dollar,
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'r', ...dollar }] },
      ],
      google: [
        { role: 'user', parts: [{ text: 'a', ...dollar }], ...dollar },
        { role: 'model', parts: [{ functionCall: { id: 'c', name: 't', args: {} }, ...dollar }], ...dollar },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c', name: 't', response: { output: 'r' } }, ...dollar }],
        },
      ],
      langchain: [
        { type: 'human', data: { content: [{ type: 'text', text: 'a', ...dollar }], ...dollar } },
        {
          type: 'ai',
          data: {
            content: '',
            tool_calls: [{ name: 't', args: {}, id: 'c', type: 'tool_call', ...dollar, $type: 1 }],
          },
        },
        { type: 'tool', data: { content: 'r', tool_call_id: 'c', ...dollar } },
      ],
      ai_model: [
        { role: 'user', content: [{ type: 'text', text: 'a', ...dollar }], ...dollar },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: {}, ...dollar }],
          ...dollar,
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'c',
              toolName: 't',
              output: { type: 'text', value: 'r' },
              ...dollar,
            },
          ],
        },
      ],
      ai_ui: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'a', ...dollar }], ...dollar }],
    };
    for (const shape of NAMES) {
      const { session } = openHistory();
      await session.import(shape, given[shape]);
      expect((await session.export(shape)).messages).toEqual(given[shape]);
    }
  });

  it('tells images and files apart by their content, and knows messages that say nothing', async () => {
    const image = (data: string) => ({
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }],
    });
    const refusal = { role: 'assistant', content: null, refusal: 'No.' };
    const { session } = openHistory();
    await session.import('openai_chat', [image('AAAA'), refusal]);
    await session.import('openai_chat', [refusal]);
    expect((await session.report()).messages).toBe(2);
    await session.import('openai_chat', [image('AAAB')]);
    expect((await session.export('openai_chat')).messages).toEqual([image('AAAA'), refusal, image('AAAB')]);
  });

  it('leaves out what we had said ourselves: summaries, late results and stand-ins', async () => {
    const { session } = openHistory();
    for (let i = 0; i < 6; i++) await turn(session, i, linesOf(2_000, `t${i}`));
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 'never', tool: 't', input: '{}' }],
    });
    await session.compact({ keepTokens: 900 });
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    const before = await session.report();
    for (const shape of NAMES) {
      const { messages } = writeAs(shape, prepared.messages);
      expect(JSON.stringify(messages)).toContain('[Summary of the ');
      await session.import(shape, messages);
      const after = await session.report();
      expect(after).toEqual(before);
      for await (const { parts } of session.messages())
        for (const part of parts)
          if (part.type === 'text') expect(part.text).not.toContain('[Summary of the ');
    }
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
