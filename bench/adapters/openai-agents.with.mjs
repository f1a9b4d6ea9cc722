// A turn with OpenAI Agents: one question, one call of a tool, one answer.
import { Agent, MemorySession, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/openai-agents';

setTracingDisabled(true);

export async function turn(text) {
  await using memory = await openAgent({ session: 'bench', store: memoryStore() });
  const { tool, getArtifact, callModelInputFilter } = spillway(memory, { window: 128_000 });
  const model = new ScriptedModel([
    [functionCall('build', {}, { callId: 'call_1' })],
    [assistantMessage('Built.')],
  ]);
  const build = tool({
    name: 'build',
    description: 'Builds.',
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
    execute: () => text,
  });
  const agent = new Agent({
    name: 'Builder',
    model,
    tools: [build, getArtifact],
  });
  const { finalOutput } = await run(agent, 'Build.', {
    session: new MemorySession(),
    callModelInputFilter,
  });
  return finalOutput;
}
