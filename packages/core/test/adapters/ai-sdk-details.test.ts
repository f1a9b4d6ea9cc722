// What is particular to the AI SDK: who converts results, what screens get, tools of MCP clients,
// and prompts that nobody prepared.
import { createMCPClient, type MCPTransport } from '@ai-sdk/mcp';
import {
  convertToModelMessages,
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  readUIMessageStream,
  streamText,
  type ToolSet,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { limitUIStream, spillway, spillwayMiddleware } from '../../src/adapters/ai-sdk.ts';
import { memoryStore, openAgent } from '../../src/index.ts';
import { aiPromptRefuses } from '../history/provider-rules.ts';
import { call, generating, resultsIn, ScriptedModel, text } from './ai-sdk-run.ts';
import { storedTexts } from './scenarios.ts';

const anything = jsonSchema<Record<string, unknown>>({ type: 'object' });
const LOG = Array.from({ length: 8_000 }, (_, i) => `step ${i + 1} is done\n`).join('');
const PICTURE = Buffer.from('not really a picture').toString('base64');
const user = (content: string): ModelMessage => ({ role: 'user', content });
const build = tool({ inputSchema: anything, execute: async () => LOG });
const stopWhen = isStepCount(3);
const open = () => openAgent({ session: 'run-1', store: memoryStore() });
const buildsOnce = () =>
  new ScriptedModel((_, step) => (step === 0 ? [call('call_1', 'build')] : [text('Built.')]));

describe('a result', () => {
  it('stays whole in `steps` and for the tool itself, whose types stay too', async () => {
    const agent = await open();
    const typed = tool({
      inputSchema: jsonSchema<{ part: number }>({ type: 'object' }),
      execute: async ({ part }) => part,
    });
    const { tools } = spillway(agent, { tools: { typed, build } });
    const options = { toolCallId: 'c', messages: [], context: {} };
    const given: number | AsyncIterable<number> = await tools.typed.execute({ part: 2 }, options);
    expect(given).toBe(2);
    // @ts-expect-error The input of the tool is typed.
    void (() => tools.typed.execute({ parts: 2 }, options));
    const { steps } = await generateText({ model: buildsOnce(), prompt: 'Build.', stopWhen, tools });
    expect(steps[0]?.toolResults[0]?.output).toBe(LOG);
  });

  it('reads the same whenever the SDK converts it again, from what a screen kept', async () => {
    const agent = await open();
    const { tools } = spillway(agent, { tools: { build } });
    const model = buildsOnce();
    const run = streamText({ model, prompt: 'Build.', stopWhen, tools });
    let kept: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream: run.toUIMessageStream() })) kept = message;
    const asked: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Build.' }] };
    const again = await convertToModelMessages([asked, kept as UIMessage], { tools });
    const sent = resultsIn(model.prompts[1])[0]?.text;
    expect(JSON.stringify(kept)).toContain(JSON.stringify(LOG).slice(1, -1));
    expect(resultsIn(again as never)[0]?.text).toBe(sent);
    expect(sent?.length).toBeLessThan(9_000);
  });

  it('with a picture is text for a provider of chat completions, which would send base64 as text', async () => {
    const data = PICTURE.repeat(10_000);
    const look = tool({
      inputSchema: anything,
      execute: async () => 'seen',
      toModelOutput: () => ({
        type: 'content',
        value: [
          { type: 'text', text: 'A picture:' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data } },
        ],
      }),
    });
    for (const provider of ['other.messages', 'local.chat']) {
      const agent = await open();
      const model = new ScriptedModel((_, step) => (step === 0 ? [call('c', 'look')] : [text('Seen.')]));
      Object.assign(model, { provider });
      const governed = spillway(agent, { tools: { look }, window: 1_000_000 });
      await generateText({ model, prompt: 'Look.', stopWhen, ...governed });
      const sent = JSON.stringify(model.prompts[1]);
      expect(sent.includes(data)).toBe(provider === 'other.messages');
      expect(sent.includes('[Left out: image/png, 210000 bytes.')).toBe(provider === 'local.chat');
    }
  });

  it('that is JSON is stored once, small or large, also when the host hands it over again', async () => {
    const agent = await open();
    const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ id: i, name: `row ${i}` }));
    const list = tool({
      inputSchema: anything,
      execute: async ({ count }) => ({ rows: rows(Number(count)) }),
    });
    const governed = spillway(agent, { tools: { list }, window: 100_000 });
    const calls = [call('small', 'list', { count: 2 }), call('large', 'list', { count: 9_000 })];
    const model = new ScriptedModel((_, step) => (step === 0 ? calls : [text('Listed.')]));
    const messages = [user('List.')];
    const { responseMessages } = await generating({ model, messages, governed });
    const next = new ScriptedModel(() => [text('Fine.')]);
    await generating({ model: next, messages: [...messages, ...responseMessages, user('And?')], governed });
    expect((await storedTexts(agent)).map(({ record }) => record.callId).sort()).toEqual(['large', 'small']);
    const [small, large] = resultsIn(next.prompts[0]);
    expect(JSON.parse(small?.text ?? '')).toEqual({ type: 'json', value: { rows: rows(2) } });
    expect(large?.text.length).toBeLessThan(9_000);
    expect(next.prompts[0]?.slice(0, model.prompts[1]?.length)).toEqual(model.prompts[1]);
  });

  it("is what the tool's own `toModelOutput` makes of it, within the limits", async () => {
    const agent = await open();
    const quiet = tool({
      inputSchema: anything,
      execute: async () => ({ log: LOG, failed: 2 }),
      toModelOutput: ({ output }) => ({ type: 'text' as const, value: `${output.failed} failed` }),
    });
    const loud = tool({
      inputSchema: anything,
      execute: async () => LOG,
      toModelOutput: ({ output }) => ({ type: 'error-text' as const, value: output }),
    });
    const model = new ScriptedModel((_, step) =>
      step === 0 ? [call('call_1', 'quiet'), call('call_2', 'loud')] : [text('Done.')],
    );
    await generating({
      model,
      messages: [user('Go.')],
      governed: spillway(agent, { tools: { quiet, loud } }),
    });
    const [first, second] = resultsIn(model.prompts[1]);
    expect(first?.text).toBe('2 failed');
    expect(second).toMatchObject({ isError: true });
    expect(second?.text).toMatch(/art_\d+_/);
    expect(second?.text.length).toBeLessThan(13_000);
  });

  it('of a tool of an MCP server is bounded, its picture in its place', async () => {
    const agent = await open();
    const client = await createMCPClient({ transport: mcpServer() });
    const governed = spillway(agent, { tools: (await client.tools()) as ToolSet, window: 100_000 });
    const model = new ScriptedModel((_, step) => (step === 0 ? [call('call_1', 'shot')] : [text('Seen.')]));
    await generating({ model, messages: [user('Look.')], governed });
    const [result] = resultsIn(model.prompts[1]);
    expect(result?.images).toEqual([PICTURE]);
    expect(result?.text).toMatch(/art_\d+_/);
    expect(result?.text.length).toBeLessThan(9_000);
    await client.close();
  });

  it('of a tool of an MCP server that failed is recorded as an error, once', async () => {
    const agent = await open();
    const client = await createMCPClient({ transport: mcpServer({ isError: true }) });
    const governed = spillway(agent, { tools: (await client.tools()) as ToolSet, window: 100_000 });
    const model = new ScriptedModel((_, step) => (step === 0 ? [call('call_1', 'shot')] : [text('Seen.')]));
    await generating({ model, messages: [user('Look.')], governed });
    expect((await storedTexts(agent)).map(({ record }) => record.outcome)).toEqual([{ status: 'error' }]);
    await client.close();
  });
});

describe('a stream to a screen', () => {
  it('carries previews of long results, preliminary ones too, and history keeps them whole', async () => {
    const agent = await open();
    const grows = tool({
      inputSchema: anything,
      async *execute() {
        yield LOG.slice(0, 100_000);
        yield LOG;
      },
    });
    const { tools } = spillway(agent, { tools: { build: grows } });
    const run = streamText({ model: buildsOnce(), prompt: 'Build.', stopWhen, tools });
    const limited = run.toUIMessageStream().pipeThrough(limitUIStream(agent));
    const sizes: number[] = [];
    for await (const chunk of limited)
      if (chunk.type === 'tool-output-available') sizes.push(JSON.stringify(chunk).length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(20_000);
    expect((await storedTexts(agent)).map((each) => each.text === LOG)).toEqual([true]);
  });
});

describe('the middleware', () => {
  const prompt: ModelMessage[] = [
    user('Build.'),
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'call_1', toolName: 'elsewhere', input: {} },
        { type: 'tool-call', toolCallId: 'call_2', toolName: 'search', input: {}, providerExecuted: true },
        {
          type: 'tool-result',
          toolCallId: 'call_2',
          toolName: 'search',
          output: { type: 'text', value: LOG },
        },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'call_1',
          toolName: 'elsewhere',
          output: { type: 'text', value: LOG },
        },
      ],
    },
  ];

  it('bounds what reaches the model of tools that nobody gave us, the same every time', async () => {
    const agent = await open();
    const model = new ScriptedModel(() => [text('Fine.')]);
    const wrapped = wrapLanguageModel({ model, middleware: spillwayMiddleware(agent) });
    for (let turn = 0; turn < 2; turn++) await generateText({ model: wrapped, messages: prompt });
    const [first, second] = model.prompts.map((each) => resultsIn(each)[0]?.text ?? '');
    expect(first).toMatch(/art_\d+_/);
    expect(first?.length).toBeLessThan(9_000);
    expect(second).toBe(first);
    // What a provider ran itself it gets back as it gave it.
    const answered = model.prompts[0]?.find(({ role }) => role === 'assistant');
    expect(JSON.stringify(answered)).toContain(JSON.stringify(LOG).slice(1, -1));
  });
});

describe('the tool get_artifact', () => {
  it('is added once, wherever the tools are given again, and reads without being recorded', async () => {
    const agent = await open();
    const once = spillway(agent, { tools: { build } });
    const twice = spillway(agent, { tools: once.tools });
    expect(Object.keys(twice.tools)).toEqual(['build', 'get_artifact']);
    expect(twice.tools.build).toBe(once.tools.build);
    const shown = await twice.tools.get_artifact.execute?.(
      { artifact_id: 'art_1_none' },
      {
        toolCallId: 'c',
        messages: [],
        context: {},
      },
    );
    expect(shown).toContain('art_1_none');
    expect(await storedTexts(agent)).toEqual([]);
  });

  it('of somebody else is refused', async () => {
    const agent = await open();
    expect(() => spillway(agent, { tools: { get_artifact: build } })).toThrow(
      'The tool `get_artifact` is added by spillway: leave yours out.',
    );
  });
});

describe('instructions', () => {
  it('of the run come first, then system messages of the session, in every step', async () => {
    const agent = await open();
    await agent.say({ role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] });
    const governed = spillway(agent, { tools: { build }, window: 100_000 });
    const model = buildsOnce();
    await generateText({ model, instructions: 'Be careful.', prompt: 'Build.', stopWhen, ...governed });
    for (const sent of model.prompts)
      expect(sent.filter(({ role }) => role === 'system').map(({ content }) => content)).toEqual([
        'Be careful.',
        'Be brief.',
      ]);
  });
});

describe('a run', () => {
  it('that waits for a person goes on in the next one, with the result of what was allowed', async () => {
    const agent = await open();
    const governed = spillway(agent, { tools: { build }, window: 100_000 });
    const settings = { stopWhen, ...governed, toolApproval: { build: 'user-approval' as const } };
    const asking = new ScriptedModel(() => [call('call_1', 'build')]);
    const first = await generateText({ model: asking, prompt: 'Build.', ...settings });
    const request = first.content.find((part) => part.type === 'tool-approval-request');
    const allowed = {
      type: 'tool-approval-response' as const,
      approvalId: request?.approvalId ?? '',
      approved: true,
    };
    const messages: ModelMessage[] = [
      user('Build.'),
      ...first.responseMessages,
      { role: 'tool', content: [allowed] },
    ];
    const model = new ScriptedModel(() => [text('Built.')]);
    await generateText({ model, messages, ...settings });
    const [result, ...others] = resultsIn(model.prompts[0]);
    expect(others).toEqual([]);
    expect(result?.text).toMatch(/art_\d+_/);
    expect((await agent.session.report()).missing).toBe(0);
  });

  it('whose provider uses the ids of calls again shows each result with its own call', async () => {
    const agent = await open();
    let number = 0;
    const counts = tool({ inputSchema: anything, execute: async () => `run ${++number}\n${LOG}` });
    const governed = spillway(agent, { tools: { build: counts }, window: 100_000 });
    await generating({ model: buildsOnce(), messages: [user('Build.')], governed });
    const model = buildsOnce();
    await generating({ model, messages: [user('Build again.')], governed });
    const shown = resultsIn(model.prompts[1]);
    expect(shown.map((result) => /run \d/.exec(result.text)?.[0])).toEqual(['run 1', 'run 2']);
    expect(new Set(shown.map(({ toolCallId }) => toolCallId)).size).toBe(2);
    expect(aiPromptRefuses(model.prompts[1] ?? [])).toEqual([]);
  });

  it('that somebody gave up in the middle goes on in the next one', async () => {
    const agent = await open();
    const giveUp = new AbortController();
    const hangs = tool({ inputSchema: anything, execute: () => new Promise<string>(() => giveUp.abort()) });
    const { signal: abortSignal } = giveUp;
    const first = spillway(agent, { tools: { build: hangs }, window: 100_000 });
    const run = generating({ model: buildsOnce(), messages: [user('Build.')], governed: first, abortSignal });
    await expect(run).rejects.toThrow();
    const model = buildsOnce();
    const governed = spillway(agent, { tools: { build }, window: 100_000 });
    await generating({ model, messages: [user('Build.')], governed });
    // The same words again are the same message; what was given up is told behind it.
    expect(model.prompts[0]).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'Build.' }] },
      {
        role: 'user',
        content: [{}, { text: '[Cancelled. Output incomplete.]\nThis operation was aborted' }],
      },
    ]);
    expect(resultsIn(model.prompts[1]).map((result) => result.text.length < 9_000)).toEqual([true]);
    expect(aiPromptRefuses(model.prompts[1] ?? [])).toEqual([]);
  });
});

/** A server with one tool that returns a long text and a picture. */
function mcpServer(outcome: object = {}): MCPTransport {
  const content = [
    { type: 'text', text: LOG },
    { type: 'image', data: PICTURE, mimeType: 'image/png' },
  ];
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'pictures', version: '1' },
    },
    'tools/list': { tools: [{ name: 'shot', inputSchema: { type: 'object', properties: {} } }] },
    'tools/call': { content, ...outcome },
  };
  const transport: MCPTransport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const result = results[message.method] ?? {};
      queueMicrotask(() => transport.onmessage?.({ jsonrpc: '2.0', id: message.id, result } as never));
    },
  };
  return transport;
}
