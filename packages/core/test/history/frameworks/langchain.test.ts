// Messages that LangChain itself makes: as objects, as it stores them, and coerced again from what
// comes out.
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  coerceMessageLikeToMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { writeAs } from '../../../src/history/index.ts';
import { linesOf, openHistory } from '../opened.ts';

const PDF = Buffer.from(Uint8Array.from({ length: 900 }, (_, i) => i % 251)).toString('base64');
const LONG = linesOf(60_000);

const MESSAGES: BaseMessage[] = [
  new SystemMessage({ content: 'Be careful.', additional_kwargs: { cache: true } }),
  new HumanMessage({
    id: 'h1',
    content: [
      { type: 'text', text: 'look' },
      { type: 'image', mimeType: 'image/png', data: PDF },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PDF}`, detail: 'low' } },
      { type: 'image_url', image_url: 'https://example.org/a.png' },
      {
        type: 'file',
        source_type: 'base64',
        mime_type: 'application/pdf',
        data: PDF,
        metadata: { name: 'a' },
      },
    ],
  }),
  new AIMessage({
    id: 'a1',
    content: [
      { type: 'reasoning' as const, reasoning: 'hm' },
      { type: 'text', text: 'I look.' },
    ],
    tool_calls: ['read', 'rows', 'run'].map((name) => ({ id: `call_${name}`, name, args: { of: name } })),
    invalid_tool_calls: [
      { type: 'invalid_tool_call', id: 'bad', name: 'run', args: '{broken', error: 'no JSON' },
    ],
    response_metadata: { model: 'm', usage: { output_tokens: 2 } },
  }),
  new ToolMessage({
    tool_call_id: 'call_read',
    name: 'read',
    content: LONG,
    artifact: { at: 1n, map: new Map([[1, 2]]) },
  }),
  new ToolMessage({
    tool_call_id: 'call_rows',
    content: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
  }),
  new ToolMessage({ tool_call_id: 'call_run', content: 'success', status: 'error', metadata: { tries: 2 } }),
  new AIMessageChunk({ content: 'Done.' }),
];

describe('LangChain', () => {
  it('objects come out as it stores them, and become the same objects again', async () => {
    const { session } = openHistory();
    expect(await session.import('langchain', MESSAGES)).toMatchObject({ results: 3, losses: [] });
    const { messages, losses } = await session.export('langchain');
    expect(losses).toEqual([]);
    const again = mapStoredMessagesToChatMessages(messages as unknown as StoredMessage[]);
    expect(again.map(essence)).toEqual(MESSAGES.map(essence));
    expect(await session.report()).toMatchObject({ calls: 3, results: 3, missing: 0, orphans: 0 });
    for await (const text of session.messages()) expect(JSON.stringify(text)).not.toContain(PDF);
  });

  it('stored messages come out as they went in', async () => {
    const stored = mapChatMessagesToStoredMessages(MESSAGES.slice(0, -1));
    const { session } = openHistory();
    await session.import('langchain', stored);
    expect((await session.export('langchain')).messages).toEqual(
      JSON.parse(JSON.stringify(stored, plain), revived),
    );
  });

  it('takes what is to be sent: bounded, every call with its result, errors as errors', async () => {
    const { session } = openHistory();
    await session.import('langchain', MESSAGES);
    const prepared = await session.prepare({ window: 60_000 });
    if (prepared.verdict === 'refused') throw new Error(prepared.reason);
    const { messages } = writeAs('langchain', prepared.messages);
    const objects = mapStoredMessagesToChatMessages(messages as unknown as StoredMessage[]);
    const tools = objects.filter((message) => ToolMessage.isInstance(message));
    expect(tools.map(({ tool_call_id, status }) => [tool_call_id, status])).toEqual([
      ['call_read', undefined],
      ['call_rows', undefined],
      ['call_run', 'error'],
    ]);
    expect(String(tools[0]?.content).length).toBeLessThan(8_001);
    for (const message of objects)
      expect(essence(coerceMessageLikeToMessage(message))).toEqual(essence(message));
  });
});

/** What a message says, without how the class keeps it. */
function essence(message: BaseMessage): unknown {
  const {
    lc_kwargs: _,
    lc_serializable: __,
    lc_namespace: ___,
    ...fields
  } = message as unknown as Record<string, unknown>;
  // LangChain stores a chunk as a message, without its pieces of calls.
  const text = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && !name.startsWith('lc_') && name !== 'tool_call_chunks',
  );
  return { ...Object.fromEntries(text), type: message.getType() };
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint'
    ? { $big: String(value) }
    : value instanceof Map
      ? { $map: [...value] }
      : value;
}

function revived(_key: string, value: unknown): unknown {
  const { $big, $map } = (value ?? {}) as { $big?: string; $map?: [unknown, unknown][] };
  if ($big !== undefined) return BigInt($big);
  return $map === undefined ? value : new Map($map);
}
