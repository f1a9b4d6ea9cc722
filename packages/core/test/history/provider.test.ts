// Requests that a provider would have refused: empty content, ids in characters of another
// provider, media that has no place.
import { writeAs } from '@spillway/core/history';
import { describe, expect, it } from 'vitest';
import { NAME, openHistory } from './opened.ts';
import { anthropicRefuses, openaiRefuses } from './provider-rules.ts';

async function sent(session: ReturnType<typeof openHistory>['session']) {
  const { messages } = await session.request({ window: 50_000 });
  return {
    anthropic: writeAs('anthropic', messages).messages,
    openai: writeAs('openai_chat', messages).messages,
    messages,
  };
}

describe('a message that says nothing', () => {
  it('of a user is told as empty, of an assistant is left out, and empty texts beside others are left out', async () => {
    const { session } = openHistory();
    for (const text of ['', ' \n\t'])
      for (const role of ['user', 'assistant'] as const)
        await session.say({ role, parts: [{ type: 'text', text }] });
    await session.say({ role: 'assistant', parts: [] });
    const call = { type: 'call', callId: 'c', tool: 't', input: '' } as const;
    await session.say({ role: 'assistant', parts: [{ type: 'text', text: '' }, call] });
    await session.result({ callId: 'c', tool: 't' }, { kind: 'text', text: '' });
    const { anthropic, openai, messages } = await sent(session);
    expect(anthropicRefuses(anthropic)).toEqual([]);
    expect(openaiRefuses(openai)).toEqual([]);
    expect(messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['user', ['text']],
      ['assistant', ['call']],
      ['tool', ['result']],
    ]);
    expect(messages[0]?.parts).toEqual([{ type: 'text', text: '[The message is empty.]' }]);
    let kept = 0;
    for await (const _ of session.messages()) kept++;
    expect(kept).toBe(7);
  });

  it('because its media has no place with a provider says what was left out', async () => {
    const { session } = openHistory();
    const data = Uint8Array.of(1, 2, 3);
    await session.say({ role: 'user', parts: [{ type: 'media', mediaType: 'audio/wav', data }] });
    const { anthropic, openai } = await sent(session);
    const text = '[Left out: audio/wav, which cannot be sent here.]';
    expect(JSON.stringify(anthropic)).toContain(text);
    expect(JSON.stringify(openai)).toContain(text);
    expect(anthropicRefuses(anthropic)).toEqual([]);
  });
});

describe('ids of another provider', () => {
  it('are sent to Anthropic in characters that it takes, apart from each other, and are known when they come back', async () => {
    const { session, history } = openHistory();
    const ids = ['functions.read:0', 'functions.read:1', 'functions_read_0', 'a b', 'ä'];
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'go' }] });
    await session.say({
      role: 'assistant',
      parts: ids.map((callId) => ({ type: 'call', callId, tool: 'read', input: '{}' }) as const),
    });
    for (const callId of ids)
      await session.result({ callId, tool: 'read' }, { kind: 'text', text: `of ${callId}` });
    const { anthropic, openai } = await sent(session);
    expect(anthropicRefuses(anthropic)).toEqual([]);
    for (const id of ids) expect(JSON.stringify(openai)).toContain(JSON.stringify(id));
    const again = history.session(NAME);
    expect(await again.import('anthropic', anthropic)).toMatchObject({ messages: 0, results: 0 });
    expect(await again.report()).toMatchObject({ calls: 5, results: 5, orphans: 0 });
  });
});
