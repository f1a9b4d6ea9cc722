// One of several writers of one session: asks, calls, records, sends, compacts, and tells every
// result that was acknowledged. Job: file, writer, turns.
import { createHash } from 'node:crypto';
import { Spillway } from '@spillway/core';
import { History } from '@spillway/core/history';
import { sqliteStore } from '@spillway/core/store/sqlite';

const { file, writer, turns } = JSON.parse(process.argv[2]);
const store = sqliteStore({ file, durability: 'process' });
const spillway = new Spillway({ store });
const session = new History({ spillway, store, invariants: 'throw' }).session({ scope: 'w', session: 'one' });

for (let turn = 0; turn < turns; turn++) {
  const callId = `${writer}-${turn}`;
  const call = { type: 'call', callId, tool: 'tool', input: `{"turn":${turn}}` };
  await session.sayAll([
    { id: `${callId}/ask`, role: 'user', parts: [{ type: 'text', text: `${writer} asks ${turn}` }] },
    { id: `${callId}/call`, role: 'assistant', parts: [call] },
  ]);
  const text = `${callId} returns\n`.repeat(turn % 3 === 0 ? 2_000 : 20);
  const { output } = await session.result(
    { callId, tool: 'tool', messageId: `${callId}/result` },
    { kind: 'text', text },
  );
  const hash = createHash('sha256').update(text).digest('hex');
  process.stdout.write(`${JSON.stringify({ callId, output: output.id, hash })}\n`);
  if (turn % 6 === 5) await session.compact({ keepTokens: 2_000 });
  if (turn % 4 === 3) await session.prepare({ window: 50_000 });
}
await spillway.close();
