// Mastra's own mock of a model: calls a tool, then answers.
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock';

const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'build', input: '{}' };
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

export const model = new MastraLanguageModelV2Mock({
  async doGenerate({ prompt }) {
    const isCalled = prompt.at(-1).role === 'tool';
    const content = [isCalled ? { type: 'text', text: 'Built.' } : call];
    return { content, finishReason: isCalled ? 'stop' : 'tool-calls', usage, warnings: [] };
  },
});
