// One turn of a chat loop in a process of its own, on a store that is a file: the history of the
// session is all that the turns share. Tells the request that it would send.
import { openAgent } from '@spillway/core';
import { projectMessages } from '@spillway/core/messages';
import { sqliteStore } from '@spillway/core/store/sqlite';

const { file } = JSON.parse(process.argv[2]);
await using agent = await openAgent({ session: 'run-1', store: sqliteStore({ file }) });
const text = Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join('');
const number = (await agent.session.report()).messages;
const call = { id: `call_${number}`, type: 'function', function: { name: 'build', arguments: '{}' } };
const turn = [
  { role: 'user', content: `Build part ${number}.` },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: call.id, content: text },
];
const sent = await projectMessages(agent, turn, { window: 100_000 });
process.stdout.write(JSON.stringify({ prompt: sent.map((message) => JSON.stringify(message)) }));
