// A chat loop with plain messages: one question, one call of a tool, one answer.
import { memoryStore, openAgent } from '@spillway/core';
import { projectMessages } from '@spillway/core/messages';
import { callsOnce } from './models/chat.mjs';

export async function turn(text) {
  await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
  const messages = [{ role: 'user', content: 'Build.' }];
  for (;;) {
    const message = await callsOnce(await projectMessages(agent, messages, { window: 128_000 }));
    messages.push(message);
    if (message.tool_calls === undefined) return message.content;
    for (const { id } of message.tool_calls) messages.push({ role: 'tool', tool_call_id: id, content: text });
  }
}
