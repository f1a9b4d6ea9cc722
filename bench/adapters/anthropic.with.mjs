// An agent on Anthropic's tool runner: one question, one call of a tool, one answer.
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/anthropic';
import { client } from './models/claude.mjs';

export async function turn(text) {
  const build = betaTool({
    name: 'build',
    description: 'Builds.',
    inputSchema: { type: 'object' },
    run: () => text,
  });
  await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
  const { tools, turns } = spillway(agent, { window: 128_000, tools: [build] });
  const runner = client.beta.messages.toolRunner({
    model: 'claude',
    max_tokens: 1_000,
    messages: [{ role: 'user', content: 'Build.' }],
    thread: false,
    tools,
  });
  let answer;
  for await (const message of turns(runner)) answer = message.content[0].text;
  return answer;
}
