// A former release of OpenAI Agents.
import { Agent, MemorySession, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/openai-agents';

setTracingDisabled(true);
const log = Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join('');
const memory = await openAgent({ session: 'run', store: memoryStore() });
const { tool, getArtifact, callModelInputFilter } = spillway(memory, { window: 100_000 });
const model = new ScriptedModel([
  [functionCall('build', {}, { callId: 'call_1' })],
  [assistantMessage('Built.')],
]);
const build = tool({
  name: 'build',
  description: 'Builds.',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
  execute: () => log,
});
const agent = new Agent({ name: 'Builder', model, tools: [build, getArtifact] });
await run(agent, 'Build.', { session: new MemorySession(), callModelInputFilter });
const last = JSON.stringify(model.lastCall.request.input);
console.log(JSON.stringify({ bounded: last.length < 12_000, found: /art_\w+/.test(last) }));
