// A turn with LangChain: one question, one call of a tool, one answer.
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/langchain';
import { AIMessage, createAgent, fakeModel, HumanMessage, tool } from 'langchain';

export async function turn(text) {
  await using memory = await openAgent({ session: 'bench', store: memoryStore() });
  const model = fakeModel()
    .respond(new AIMessage({ content: '', tool_calls: [{ id: 'call_1', name: 'build', args: {} }] }))
    .respond(new AIMessage('Built.'));
  const build = tool(() => text, { name: 'build', description: 'Builds.', schema: { type: 'object' } });
  const agent = createAgent({
    model,
    tools: [build],
    middleware: [spillway(memory, { window: 128_000 })],
  });
  const { messages } = await agent.invoke(
    { messages: [new HumanMessage('Build.')] },
    { configurable: { thread_id: 'bench' } },
  );
  return messages.at(-1).text;
}
