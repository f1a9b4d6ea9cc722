// Mastra's own mock of a model, which answers with the parts that it is told to, at once or as a
// stream, and keeps every prompt.
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock';

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/** `reply` gets a prompt and its number, and gives parts. */
export function mockModel(reply) {
  const prompts = [];
  const next = ({ prompt }) => {
    const content = reply(prompt, prompts.push(JSON.parse(JSON.stringify(prompt))) - 1);
    const calls = content.some(({ type }) => type === 'tool-call');
    return { content, finishReason: calls ? 'tool-calls' : 'stop' };
  };
  const model = new MastraLanguageModelV2Mock({
    doGenerate: async (options) => ({ ...next(options), usage, warnings: [] }),
    doStream: async (options) => ({ stream: streamOf(next(options)) }),
  });
  return { model, prompts };
}

function streamOf({ content, finishReason }) {
  const chunks = content.flatMap((part, i) =>
    part.type === 'text'
      ? [
          { type: 'text-start', id: `${i}` },
          { type: 'text-delta', id: `${i}`, delta: part.text },
          { type: 'text-end', id: `${i}` },
        ]
      : [part],
  );
  return ReadableStream.from([
    { type: 'stream-start', warnings: [] },
    ...chunks,
    { type: 'finish', finishReason, usage },
  ]);
}

/** A call. */
export function call(toolCallId, toolName = 'build', input = {}) {
  return { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) };
}

/** What is said. */
export function say(text) {
  return { type: 'text', text };
}
