// A chat loop with plain messages: one question, one call of a tool, one answer.
import { callsOnce } from './models/chat.mjs';

export async function turn(text) {
  const messages = [{ role: 'user', content: 'Build.' }];
  for (;;) {
    const message = await callsOnce(messages);
    messages.push(message);
    if (message.tool_calls === undefined) return message.content;
    for (const { id } of message.tool_calls) messages.push({ role: 'tool', tool_call_id: id, content: text });
  }
}
