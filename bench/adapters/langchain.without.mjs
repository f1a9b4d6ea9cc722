// A turn with LangChain: one question, one call of a tool, one answer.
import { AIMessage, createAgent, fakeModel, HumanMessage, tool } from 'langchain';

export async function turn(text) {
  const model = fakeModel()
    .respond(new AIMessage({ content: '', tool_calls: [{ id: 'call_1', name: 'build', args: {} }] }))
    .respond(new AIMessage('Built.'));
  const build = tool(() => text, { name: 'build', description: 'Builds.', schema: { type: 'object' } });
  const agent = createAgent({
    model,
    tools: [build],
  });
  const { messages } = await agent.invoke(
    { messages: [new HumanMessage('Build.')] },
    { configurable: { thread_id: 'bench' } },
  );
  return messages.at(-1).text;
}
