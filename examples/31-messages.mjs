// A chat loop with plain messages, for any OpenAI-compatible API: the loop keeps its own list, and
// `projectMessages` says what to send. The model is played by `model`; with a real one it is
// `client.chat.completions.create({ model, messages, tools })`.
import assert from 'node:assert/strict';
import { projectMessages } from '@spillway/core/messages';
import { openAgent } from 'spillway';

const agent = await openAgent({ session: `chat-${Date.now()}` });
const tools = { build: () => Array.from({ length: 9_000 }, (_, i) => `step ${i + 1} done\n`).join('') };
const messages = [
  { role: 'system', content: 'You look after a build.' },
  { role: 'user', content: 'Build it. What is step 4321?' },
];

for (let answer; answer === undefined; ) {
  const sent = await projectMessages(agent, messages, { window: 128_000 });
  const { message } = model(sent, [agent.definition]).choices[0];
  messages.push(message);
  for (const { id, function: called } of message.tool_calls ?? []) {
    const input = JSON.parse(called.arguments);
    const run = tools[called.name] ?? (() => agent.fetch(input));
    messages.push({ role: 'tool', tool_call_id: id, content: await run(input) });
  }
  answer = message.tool_calls === undefined ? message.content : undefined;
}
console.log(messages.at(-1).content);
assert.match(messages.at(-1).content, /step 4321 done/);
await agent.close();

/** Builds, fetches the line that it was not shown, then answers. */
function model(sent) {
  const results = sent.filter(({ role }) => role === 'tool').map(({ content }) => content);
  const call = (name, args) => ({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: `call_${results.length}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
    ],
  });
  if (results.length === 0) return { choices: [{ message: call('build', {}) }] };
  console.log(`result ${results.length}: ${results.at(-1).length} chars`);
  const [artifact_id] = /art_\d+_\w+/.exec(results[0]);
  if (results.length === 1)
    return { choices: [{ message: call('get_artifact', { artifact_id, lines: '4321-4321' }) }] };
  return { choices: [{ message: { role: 'assistant', content: results[1].split('\n')[1] } }] };
}
