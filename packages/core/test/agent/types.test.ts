// The types of `openAgent`: a typing error does not compile, and requests are what the providers'
// own types take.
import type Anthropic from '@anthropic-ai/sdk';
import { generateText, type ModelMessage, tool as sdkTool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { type Agent, memoryStore, openAgent, type SettingsInput, Spillway } from '../../src/index.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

/** Compiled, never run. */
export async function requestsAreTyped(agents: {
  chat: Agent<'openai_chat'>;
  items: Agent<'openai_responses'>;
  anthropic: Agent<'anthropic'>;
  ai: Agent<'ai_model'>;
}): Promise<readonly unknown[]> {
  const { chat, items, anthropic, ai } = agents;
  const forChat: OpenAI.ChatCompletionCreateParamsNonStreaming = {
    model: 'm',
    tools: [chat.definition],
    ...(await chat.request({ window: 1 })).body,
  };
  const forItems: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
    model: 'm',
    tools: [items.definition],
    ...(await items.request({ window: 1 })).body,
  };
  const forAnthropic: Anthropic.MessageCreateParamsNonStreaming = {
    model: 'm',
    max_tokens: 1,
    tools: [anthropic.definition],
    ...(await anthropic.request({ window: 1 })).body,
  };
  const forSdk: ModelMessage[] = (await ai.request({ window: 1 })).body.messages;
  // Another shape for one request.
  const { system } = (await chat.request({ window: 1, shape: 'anthropic' })).body;
  return [forChat, forItems, forAnthropic, forSdk, system];
}

/** What the providers answer is taken as it is. */
export async function responsesAreTaken(agents: {
  chat: Agent<'openai_chat'>;
  items: Agent<'openai_responses'>;
  anthropic: Agent<'anthropic'>;
  answers: [OpenAI.ChatCompletion, OpenAI.Responses.Response, Anthropic.Message];
}): Promise<void> {
  const { chat, items, anthropic, answers } = agents;
  await chat.take(answers[0]);
  await items.take(answers[1]);
  await anthropic.take(answers[2]);
  // @ts-expect-error A response of another provider.
  await chat.take(answers[1]);
  // @ts-expect-error A typing error.
  await chat.take({ choises: [] });
}

/** What is misspelled does not compile. */
export async function typingErrors(agent: Agent): Promise<void> {
  // @ts-expect-error `sesion` is no option.
  await openAgent({ sesion: 'run-1' });
  // @ts-expect-error There is no such shape.
  await openAgent({ session: 'run-1', store: memoryStore(), shape: 'open_ai' });
  // @ts-expect-error `windows` is no option.
  await agent.request({ windows: 1 });
  // @ts-expect-error A window is needed.
  await agent.request({});
  // @ts-expect-error A role that nobody has.
  await agent.say({ role: 'robot', parts: [] });
  // @ts-expect-error `inlineLimits` is no setting.
  await openAgent({ session: 'run-1', store: memoryStore(), settings: { inlineLimits: 1 } });
  // @ts-expect-error `inlineLimits` is no setting.
  new Spillway({ store: memoryStore() }).configureSession('run-1', { inlineLimits: 1 });
  // @ts-expect-error A number.
  const settings: SettingsInput = { inlineLimit: '8000' };
  const bounded = agent.tool(async ({ path }: { path: string }) => path, { name: 'read' });
  // @ts-expect-error The input of the tool stays typed.
  await bounded({ paths: 'a' });
  void settings;
}

test("the AI SDK takes the agent's body, tools and definition as they are, and its result is taken back", async () => {
  await using agent = await openAgent({ session: 's', store: memoryStore(), shape: 'ai_model' });
  await agent.say({ role: 'system', parts: [{ type: 'text', text: 'Be short.' }] });
  await agent.say('Look.');
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'Done.' }],
      finishReason: { unified: 'stop', raw: undefined },
      usage,
      warnings: [],
    }),
  });
  const { body } = await agent.request({ window: 10_000 });
  const tools = { get_artifact: sdkTool({ ...agent.definition, execute: (args) => agent.fetch(args) }) };
  const result = await generateText({ model, tools, ...body });
  expect(await agent.take(result)).toMatchObject({ messages: 1, text: 'Done.', calls: [] });
  const [{ prompt, tools: definitions } = { prompt: [], tools: [] }] = model.doGenerateCalls;
  expect(prompt.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(definitions).toMatchObject([{ name: 'get_artifact', inputSchema: { properties: { message: {} } } }]);
});
