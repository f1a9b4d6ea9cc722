// One turn of a tool runner in a process of its own, on a store that is a file. Tells the last
// request that it sent.
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/anthropic';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { say, startClaude, use } from './fake-claude.mjs';

const { file } = JSON.parse(process.argv[2]);
await using agent = await openAgent({ session: 'run-1', store: sqliteStore({ file }) });
const turn = (await agent.session.report()).messages;
const claude = await startClaude((_, number) => [number === 0 ? use(`toolu_${turn}`) : say('Built.')]);
const client = new Anthropic({ baseURL: claude.url, apiKey: 'none', maxRetries: 0 });
const run = () => Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join('');
const build = betaTool({ name: 'build', description: 'Builds.', inputSchema: { type: 'object' }, run });
const bounded = spillway(agent, { window: 100_000, tools: [build] });
const runner = client.beta.messages.toolRunner({
  model: 'fake',
  max_tokens: 100,
  thread: false,
  tools: bounded.tools,
  messages: [{ role: 'user', content: `Build part ${turn}.` }],
});
for await (const _ of bounded.turns(runner));
claude.close();
const prompt = claude.bodies.at(-1).messages.map((message) => JSON.stringify(message));
process.stdout.write(JSON.stringify({ prompt }));
