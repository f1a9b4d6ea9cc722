// Fills a store with outputs and tells what each kind of use costs then. Job: count, file.
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { textRange } from '../content.mjs';
import { peakMb } from '../memory.mjs';

const ROUNDS = 200;
const { count, file } = JSON.parse(process.argv[2]);
const store = sqliteStore({ file, durability: 'process' });
const spillway = new Spillway({ store });
const scope = 'campaign';
const ids = [];
const add = async (i) => {
  const answer = await spillway.process(
    { tool: `tool-${i % 20}`, session: `session-${i % 100}`, scope, callId: `call-${i}` },
    { kind: 'text', text: textRange(`o${i}`, 0, 64 * 40) },
    { policy: { inlineLimit: 1_000 } },
  );
  ids.push((await spillway.sealed(answer)).id);
};
for (let i = 0; i < count; i += 50)
  await Promise.all(Array.from({ length: Math.min(50, count - i) }, (_, k) => add(i + k)));

let next = count;
const oneOf = (round) => ids[(round * 7_919) % ids.length];
const uses = {
  seal: () => add(next++),
  find: (round) => store.find({ scope, id: oneOf(round) }),
  range: (round) => spillway.retrieve({ artifact_id: oneOf(round), lines: '10-20' }, scope),
  list: () => store.list({ scope, show: 'all', limit: 100 }),
};
const costs = {};
for (const [use, run] of Object.entries(uses)) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = performance.now();
    await run(round);
    times.push(performance.now() - before);
  }
  costs[use] = times.sort((a, b) => a - b)[ROUNDS / 4];
}
await spillway.close();
console.log(JSON.stringify({ ...costs, peakMb: peakMb() }));
