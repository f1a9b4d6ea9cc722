// Former majors of the AI SDK. Version 6: a tool's long result reaches the model bounded, with its
// handle, and the answer is recorded. Version 5 is refused in words.
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/ai-sdk';
import { jsonSchema, stepCountIs, streamText, tool } from 'ai';
import * as mocks from 'ai/test';

globalThis.AI_SDK_LOG_WARNINGS = false;
const log = Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join('');
const agent = await openAgent({ session: 'run', store: memoryStore() });
const build = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => log });
const prompts = [];
const isFive = mocks.MockLanguageModelV3 === undefined;
const Model = isFive ? mocks.MockLanguageModelV2 : mocks.MockLanguageModelV3;
const model = new Model({
  async doStream({ prompt }) {
    const isLast = prompts.push(JSON.stringify(prompt)) > 1;
    const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'build', input: '{}' };
    const texts = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Built.' },
      { type: 'text-end', id: '1' },
    ];
    const reason = isLast ? 'stop' : 'tool-calls';
    const finish = isFive
      ? { finishReason: reason, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }
      : {
          finishReason: { unified: reason, raw: undefined },
          usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
        };
    const parts = [{ type: 'stream-start', warnings: [] }, ...(isLast ? texts : [call])];
    return { stream: mocks.simulateReadableStream({ chunks: [...parts, { type: 'finish', ...finish }] }) };
  },
});
const governed = spillway(agent, { tools: { build }, window: 100_000 });
await streamText({ model, stopWhen: stepCountIs(5), ...governed, prompt: 'Build.' }).consumeStream();
const { messages } = await agent.session.export('openai_chat');
console.log(
  JSON.stringify({
    bounded: prompts.at(-1).length < 10_000 && messages.at(-1).content === 'Built.' && messages.length === 4,
    found: /art_\w+/.test(prompts.at(-1)),
  }),
);
