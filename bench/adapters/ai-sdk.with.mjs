// An agent on the AI SDK: one question, one call of a tool, one answer.
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/ai-sdk';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { callsOnce } from './models/ai-sdk.mjs';

export async function turn(text) {
  const build = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => text });
  await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
  const governed = spillway(agent, { tools: { build }, window: 128_000 });
  const { text: answer } = await generateText({
    model: callsOnce(),
    prompt: 'Build.',
    stopWhen: isStepCount(5),
    ...governed,
  });
  return answer;
}
