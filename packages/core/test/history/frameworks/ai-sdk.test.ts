// Messages that the AI SDK itself makes and takes: an agent run by it, its own validators, and what
// reaches the model in the end.
import {
  asSchema,
  convertToModelMessages,
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  modelMessageSchema,
  readUIMessageStream,
  streamText,
  tool,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
  validateUIMessages,
} from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { writeAs } from '../../../src/history/index.ts';
import { linesOf, openHistory } from '../opened.ts';

const BYTES = Uint8Array.from({ length: 900 }, (_, i) => i % 251);
const PDF = Buffer.from(BYTES).toString('base64');
const LONG = linesOf(60_000);
/** So that nothing is downloaded. */
const ANY_URL = { '*/*': [/.*/] };
globalThis.AI_SDK_LOG_WARNINGS = false;
const anything = jsonSchema<Record<string, unknown>>({ type: 'object' });
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const tools = {
  read: tool({ inputSchema: anything, execute: async () => LONG }),
  rows: tool({ inputSchema: anything, execute: async () => ({ rows: [1, null, { a: 'ü' }] }) }),
  fail: tool({
    inputSchema: anything,
    execute: async (): Promise<string> => {
      throw new Error('no such file');
    },
  }),
  shot: tool({
    inputSchema: anything,
    execute: async () => PDF,
    toModelOutput: ({ output }) => ({
      type: 'content' as const,
      value: [
        { type: 'text' as const, text: 'a picture' },
        { type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: output } },
      ],
    }),
  }),
};

/** A model that thinks, calls everything at once, and then says that it is done. */
function callingModel(): MockLanguageModelV4 {
  let turn = 0;
  return new MockLanguageModelV4({
    supportedUrls: ANY_URL,
    doGenerate: async () => {
      const names = turn++ === 0 ? Object.keys(tools) : [];
      const calls = names.map((toolName) => ({
        type: 'tool-call' as const,
        toolCallId: `call-${toolName}`,
        toolName,
        input: JSON.stringify({ of: toolName }),
      }));
      return {
        content: [
          { type: 'reasoning', text: 'hm', providerMetadata: { p: { signature: `${PDF}` } } },
          { type: 'text', text: names.length > 0 ? 'I look.' : 'Done.' },
          ...calls,
        ],
        finishReason: { unified: names.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}

async function run(messages: ModelMessage[]): Promise<ModelMessage[]> {
  const { responseMessages } = await generateText({
    model: callingModel(),
    tools,
    messages,
    stopWhen: isStepCount(3),
  });
  return [...messages, ...responseMessages];
}

const ASKED: ModelMessage[] = [
  {
    role: 'user',
    content: [
      {
        type: 'text',
        text: ' look \n',
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      },
      { type: 'image', image: BYTES },
      { type: 'image', image: new URL('https://example.org/a.png') },
      { type: 'file', data: PDF, mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', data: { type: 'data', data: BYTES }, mediaType: 'audio/wav' },
      {
        type: 'file',
        data: { type: 'url', url: new URL('https://example.org/b.pdf') },
        mediaType: 'application/pdf',
      },
    ],
  },
];

describe('model messages', () => {
  it('of an agent that the SDK ran come out as they went in, bytes and addresses too, and are valid for it', async () => {
    const messages = await run(ASKED);
    expect(JSON.stringify(messages)).toContain('error-text');
    const { session, store } = openHistory();
    await session.import('ai_model', messages);
    const exported = (await session.export('ai_model')).messages;
    expect(exported).toEqual(messages);
    for (const message of exported) expect(modelMessageSchema.safeParse(message).error).toBeUndefined();
    expect(await session.report()).toMatchObject({ calls: 4, results: 4, missing: 0, orphans: 0 });
    for await (const text of session.messages()) expect(JSON.stringify(text).length).toBeLessThan(4_000);
    const before = (await store.usage()).outputs;
    await session.import('ai_model', await run(ASKED));
    expect((await store.usage()).outputs).toBe(before);
  });

  it('that are sent reach the model bounded, each call with its result, and the same from turn to turn', async () => {
    const { session } = openHistory();
    await session.import('ai_model', await run(ASKED));
    const send = async () => {
      const prepared = await session.prepare({ window: 100_000 });
      if (prepared.verdict === 'refused') throw new Error(prepared.reason);
      const messages = writeAs('ai_model', prepared.messages).messages as unknown as ModelMessage[];
      const model = new MockLanguageModelV4({
        doGenerate: {
          content: [{ type: 'text', text: 'Fine.' }],
          finishReason: { unified: 'stop', raw: undefined },
          usage,
          warnings: [],
        },
        supportedUrls: ANY_URL,
      });
      await generateText({ model, messages });
      return (model.doGenerateCalls[0]?.prompt ?? []).map((message) => JSON.stringify(message, shortly));
    };
    const first = await send();
    expect(first.join('').length).toBeLessThan(20_000);
    for (const name of Object.keys(tools)) expect(first.join('').split(`call-${name}`).length).toBe(3);
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'and now?' }] });
    expect((await send()).slice(0, first.length)).toEqual(first);
  });

  it('keep what people were asked to allow, and what a provider ran itself', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', content: 'delete it' },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'c1', toolName: 'rm', input: { path: 'a' } },
          { type: 'tool-approval-request', approvalId: 'ap1', toolCallId: 'c1' },
          { type: 'tool-call', toolCallId: 's1', toolName: 'search', input: {}, providerExecuted: true },
          {
            type: 'tool-result',
            toolCallId: 's1',
            toolName: 'search',
            output: { type: 'json', value: [{ url: 'u', encrypted: PDF }] },
          },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-approval-response', approvalId: 'ap1', approved: false, reason: 'no' }],
      },
    ];
    const { session } = openHistory();
    await session.import('ai_model', messages);
    const { messages: exported, losses } = await session.export('ai_model');
    expect(losses).toEqual([]);
    for (const message of exported) expect(modelMessageSchema.safeParse(message).error).toBeUndefined();
    const parts = exported.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    for (const message of messages)
      if (Array.isArray(message.content))
        for (const part of message.content) expect(parts).toContainEqual(part);
    // The provider looks for its own results behind its own calls.
    const types = exported.map(({ role, content }) =>
      Array.isArray(content) ? `${role}: ${content.map(({ type }) => type).join(', ')}` : role,
    );
    expect(types).toContain('assistant: tool-call, tool-approval-request, tool-call, tool-result');
  });
});

/** A model that thinks and then calls three tools at once, as a stream. */
function streamingModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async () => ({
      stream: convertArrayToReadableStream([
        { type: 'stream-start' as const, warnings: [] },
        { type: 'reasoning-start' as const, id: 'r' },
        { type: 'reasoning-delta' as const, id: 'r', delta: 'hm' },
        { type: 'reasoning-end' as const, id: 'r' },
        ...['read', 'rows', 'fail'].map((toolName) => ({
          type: 'tool-call' as const,
          toolCallId: `call-${toolName}`,
          toolName,
          input: '{"a":1}',
        })),
        {
          type: 'finish' as const,
          finishReason: { unified: 'tool-calls' as const, raw: undefined },
          usage,
        },
      ]),
    }),
  });
}

describe('UI messages', () => {
  it('that the SDK streamed come out as they went in, and make the same model messages', async () => {
    const model = streamingModel();
    const streamed = streamText({ model, tools, prompt: 'go' });
    let answer: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream: streamed.toUIMessageStream() }))
      answer = message;
    if (answer === undefined) throw new Error('nothing was streamed');
    const denied = {
      type: 'tool-rows',
      toolCallId: 'never',
      state: 'output-denied',
      input: { a: 2 },
      approval: { id: 'ap', approved: false, reason: 'not now' },
    };
    const messages = [
      { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] },
      { ...answer, id: 'a1', parts: [...answer.parts, denied] },
    ] as UIMessage[];
    const { session } = openHistory();
    await session.import('ai_ui', messages);
    const { messages: exported } = await session.export('ai_ui');
    expect(exported).toEqual(messages);
    const valid = await validateUIMessages({ messages: exported as unknown as UIMessage[] });
    expect(await convertToModelMessages(valid, { tools })).toEqual(
      await convertToModelMessages(messages, { tools }),
    );
    expect(await session.report()).toMatchObject({ calls: 4, results: 4, missing: 0 });
  });

  it('streamed through our limits are still a stream of the SDK: previews in place, the rest byte for byte', async () => {
    const { session } = openHistory();
    const response = streamText({ model: streamingModel(), tools, prompt: 'go' }).toUIMessageStreamResponse();
    const [plain, limited] = (response.body ?? new ReadableStream()).tee();
    const frames = async (stream: ReadableStream<Uint8Array>) =>
      (await new Response(stream).text()).split('\n\n').filter((frame) => frame !== '');
    const [sent, shown] = await Promise.all([
      frames(plain),
      frames(limited.pipeThrough(session.limitServerSentEvents({ resultChars: 2_000 }))),
    ]);
    expect(sent.at(-1)).toBe('data: [DONE]');
    const changed = shown.filter((frame, i) => frame !== sent[i]);
    expect([shown.length, changed.length]).toEqual([sent.length, 1]);
    const { validate } = asSchema(uiMessageChunkSchema);
    const chunks: UIMessageChunk[] = [];
    for (const frame of shown.slice(0, -1)) {
      const checked = await validate?.(JSON.parse(frame.replace(/^data: /, '')));
      if (checked?.success !== true) throw new Error(frame);
      chunks.push(checked.value as UIMessageChunk);
    }
    let answer: UIMessage | undefined;
    const stream = convertArrayToReadableStream(chunks);
    for await (const message of readUIMessageStream({ stream })) answer = message;
    expect(answer?.parts.find((part) => part.type === 'tool-read')).toMatchObject({
      state: 'output-available',
      output: { limited: true, display_only: true, original_size: 60_000, artifact_id: null },
    });
    expect(answer?.parts.find((part) => part.type === 'tool-fail')).toMatchObject({ state: 'output-error' });
  });
});

/** Bytes by their number. */
function shortly(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? `${value.length} bytes` : value;
}
