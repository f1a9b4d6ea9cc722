// Ids of calls that hosts use again, leave out or spell badly: every call and result is sent, under
// ids that providers take.
import { type History, writeAs } from '@spillway/core/history';
import { describe, expect, it } from 'vitest';
import { linesOf, NAME, openHistory } from './opened.ts';
import { anthropicRefuses, openaiRefuses } from './provider-rules.ts';

type Session = ReturnType<History['session']>;

async function request(session: Session) {
  const prepared = await session.prepare({ window: 200_000 });
  if (prepared.verdict === 'refused') throw new Error('refused');
  const anthropic = writeAs('anthropic', prepared.messages).messages;
  const openai = writeAs('openai_chat', prepared.messages).messages;
  return { anthropic, openai, messages: prepared.messages };
}

async function called(session: Session, callId: string, input: string, text: string, tool = 'read') {
  await session.say({ role: 'assistant', parts: [{ type: 'call', callId, tool, input }] });
  await session.result({ callId, tool }, { kind: 'text', text });
}

describe('an id that is used again', () => {
  it('is sent once: later calls get ids of their own, results follow, and every request repeats the one before', async () => {
    const { session, store } = openHistory();
    let before: string[] = [];
    for (let turn = 1; turn <= 12; turn++) {
      await session.say({ role: 'user', parts: [{ type: 'text', text: `turn ${turn}` }] });
      // Ids as a provider counts them anew in every turn; one that is as long as ids may be.
      await called(session, 'call_0', `{"turn":${turn}}`, `result ${turn} of call_0`);
      await called(session, 'f'.repeat(40), '{}', `result ${turn} of the long id`);
      const { anthropic, openai } = await request(session);
      expect(anthropicRefuses(anthropic)).toEqual([]);
      expect(openaiRefuses(openai)).toEqual([]);
      const now = anthropic.map((message) => JSON.stringify(message));
      expect(now.slice(0, before.length)).toEqual(before);
      before = now;
    }
    // Each result stands behind its own call.
    const sent = before.join('\n');
    const positions = Array.from({ length: 12 }, (_, i) => sent.indexOf(`result ${i + 1} of call_0`));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    // The same in another process, and what is kept has the ids that the host gave.
    const again = openHistory({ store });
    expect((await request(again.session)).anthropic.map((message) => JSON.stringify(message))).toEqual(
      before,
    );
    const kept = (await store.messages({ ...NAME, limit: 500 })).items.flatMap(({ parts }) => parts);
    expect(new Set(kept.flatMap((part) => ('callId' in part ? [part.callId] : [])))).toEqual(
      new Set(['call_0', 'f'.repeat(40)]),
    );
  });

  it('in one message is sent for every call, each with its own result', async () => {
    const { session } = openHistory();
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'go' }] });
    const inputs = ['{"path":"a"}', '{"path":"b"}', '{"path":"c"}'];
    const calls = inputs.map((input) => ({ type: 'call', callId: 'c', tool: 'read', input }) as const);
    await session.say({ role: 'assistant', parts: calls });
    for (const text of ['content of a', 'the same', 'the same'])
      await session.result({ callId: 'c', tool: 'read' }, { kind: 'text', text });
    const { anthropic, openai } = await request(session);
    expect(anthropicRefuses(anthropic)).toEqual([]);
    expect(openaiRefuses(openai)).toEqual([]);
    expect(openai.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
      'content of a',
      'the same',
      'the same',
    ]);
    const [assistant] = (await session.export('ai_ui')).messages.filter(({ role }) => role === 'assistant');
    expect(assistant?.parts).toMatchObject([
      { output: 'content of a' },
      { output: 'the same' },
      { output: 'the same' },
    ]);
  });

  it('comes back from a framework that keeps what was sent: nothing is said or stored twice', async () => {
    const { session, store } = openHistory();
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'go' }] });
    for (let turn = 1; turn <= 3; turn++)
      await called(session, 'call_0', `{"turn":${turn}}`, `result ${turn}`);
    const { openai } = await request(session);
    const before = (await store.messages(NAME)).items;
    const outputs = (await store.list({ ...NAME, show: 'all' })).items.length;
    const imported = await session.import('openai_chat', [...openai, { role: 'user', content: 'and now' }]);
    expect(imported).toMatchObject({ messages: 1, results: 0, losses: [] });
    expect((await store.messages(NAME)).items.slice(0, before.length)).toEqual(before);
    expect((await store.list({ ...NAME, show: 'all' })).items).toHaveLength(outputs);
  });

  it('does not give a preview for a screen the handle of another output', async () => {
    const { session } = openHistory();
    const first = linesOf(30_000, 'first');
    const second = linesOf(30_000, 'second');
    await called(session, 'call_0', '{}', first);
    const { output } = await session.result({ callId: 'once', tool: 'read' }, { kind: 'text', text: first });
    const shown = async (event: object): Promise<string> => {
      for await (const made of ReadableStream.from([event]).pipeThrough(session.limitEvents()))
        return JSON.stringify(made);
      return '';
    };
    // Streamed before it is recorded, under an id that stands for another output.
    const text = await shown({ role: 'tool', tool_call_id: 'call_0', content: second });
    expect(text).toContain('no handle is known for the whole');
    expect(text).not.toMatch(/art_\d/);
    const value = await shown({
      type: 'tool-output-available',
      toolCallId: 'call_0',
      output: { text: second },
    });
    expect(JSON.parse(value).output).toMatchObject({ limited: true, artifact_id: null });
    // The output itself is found, also where a host puts it into something else.
    expect(await shown({ role: 'tool', tool_call_id: 'once', content: first })).toContain(output.id);
    const wrapped = { type: 'tool-output-available', toolCallId: 'once', output: { ok: true, text: first } };
    expect(JSON.parse(await shown(wrapped)).output.artifact_id).toBe(output.id);
  });
});

describe('the arguments of a call', () => {
  it.each([
    ['', {}],
    ['  \n', {}],
    ['null', {}],
    ['[1]', { input: [1] }],
    ['"a"', { input: 'a' }],
    ['no JSON', { input: 'no JSON' }],
    ['{"a":1}', { a: 1 }],
  ])('%j are an object where a provider wants one', async (input, expected) => {
    const { session } = openHistory();
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'go' }] });
    await called(session, 'c', input, 'done');
    const { anthropic, openai, messages } = await request(session);
    expect(anthropic[1]?.content).toMatchObject([{ type: 'tool_use', input: expected }]);
    expect(anthropicRefuses(anthropic)).toEqual([]);
    if (input !== 'no JSON') expect(openaiRefuses(openai)).toEqual([]);
    expect(writeAs('langchain', messages).messages[1]).toMatchObject({
      data: { tool_calls: [{ args: expected }] },
    });
  });

  it('that are empty come back empty to the framework that had them so', async () => {
    const given = [
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 't', arguments: '' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
    ];
    const { session } = openHistory();
    await session.import('openai_chat', given);
    expect((await session.export('openai_chat')).messages).toEqual(given);
  });
});

describe('half a character', () => {
  it('in a name or an id is sent as U+FFFD, and ids stay apart', async () => {
    const { session } = openHistory();
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'go' }] });
    for (const half of ['\ud800', '\ud801'])
      await called(session, `c${half}`, '{}', `of ${half.charCodeAt(0)}`, `t${half}`);
    await session.say({
      role: 'user',
      parts: [{ type: 'media', mediaType: 'image/\udc00png', source: { url: 'https://example.org/a.png' } }],
    });
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    expect(JSON.stringify(prepared.messages)).not.toMatch(/\\ud[89a-f]/i);
    const { openai } = await request(session);
    expect(openaiRefuses(openai)).toEqual([]);
  });
});
