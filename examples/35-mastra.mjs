// An agent on Mastra, with Mastra's own mock of a model.
import assert from 'node:assert/strict';
import { Agent } from '@mastra/core/agent';
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock';
import { createTool } from '@mastra/core/tools';
import { spillway } from '@spillway/core/mastra';
import { openAgent } from 'spillway';
import { z } from 'zod';

const build = createTool({
  id: 'build',
  description: 'Builds the project.',
  inputSchema: z.object({}),
  execute: async () => Array.from({ length: 9_000 }, (_, i) => `step ${i + 1} done\n`).join(''),
});

const session = await openAgent({ session: `chat-${Date.now()}` });
const agent = new Agent({
  id: 'builder',
  name: 'builder',
  instructions: 'You look after a build.',
  model: new MastraLanguageModelV2Mock({ doGenerate: model }),
  ...spillway(session, { window: 200_000, tools: { build } }),
});
const { text } = await agent.generate('Build it. What is step 4321?');
console.log(text);
assert.equal(text, 'step 4321 done');
await session.close();

/** Builds, fetches the line that it was not shown, then answers. */
async function model({ prompt }) {
  const [last] = prompt.at(-1).content;
  const content = [reply(last)];
  const finishReason = content[0].type === 'text' ? 'stop' : 'tool-calls';
  return { content, finishReason, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, warnings: [] };
}

function reply({ type, toolName, output }) {
  const call = (name, args) => ({
    type: 'tool-call',
    toolCallId: `call_${name}`,
    toolName: name,
    input: JSON.stringify(args),
  });
  if (type === 'text') return call('build', {});
  console.log(`${toolName}: ${output.value.length} chars`);
  if (toolName === 'get_artifact') return { type: 'text', text: output.value.split('\n')[1] };
  const [artifact_id] = /art_\d+_\w+/.exec(output.value);
  return call('get_artifact', { artifact_id, lines: '4321-4321' });
}
