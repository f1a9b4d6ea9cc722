// Does one job while it measures the delay of its own event loop. Prints { ms, p50, p99, max }, all
// in milliseconds.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import * as core from '@spillway/core';
import * as sqlite from '@spillway/core/store/sqlite';
import { coreBefore } from '../before.mjs';
import { distinctResults, logStream } from '../inputs.mjs';

const CALL = { tool: 'run', session: 'loop', scope: 'bench' };
const PARALLEL = 10;
const IDLE_MS = 500;

const { job, thread, before, folder, file, bytes, count, chars } = JSON.parse(process.argv[2]);

const jobs = {
  idle: () => sleep(IDLE_MS),
  'spillway stream': (spillway) => stored(spillway, logStream(bytes)),
  'writeSync stream': async () => {
    const fd = openSync(join(folder, 'stream.txt'), 'w');
    for await (const chunk of logStream(bytes)) writeSync(fd, chunk);
    fsyncSync(fd);
    closeSync(fd);
  },
  'async stream': async () => {
    const handle = await open(join(folder, 'stream.txt'), 'w');
    for await (const chunk of logStream(bytes)) await handle.write(chunk);
    await handle.sync();
    await handle.close();
  },
  'spillway results': (spillway) => eachResult((text) => stored(spillway, text)),
  'writeSync results': () =>
    eachResult((text, i) => {
      const fd = openSync(join(folder, `${i}.txt`), 'w');
      writeSync(fd, text);
      fsyncSync(fd);
      closeSync(fd);
    }),
  'async results': () => eachResult((text, i) => writeFile(join(folder, `${i}.txt`), text, { flush: true })),
};

const { Spillway } = before ? await coreBefore() : core;
const { sqliteStore } = before ? await coreBefore('stores/sqlite/index.js') : sqlite;
const spillway = new Spillway({ store: sqliteStore({ file: join(folder, file), thread }) });
// Whatever happens only once is not what is asked about.
await stored(spillway, 'first');
for await (const _ of logStream(1));
const texts = job.endsWith('results') ? distinctResults(count, chars, 7) : [];

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const startedAt = performance.now();
await jobs[job](spillway);
const ms = performance.now() - startedAt;
delay.disable();
await spillway.close();
const inMs = (nanoseconds) => nanoseconds / 1e6;
console.log(
  JSON.stringify({
    ms,
    p50: inMs(delay.percentile(50)),
    p99: inMs(delay.percentile(99)),
    max: inMs(delay.max),
  }),
);

async function stored(spillway, text) {
  const answer = await spillway.process(CALL, { kind: 'text', text });
  if ((await spillway.sealed(answer)) === null) throw new Error('the output was not stored');
}

/** Ten at the same time, each in a turn of the event loop of its own. */
async function eachResult(store) {
  const waiting = texts.entries();
  const work = async () => {
    for (const [i, text] of waiting) {
      await new Promise(setImmediate);
      await store(text, i);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}
