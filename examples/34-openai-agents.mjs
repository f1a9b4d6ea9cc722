// An agent of OpenAI Agents whose tools return more than its model should read. A filter bounds what
// is sent; the library's own session keeps everything. The model is the library's scripted one; with
// a real one `model` is its name, such as 'gpt-5'.
import assert from 'node:assert/strict';
import { Agent, MemorySession, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { spillway } from '@spillway/core/openai-agents';
import { openAgent } from 'spillway';

setTracingDisabled(true);
const memory = await openAgent({ session: `chat-${Date.now()}` });
const { tool, getArtifact, callModelInputFilter } = spillway(memory, { window: 128_000 });
const build = tool({
  name: 'build',
  description: 'Builds the project.',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
  execute: () => Array.from({ length: 9_000 }, (_, i) => `step ${i + 1} done\n`).join(''),
});
const agent = new Agent({ name: 'Builder', model: playedModel(), tools: [build, getArtifact] });

const session = new MemorySession();
const result = await run(agent, 'Build it. What is step 4321?', { session, callModelInputFilter });
for (const { type, output } of await session.getItems())
  if (type === 'function_call_result') console.log(`kept: ${output.text.length} chars`);
console.log(result.finalOutput);
assert.equal(result.finalOutput, 'step 4321 done');
await memory.close();

/** Builds, fetches the line that it was not shown, then answers. */
function playedModel() {
  const read = ({ request }) => {
    const { text } = request.input.at(-1).output;
    console.log(`read: ${text.length} chars`);
    return text;
  };
  return new ScriptedModel([
    [functionCall('build', {}, { callId: 'call_1' })],
    modelResponder((call) => {
      const [artifact_id] = /art_\d+_\w+/.exec(read(call));
      return [functionCall('get_artifact', { artifact_id, lines: '4321-4321' }, { callId: 'call_2' })];
    }),
    modelResponder((call) => [assistantMessage(read(call).split('\n')[1])]),
  ]);
}
