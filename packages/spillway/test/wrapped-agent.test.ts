// Agents that the AI SDK runs with wrapped tools, whose conversation is imported afterwards: what
// is kept is what the tools said.
import { memoryStore } from '@spillway/core';
import { History, writeAs } from '@spillway/core/history';
import { generateText, isStepCount, jsonSchema, type ModelMessage, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { wrapTool } from 'spillway';
import { expect, test } from 'vitest';
import { openSpillway } from '../../core/test/opening.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;
const NAME = { scope: 'a', session: 's' };
const anything = jsonSchema<{ path: string }>({ type: 'object' });
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const LOG = Array.from({ length: 3_000 }, (_, i) => `line ${i + 1} of the log, which says ${i * 7}`).join(
  '\n',
);
const ROWS = Array.from({ length: 4_000 }, (_, id) => ({ id, name: `row ${id}` }));

/** A model that calls every tool once, then says that it is done. */
function calling(names: readonly string[]): MockLanguageModelV4 {
  let turn = 0;
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const calls = names.map((toolName, i) => ({
        type: 'tool-call' as const,
        toolCallId: `call-${i}`,
        toolName,
        input: `{"path":"${toolName}.txt"}`,
      }));
      const last = turn++ > 0;
      return {
        content: last ? [{ type: 'text' as const, text: 'done' }] : calls,
        finishReason: { unified: last ? ('stop' as const) : ('tool-calls' as const), raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}

test('a wrapped tool records its input alone, and an import of what the model read refers to what the tool said', async () => {
  const store = memoryStore();
  const spillway = openSpillway({ store });
  const about = { spillway, ...NAME };
  const failing = async (): Promise<string> => {
    throw new Error(LOG);
  };
  const tools = {
    log: tool({ inputSchema: anything, execute: wrapTool(async () => LOG, { ...about, tool: 'log' }) }),
    rows: tool({ inputSchema: anything, execute: wrapTool(async () => ROWS, { ...about, tool: 'rows' }) }),
    fails: tool({ inputSchema: anything, execute: wrapTool(failing, { ...about, tool: 'fails' }) }),
    short: tool({
      inputSchema: anything,
      execute: wrapTool(async () => 'short', { ...about, tool: 'short' }),
    }),
  };
  const messages: ModelMessage[] = [
    { role: 'user', content: 'my key is sk-conversation-secret: look around' },
  ];
  const { responseMessages } = await generateText({
    model: calling(Object.keys(tools)),
    tools,
    messages,
    stopWhen: isStepCount(3),
  });
  await spillway.settled();

  const bytesOf = async (role: string): Promise<string[]> => {
    const { items } = await store.list({ ...NAME, show: 'all', limit: 100 });
    const texts: string[] = [];
    for (const { id, parts } of items)
      for (const part of parts.filter((one) => one.role === role)) {
        const pieces: Uint8Array[] = [];
        for await (const piece of (await store.read(id, part.index, { bytes: 0 })).pieces) pieces.push(piece);
        texts.push(Buffer.concat(pieces).toString());
      }
    return texts;
  };
  expect((await bytesOf('input')).toSorted()).toEqual(
    ['fails', 'log', 'rows', 'short'].map((name) => `{"path":"${name}.txt"}`),
  );

  const history = new History({ spillway, store });
  const session = history.session(NAME);
  const conversation = [...messages, ...responseMessages];
  const imported = await session.import('ai_model', conversation);
  expect(imported).toMatchObject({ results: 4, legacy: 0 });
  expect(history.counters).toMatchObject({ relinked_results: 3, rendered_writes: 0 });
  // Nothing that is kept as content came out of our renderer.
  const contents = await bytesOf('content');
  for (const text of contents) expect(text).not.toMatch(/art_\d/);
  expect(new Set(contents)).toEqual(new Set([LOG, JSON.stringify(ROWS), 'short']));
  const results = [];
  for await (const { parts } of session.transcript())
    results.push(...parts.filter((part) => part.type === 'result'));
  expect(results.map(({ tool: name, status }) => [name, status])).toEqual([
    ['log', 'ok'],
    ['rows', 'ok'],
    ['fails', 'error'],
    ['short', 'ok'],
  ]);
  // The model reads the same again, byte for byte; and the same import again adds nothing.
  const prepared = await session.prepare();
  if (prepared.verdict === 'refused') throw new Error('refused');
  const sent = JSON.stringify(writeAs('ai_model', prepared.messages).messages);
  const read = responseMessages.flatMap(({ role, content }) => (role === 'tool' ? content : []));
  for (const part of read)
    if (part.type === 'tool-result' && part.output.type === 'text')
      expect(sent).toContain(JSON.stringify(part.output.value));
  expect(await session.import('ai_model', conversation)).toMatchObject({ messages: 0, results: 0 });
});

test('a result that only quotes a handle, or a notice, is kept as it is', async () => {
  const store = memoryStore();
  const spillway = openSpillway({ store });
  const history = new History({ spillway, store });
  const session = history.session(NAME);
  const log = wrapTool(async () => LOG, { spillway, ...NAME, tool: 'log' });
  const shown = await log();
  const quoted = `I have seen this:\n${shown.slice(0, 400)}`;
  await session.import('openai_chat', [
    {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'cat', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: quoted },
  ]);
  expect(history.counters.relinked_results).toBe(0);
  expect((await session.export('openai_chat')).messages.at(-1)).toMatchObject({ content: quoted });
  // A handle of another scope is no handle here.
  const elsewhere = history.session({ scope: 'b', session: 's' });
  await elsewhere.import('openai_chat', [
    {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'log', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: shown },
  ]);
  expect((await elsewhere.export('openai_chat')).messages.at(-1)).toMatchObject({ content: shown });
});
