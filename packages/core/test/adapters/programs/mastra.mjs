// One turn of a Mastra agent in a process of its own, on a store that is a file. Tells the last
// prompt that its model got.
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/mastra';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { z } from 'zod';
import { call, mockModel, say } from './mock-mastra.mjs';

const { file } = JSON.parse(process.argv[2]);
await using memory = await openAgent({ session: 'run-1', store: sqliteStore({ file }) });
const turn = (await memory.session.report()).messages;
const { model, prompts } = mockModel((_, number) => [number === 0 ? call(`call_${turn}`) : say('Built.')]);
const build = createTool({
  id: 'build',
  description: 'Builds.',
  inputSchema: z.object({}),
  execute: async () =>
    Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join(''),
});
const agent = new Agent({
  id: 'builder',
  name: 'builder',
  instructions: 'You are careful.',
  model,
  ...spillway(memory, { window: 100_000, tools: { build } }),
});
await agent.generate(`Build part ${turn}.`);
const prompt = prompts.at(-1).map((message) => JSON.stringify(message));
process.stdout.write(JSON.stringify({ prompt }));
