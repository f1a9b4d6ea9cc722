// An agent on Mastra: one question, one call of a tool, one answer.
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { model } from './models/mastra.mjs';

export async function turn(text) {
  const build = createTool({
    id: 'build',
    description: 'Builds.',
    inputSchema: z.object({}),
    execute: async () => text,
  });
  const builder = new Agent({
    id: 'builder',
    name: 'builder',
    instructions: 'You build.',
    model,
    tools: { build },
  });
  return (await builder.generate('Build.')).text;
}
