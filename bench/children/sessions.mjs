// Talks in many sessions at the same time, or records one large value. Prints { ms, p50, p99, max
// }, all in milliseconds.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { memoryStore, Spillway } from '@spillway/core';
import { History } from '@spillway/core/history';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { distinctResults } from '../inputs.mjs';

const RESULT_CHARS = 12_000;
const WINDOW = 60_000;

const { job, store: kind, folder, sessions, turns, elements } = JSON.parse(process.argv[2]);
process.env.NODE_ENV = 'production';
const file = join(folder, 'store.db');
const store = kind === 'memory' ? memoryStore() : sqliteStore({ file, thread: kind === 'thread' });
const spillway = new Spillway({ store });
const history = new History({ spillway, store });
// Whatever happens only once is not what is asked about.
await spillway.process({ tool: 'first', session: 'first', scope: 'first' }, { kind: 'text', text: 'first' });
console.log(JSON.stringify(await (job === 'turns' ? talk() : record())));
await spillway.close();

async function talk() {
  const texts = distinctResults(sessions * turns, RESULT_CHARS, 7);
  const steps = [];
  const timed = async (step) => {
    const startedAt = performance.now();
    await step();
    steps.push(performance.now() - startedAt);
  };
  const talkIn = async (number) => {
    const session = history.session({ scope: `user-${number}`, session: 'chat' });
    for (let turn = 0; turn < turns; turn++) {
      const call = { callId: `c${turn}`, tool: 'build' };
      const text = texts[number * turns + turn];
      await timed(() => session.say({ role: 'user', parts: [{ type: 'text', text: `turn ${turn}` }] }));
      await timed(() => session.say({ role: 'assistant', parts: [{ type: 'call', ...call, input: '{}' }] }));
      await timed(() => session.result({ ...call, input: { turn } }, { kind: 'text', text }));
      await timed(() => session.request({ window: WINDOW }));
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: sessions }, (_, number) => talkIn(number)));
  const ms = performance.now() - startedAt;
  steps.sort((a, b) => a - b);
  const at = (share) => steps[Math.floor(share * (steps.length - 1))];
  return { ms, p50: at(0.5), p99: at(0.99), max: at(1) };
}

async function record() {
  const value = Array.from({ length: elements }, (_, i) => ({ id: i, name: `row ${i}`, ok: i % 2 === 0 }));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const startedAt = performance.now();
  if (kind === 'stringify') writeFileSync(join(folder, 'value.json'), JSON.stringify(value));
  else {
    const call = { tool: 'query', session: 'value', scope: 'bench' };
    const answer = await spillway.process(call, { kind: 'value', value });
    await spillway.sealed(answer);
  }
  const ms = performance.now() - startedAt;
  // The last pause is told when the loop has had its turn.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const inMs = (nanoseconds) => nanoseconds / 1e6;
  return { ms, p50: inMs(delay.percentile(50)), p99: inMs(delay.percentile(99)), max: inMs(delay.max) };
}
