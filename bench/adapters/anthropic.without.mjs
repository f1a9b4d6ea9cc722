// An agent on Anthropic's tool runner: one question, one call of a tool, one answer.
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { client } from './models/claude.mjs';

export async function turn(text) {
  const build = betaTool({
    name: 'build',
    description: 'Builds.',
    inputSchema: { type: 'object' },
    run: () => text,
  });
  const runner = client.beta.messages.toolRunner({
    model: 'claude',
    max_tokens: 1_000,
    messages: [{ role: 'user', content: 'Build.' }],
    thread: false,
    tools: [build],
  });
  let answer;
  for await (const message of runner) answer = message.content[0].text;
  return answer;
}
