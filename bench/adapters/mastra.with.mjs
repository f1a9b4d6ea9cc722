// An agent on Mastra: one question, one call of a tool, one answer.
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/mastra';
import { z } from 'zod';
import { model } from './models/mastra.mjs';

export async function turn(text) {
  const build = createTool({
    id: 'build',
    description: 'Builds.',
    inputSchema: z.object({}),
    execute: async () => text,
  });
  await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
  const builder = new Agent({
    id: 'builder',
    name: 'builder',
    instructions: 'You build.',
    model,
    ...spillway(agent, { window: 128_000, tools: { build } }),
  });
  return (await builder.generate('Build.')).text;
}
