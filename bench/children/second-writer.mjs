// Another process at the same store: seals one output of 20 KB after another until its standard
// input ends. Prints `writing` once it does.
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { logLines } from '../inputs.mjs';

const { file } = JSON.parse(process.argv[2]);
const spillway = new Spillway({ store: sqliteStore({ file }) });
const body = logLines(20_000, 11);
let over = false;
process.stdin.on('end', () => {
  over = true;
});
process.stdin.resume();
for (let i = 0; !over; i++) {
  const call = { tool: 'run', session: 'other', scope: 'bench' };
  const answer = await spillway.process(call, { kind: 'text', text: `${process.pid}-${i}\n${body}` });
  await spillway.sealed(answer);
  if (i === 0) console.log('writing');
}
await spillway.close();
