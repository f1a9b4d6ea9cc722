// An agent on Anthropic's tool runner. The model is played by `fetch`; with a real one it is
// `new Anthropic()`.
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { spillway } from '@spillway/core/anthropic';
import { openAgent } from 'spillway';

const client = new Anthropic({ apiKey: 'none', fetch: model });
const build = betaTool({
  name: 'build',
  description: 'Builds the project.',
  inputSchema: { type: 'object' },
  run: () => Array.from({ length: 9_000 }, (_, i) => `step ${i + 1} done\n`).join(''),
});

const agent = await openAgent({ session: `chat-${Date.now()}` });
const { tools, turns } = spillway(agent, { window: 200_000, tools: [build] });
const runner = client.beta.messages.toolRunner({
  model: 'claude',
  max_tokens: 1_000,
  system: 'You look after a build.',
  messages: [{ role: 'user', content: 'Build it. What is step 4321?' }],
  tools,
});
let answer = '';
for await (const { content } of turns(runner)) answer = content[0].text;
console.log(answer);
assert.equal(answer, 'step 4321 done');
await agent.close();

/** Builds, fetches the line that it was not shown, then answers. */
async function model(_, { body }) {
  const [result] = JSON.parse(body).messages.at(-1).content;
  const block = reply(result);
  return Response.json({
    id: `msg_${block.id ?? 3}`,
    type: 'message',
    role: 'assistant',
    model: 'claude',
    stop_reason: block.type === 'tool_use' ? 'tool_use' : 'end_turn',
    content: [block],
    usage: { input_tokens: 1, output_tokens: 1 },
  });
}

function reply({ tool_use_id, content }) {
  const use = (id, name, input) => ({ type: 'tool_use', id, name, input });
  if (tool_use_id === undefined) return use('toolu_1', 'build', {});
  console.log(`${tool_use_id}: ${content.length} chars`);
  if (tool_use_id === 'toolu_2') return { type: 'text', text: content.split('\n')[1] };
  const [artifact_id] = /art_\d+_\w+/.exec(content);
  return use('toolu_2', 'get_artifact', { artifact_id, lines: '4321-4321' });
}
