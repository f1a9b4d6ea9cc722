// Takes in one stream and prints { ms, rss, heap, id? }: peaks in bytes.
import { StringDecoder } from 'node:string_decoder';
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { peakMb } from '../../scripts/campaign/memory.mjs';
import { logStream } from '../inputs.mjs';

const { how, bytes, file } = JSON.parse(process.argv[2]);
let heap = 0;
const look = () => {
  heap = Math.max(heap, process.memoryUsage().heapUsed);
};
const looking = setInterval(look, 5);
const startedAt = performance.now();

const ways = {
  /** Only makes the stream. */
  async none() {
    for await (const _ of logStream(bytes));
  },
  async spillway() {
    const spillway = new Spillway({ store: sqliteStore({ file }) });
    const call = { tool: 'run', session: 'bench', scope: 'bench' };
    const { projection } = await spillway.process(call, { kind: 'text', text: logStream(bytes) });
    const record = await spillway.sealed({ projection });
    await spillway.close();
    return { id: record.id, lines: record.parts[0].lines, chars: projection.text.length };
  },
  /** What is done where output is collected first and cut then, e.g. with `setEncoding('utf8')`. */
  async string() {
    const decoder = new StringDecoder('utf8');
    let text = '';
    for await (const chunk of logStream(bytes)) text += decoder.write(chunk);
    look();
    return { chars: (text.slice(0, 4_800) + text.slice(-3_200)).length };
  },
};

const result = await ways[how]();
look();
clearInterval(looking);
const rss = peakMb() * 1024 ** 2;
console.log(JSON.stringify({ ms: performance.now() - startedAt, rss, heap, ...result }));
