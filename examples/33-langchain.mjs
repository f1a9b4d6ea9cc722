// A LangChain agent whose tools return more than its model should read. One middleware bounds their
// results and gives the model `get_artifact`. The model is LangChain's fake one; with a real one
// `model` is its name, such as 'openai:gpt-5'.
import assert from 'node:assert/strict';
import { spillway } from '@spillway/core/langchain';
import { AIMessage, createAgent, fakeModel, tool } from 'langchain';
import { openAgent } from 'spillway';

const build = tool(() => Array.from({ length: 9_000 }, (_, i) => `step ${i + 1} done\n`).join(''), {
  name: 'build',
  description: 'Builds the project.',
  schema: { type: 'object', properties: {} },
});
const memory = await openAgent({ session: `app-${Date.now()}` });
const agent = createAgent({
  model: playedModel(),
  tools: [build],
  middleware: [spillway(memory, { window: 128_000 })],
});

const { messages } = await agent.invoke(
  { messages: [{ role: 'user', content: 'Build it. What is step 4321?' }] },
  { configurable: { thread_id: crypto.randomUUID() } },
);
for (const { type, text } of messages) console.log(`${type}: ${text.length} chars`);
assert.equal(messages.at(-1).text, 'step 4321 done');
await memory.close();

/** Builds, fetches the line that it was not shown, then answers. */
function playedModel() {
  const call = (id, name, args) => new AIMessage({ content: '', tool_calls: [{ id, name, args }] });
  return fakeModel()
    .respond(call('call_1', 'build', {}))
    .respond((sent) => {
      const [artifact_id] = /art_\d+_\w+/.exec(sent.at(-1).text);
      return call('call_2', 'get_artifact', { artifact_id, lines: '4321-4321' });
    })
    .respond((sent) => new AIMessage(sent.at(-1).text.split('\n')[1]));
}
