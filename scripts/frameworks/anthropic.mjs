// A former release of Anthropic's SDK, in a loop on `messages.create`.
import Anthropic from '@anthropic-ai/sdk';
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/anthropic';

const log = Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join('');
const agent = await openAgent({ session: 'run', store: memoryStore() });
const bodies = [];
const client = new Anthropic({
  apiKey: 'none',
  async fetch(_, { body }) {
    const isLast = bodies.push(body) > 1;
    const call = { type: 'tool_use', id: 'toolu_1', name: 'build', input: {} };
    const content = [isLast ? { type: 'text', text: 'Built.' } : call];
    const usage = { input_tokens: 1, output_tokens: 1 };
    return Response.json({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content,
      usage,
    });
  },
});
const build = { name: 'build', description: 'Builds.', input_schema: { type: 'object' }, run: () => log };
const { request, answer } = spillway(agent, { window: 100_000, tools: [build] });
const messages = [{ role: 'user', content: 'Build.' }];
for (let results; results !== null; ) {
  const reply = await client.messages.create(await request({ model: 'claude', max_tokens: 1_000, messages }));
  results = await answer(reply);
  messages.push({ role: reply.role, content: reply.content }, ...(results === null ? [] : [results]));
}
const last = bodies.at(-1);
console.log(JSON.stringify({ bounded: last.length < 10_000, found: /art_\w+/.test(last) }));
