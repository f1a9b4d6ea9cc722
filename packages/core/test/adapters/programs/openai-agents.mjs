// One run of an agent in a process of its own: our session is in a file, and the library's session
// is kept beside it, as an application would keep it. Tells the last request.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, MemorySession, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/openai-agents';
import { sqliteStore } from '@spillway/core/store/sqlite';

setTracingDisabled(true);
const { file, items } = JSON.parse(process.argv[2]);
const initialItems = existsSync(items) ? JSON.parse(readFileSync(items, 'utf8')) : [];
const session = new MemorySession({ initialItems });
await using memory = await openAgent({ session: 'chat-1', store: sqliteStore({ file }) });
const { tool, getArtifact, callModelInputFilter } = spillway(memory, { window: 100_000 });
const text = Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join('');
const model = new ScriptedModel([
  [functionCall('build', {}, { callId: `call_${initialItems.length}` })],
  [assistantMessage('Built.')],
]);
const build = tool({
  name: 'build',
  description: 'Builds.',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
  execute: () => text,
});
const agent = new Agent({ name: 'Builder', model, tools: [build, getArtifact] });
await run(agent, `Build part ${initialItems.length}.`, { session, callModelInputFilter });
writeFileSync(items, JSON.stringify(await session.getItems()));
process.stdout.write(
  JSON.stringify({ prompt: model.lastCall.request.input.map((item) => JSON.stringify(item)) }),
);
