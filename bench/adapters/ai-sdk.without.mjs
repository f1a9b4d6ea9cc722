// An agent on the AI SDK: one question, one call of a tool, one answer.
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { callsOnce } from './models/ai-sdk.mjs';

export async function turn(text) {
  const build = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => text });
  const { text: answer } = await generateText({
    model: callsOnce(),
    prompt: 'Build.',
    stopWhen: isStepCount(5),
    tools: { build },
  });
  return answer;
}
