// An agent on Vercel's AI SDK: three lines put Spillway into it. The model is the SDK's own mock;
// a real one is `openai('gpt-5')`.
import assert from 'node:assert/strict';
import { spillway } from '@spillway/core/ai-sdk';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { openAgent } from 'spillway';

const tools = {
  build: tool({
    description: 'Builds the project.',
    inputSchema: jsonSchema({ type: 'object', properties: {} }),
    execute: async () => Array.from({ length: 9_000 }, (_, i) => `step ${i + 1} done\n`).join(''),
  }),
};

const agent = await openAgent({ session: `chat-${Date.now()}` });
const governed = spillway(agent, { tools, window: 128_000 });
const { text, steps } = await generateText({
  model: mockModel(),
  prompt: 'Build it. What is step 4321?',
  stopWhen: isStepCount(10),
  ...governed,
});
console.log(text);
assert.equal(text, 'step 4321 done');
// What the tool returned is still there, whole, for your program.
assert.equal(steps[0].toolResults[0].output.length, 133_893);
await agent.close();

/** Builds, fetches the line that it was not shown, then answers. */
function mockModel() {
  const call = (toolName, input) => ({
    type: 'tool-call',
    toolCallId: `call-${toolName}`,
    toolName,
    input: JSON.stringify(input),
  });
  const answer = (results) => {
    if (results.length === 0) return call('build', {});
    console.log(`result ${results.length}: ${results.at(-1).length} chars`);
    const [artifact_id] = /art_\d+_\w+/.exec(results[0]);
    if (results.length === 1) return call('get_artifact', { artifact_id, lines: '4321-4321' });
    return { type: 'text', text: results[1].split('\n')[1] };
  };
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const parts = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
      const content = [answer(parts.map(({ output }) => output.value))];
      const unified = content[0].type === 'text' ? 'stop' : 'tool-calls';
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
      return { content, finishReason: { unified }, usage, warnings: [] };
    },
  });
}
