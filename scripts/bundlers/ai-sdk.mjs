// The former major of the AI SDK: a tool's long result reaches the model bounded, with its handle.
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/ai-sdk';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

globalThis.AI_SDK_LOG_WARNINGS = false;
const log = Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join('');
const agent = await openAgent({ session: 'run', store: memoryStore() });
const build = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => log });
const prompts = [];
const model = new MockLanguageModelV3({
  async doGenerate({ prompt }) {
    const isLast = prompts.push(JSON.stringify(prompt)) > 1;
    const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'build', input: '{}' };
    return {
      content: [isLast ? { type: 'text', text: 'Built.' } : call],
      finishReason: { unified: isLast ? 'stop' : 'tool-calls', raw: undefined },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    };
  },
});
const governed = spillway(agent, { tools: { build }, window: 100_000 });
const { text } = await generateText({ model, stopWhen: stepCountIs(5), ...governed, prompt: 'Build.' });
const bounded = prompts.at(-1).length < 10_000 && text === 'Built.';
console.log(JSON.stringify({ bounded, found: /art_\w+/.test(prompts.at(-1)) }));
