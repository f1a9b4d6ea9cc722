// One turn of a LangChain agent in a process of its own: the session is in a file, and the messages
// of the thread are kept beside it, as an application would keep them. Tells the last request.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mapChatMessagesToStoredMessages, mapStoredMessagesToChatMessages } from '@langchain/core/messages';
import { openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/langchain';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { AIMessage, createAgent, fakeModel, HumanMessage, tool } from 'langchain';

const { file, state } = JSON.parse(process.argv[2]);
await using memory = await openAgent({ session: 'app', store: sqliteStore({ file }) });
const text = Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join('');
const before = existsSync(state)
  ? mapStoredMessagesToChatMessages(JSON.parse(readFileSync(state, 'utf8')))
  : [];
const call = { id: `call_${before.length}`, name: 'build', args: {} };
const model = fakeModel()
  .respond(new AIMessage({ content: '', tool_calls: [call] }))
  .respond(new AIMessage('Built.'));
const build = tool(() => text, { name: 'build', description: 'Builds.', schema: { type: 'object' } });
const agent = createAgent({ model, tools: [build], middleware: [spillway(memory, { window: 100_000 })] });
const { messages } = await agent.invoke(
  { messages: [...before, new HumanMessage(`Build part ${before.length}.`)] },
  { configurable: { thread_id: 'thread-1' } },
);
writeFileSync(state, JSON.stringify(mapChatMessagesToStoredMessages(messages)));
const prompt = mapChatMessagesToStoredMessages(model.calls.at(-1).messages).map((each) =>
  JSON.stringify(each),
);
process.stdout.write(JSON.stringify({ prompt }));
