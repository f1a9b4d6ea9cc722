// A turn with OpenAI Agents: one question, one call of a tool, one answer.
import { Agent, MemorySession, run, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';

setTracingDisabled(true);

export async function turn(text) {
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
    tools: [build],
  });
  const { finalOutput } = await run(agent, 'Build.', {
    session: new MemorySession(),
  });
  return finalOutput;
}
