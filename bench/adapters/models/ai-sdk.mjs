// The AI SDK's own mock model: calls `build` once, then answers.
import { MockLanguageModelV4 } from 'ai/test';

globalThis.AI_SDK_LOG_WARNINGS = false;
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

export function callsOnce() {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const isBuilt = prompt.at(-1).role === 'tool';
      const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'build', input: '{}' };
      const content = [isBuilt ? { type: 'text', text: 'Built.' } : call];
      const finishReason = { unified: isBuilt ? 'stop' : 'tool-calls', raw: undefined };
      return { content, finishReason, usage, warnings: [] };
    },
  });
}
