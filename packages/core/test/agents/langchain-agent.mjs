// An agent on LangChain, by hand: its message objects in and out, no graph. What would be sent is
// made of the objects again.
import {
  AIMessage,
  HumanMessage,
  mapStoredMessagesToChatMessages,
  SystemMessage,
} from '@langchain/core/messages';
import { memoryStore, Spillway } from '@spillway/core';
import { History, writeAs } from '@spillway/core/history';
import { conversation, exactOf, Figures, factsIn, NAME, reachable, tell } from './conversation.mjs';

const { window, turns, facts, chars } = JSON.parse(process.argv[2]);
const store = memoryStore();
const spillway = new Spillway({ store });
const session = new History({ spillway, store }).session(NAME);
const figures = new Figures();
const recorded = new Map();
const prompts = [];
const keep = (message) => session.import('langchain', [message], { given: 'more' });

await keep(new SystemMessage('You are careful.'));
for (const { user, thought, calls, answer } of conversation({ turns, facts, chars })) {
  await keep(new HumanMessage(user));
  await send();
  const tool_calls = calls.map(({ callId, tool, input }) => ({ id: callId, name: tool, args: input }));
  await keep(new AIMessage({ content: thought, tool_calls }));
  for (const { callId, tool, input, output: text } of calls) {
    const { output } = await session.result({ callId, tool, input }, { kind: 'text', text });
    recorded.set(output.id, text);
  }
  await send();
  await keep(new AIMessage(answer));
}
await keep(new HumanMessage('And?'));
const last = await session.request({ window });
const found = await reachable(spillway, NAME.scope, JSON.stringify(last.messages));
const report = await session.report();
tell({
  ...figures,
  outputs: recorded.size,
  exact: await exactOf(spillway, NAME.scope, recorded),
  orphans: report.orphans + report.missing,
  facts: factsIn(found, facts),
  requestsSent: prompts,
});

/**
 * The objects as they would go to a model, in the words of OpenAI, which LangChain's own converter
 * uses.
 */
async function send() {
  const request = await session.request({ window });
  const written = writeAs('langchain', request.messages).messages;
  figures.add(request, written);
  prompts.push(mapStoredMessagesToChatMessages(written).map(asSent));
}

function asSent(message) {
  const content = typeof message.content === 'string' ? message.content.slice(0, 20) : message.content.length;
  if (message.getType() === 'tool') return { role: 'tool', tool_call_id: message.tool_call_id, content };
  const role = { human: 'user', ai: 'assistant', system: 'system' }[message.getType()];
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) return { role, content };
  const tool_calls = calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role, content, tool_calls };
}
