// Messages that Anthropic's own client types, sends and returns: in and out again, and over the
// wire.
import Anthropic from '@anthropic-ai/sdk';
import type { Message, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import { writeAs } from '../../../src/history/index.ts';
import { linesOf, openHistory } from '../opened.ts';
import { listening } from './listening.ts';

const PDF = Buffer.from(Uint8Array.from({ length: 900 }, (_, i) => i % 251)).toString('base64');
const LONG = linesOf(60_000);

const ASKED: MessageParam[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'look', cache_control: { type: 'ephemeral', ttl: '1h' } },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: PDF },
        cache_control: { type: 'ephemeral' },
      },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: PDF },
        title: 'a.pdf',
        citations: { enabled: true },
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'short' } },
    ],
  },
];

/**
 * What the model answered: thoughts with their signature, a search by the provider, two calls at
 * once.
 */
const ANSWER = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'tool_use',
  stop_sequence: null,
  content: [
    { type: 'thinking', thinking: 'hm', signature: PDF },
    { type: 'redacted_thinking', data: PDF },
    { type: 'text', text: 'I look.', citations: null },
    { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'q' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srv_1',
      content: [
        {
          type: 'web_search_result',
          url: 'https://example.org',
          title: 't',
          encrypted_content: PDF,
          page_age: null,
        },
      ],
    },
    { type: 'tool_use', id: 'tu_1', name: 'read', input: { path: 'a' } },
    { type: 'tool_use', id: 'tu_2', name: 'shot', input: {} },
    { type: 'tool_use', id: 'tu_3', name: 'run', input: {} },
  ],
};

const RETURNED: MessageParam = {
  role: 'user',
  content: [
    { type: 'tool_result', tool_use_id: 'tu_1', content: LONG, cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'in between' },
    {
      type: 'tool_result',
      tool_use_id: 'tu_2',
      content: [
        { type: 'text', text: 'see' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PDF } },
      ],
    },
    { type: 'tool_result', tool_use_id: 'tu_3', is_error: true, content: 'success' },
  ],
};

describe('messages', () => {
  it('come out as the client had them, and what is sent is bounded with every block in its place', async () => {
    const server = await listening(ANSWER);
    const client = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
    const answer: Message = await client.messages.create({ model: 'm', max_tokens: 10, messages: ASKED });
    const { role, content } = answer;
    const all: MessageParam[] = [...ASKED, { role, content }, RETURNED];
    const { session } = openHistory();
    expect(await session.import('anthropic', all)).toMatchObject({ results: 3, losses: [] });
    const { messages, losses } = await session.export('anthropic');
    expect(messages).toEqual(all);
    expect(losses).toEqual([]);
    const prepared = await session.prepare({ window: 60_000 });
    if (prepared.verdict === 'refused') throw new Error(prepared.reason);
    const sent = writeAs('anthropic', prepared.messages).messages as unknown as MessageParam[];
    await client.messages.create({ model: 'm', max_tokens: 10, messages: sent });
    const received = JSON.parse(server.bodies.at(-1) ?? '').messages as MessageParam[];
    // Marks for a cache belong to the request that they were given for.
    expect(received.slice(0, 2)).toEqual(unmarked(all.slice(0, 2)));
    const blocks = received[2]?.content as { type: string; tool_use_id?: string; is_error?: boolean }[];
    expect(blocks.map(({ type, tool_use_id, is_error }) => [type, tool_use_id, is_error])).toEqual([
      ['tool_result', 'tu_1', undefined],
      ['text', undefined, undefined],
      ['tool_result', 'tu_2', undefined],
      ['tool_result', 'tu_3', true],
    ]);
    expect(JSON.stringify(blocks[0]).length).toBeLessThan(9_000);
  });

  it('keep documents out of what is said, and thoughts in', async () => {
    const { session } = openHistory();
    await session.import('anthropic', [...ASKED, { role: 'assistant', content: ANSWER.content }]);
    const text = [];
    for await (const { parts } of session.messages()) text.push(...parts);
    expect(text.map((part) => (part.type === 'data' ? part.name : part.type))).toEqual([
      'text',
      'media',
      'media',
      'document',
      'thinking',
      'redacted_thinking',
      'text',
      'server_tool_use',
      'web_search_tool_result',
      'call',
      'call',
      'call',
    ]);
    expect(text[2]).toMatchObject({ mediaType: 'application/pdf' });
    expect(JSON.stringify(text.slice(0, 4))).not.toContain(PDF);
  });

  it('never hold half a character when they are sent, wherever it was said; what is kept is exact', async () => {
    const server = await listening(ANSWER);
    const client = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
    const half = 'x\ud83d y \\ud83d';
    const all: MessageParam[] = [
      { role: 'user', content: [{ type: 'text', text: half, cache_control: { type: 'ephemeral' } }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: half, signature: 's' },
          {
            type: 'tool_use',
            id: 'tu_1',
            name: 'read',
            input: { path: half, deep: [{ [half]: '\ud83d\ude00' }] },
          },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'tu_1', content: half }] },
    ];
    const { session } = openHistory();
    await session.import('anthropic', all);
    expect((await session.export('anthropic')).messages).toEqual(all);
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error(prepared.reason);
    const sent = writeAs('anthropic', prepared.messages).messages as unknown as MessageParam[];
    await client.messages.create({ model: 'm', max_tokens: 10, messages: sent });
    const body = server.bodies.at(-1) ?? '';
    expect(JSON.parse(body).messages).toEqual(
      JSON.parse(JSON.stringify(unmarked(all)).replaceAll(/(?<!\\)\\ud83d/g, '\ufffd')),
    );
    expect(body).toContain('😀');
  });
});

function unmarked(messages: readonly MessageParam[]): unknown {
  return JSON.parse(
    JSON.stringify(messages, (name, value) => (name === 'cache_control' ? undefined : value)),
  );
}
