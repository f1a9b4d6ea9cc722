// How fast is something stored so that it survives?
import { mkdirSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { coreBefore, hasBefore } from '../before.mjs';
import { goalTable } from '../goals.mjs';
import { distinctResults, logStream } from '../inputs.mjs';
import { chefInFiles } from '../peers/context-chef.mjs';
import { deepagentsInFiles } from '../peers/deepagents.mjs';
import { inTurns, percentile, summary } from '../repeat.mjs';
import { digits, spread, times, whole } from '../report.mjs';
import { discard, scratchFolder } from '../scratch.mjs';

export const question = 'How many results of 20 KB are stored in a second, and how long does each wait?';

export const notes = [
  'Spillway: from the text to the answer, which is given once the output is sealed in SQLite (`power`: flushed to the disk; `process`: not; own thread: `thread: true`).',
  'Results that arrive at the same time share a commit and its flush; a file each means a flush each.',
  'To survive a loss of power, a new file needs its folder flushed as well: that row is the durable file that the others are compared to.',
  'context-chef and deepagents write a file a result and flush nothing; context-chef blocks the event loop while it writes.',
];

const LIMIT = 8_000;
const RESULT_CHARS = 20_000;
const DURABLE_NAME = 'file + fsync of file and folder';

export async function run({ smoke }) {
  const tables = [];
  for (const parallel of [1, 10, 50]) {
    // Not more: some file systems get slow when thousands of new files wait to be written, which is
    // not what is asked here.
    tables.push(await results(parallel, smoke ? 50 : 200, smoke ? 1 : 11));
  }
  tables.push(await stream(smoke ? 8 : 64, smoke ? 1 : 7));
  return [...tables, goalTable(goals(tables))];
}

function goals([single, , fifty, streamed]) {
  const ratio = ({ rows }) => rows.find(({ name }) => name === 'spillway sqlite, power').ofDurable;
  const limit = 'the projection; a transaction of some thirty pages that is flushed';
  return [
    { name: 'results of 20 KB, one at a time ÷ durable file', ratio: ratio(single), atLeast: 0.8, limit },
    {
      name: 'results of 20 KB, 50 at the same time ÷ durable file',
      ratio: ratio(fifty),
      atLeast: 1.5,
      limit,
    },
    {
      name: 'a stream ÷ file + fsync',
      ratio: ratio(streamed),
      atLeast: 0.5,
      limit: 'looking at each line; without that, rows for each piece',
    },
  ];
}

async function results(parallel, count, rounds) {
  const waits = new Map();
  let seed = 100;
  const contenders = [
    ['spillway sqlite, power', spillway({ durability: 'power' })],
    ['spillway sqlite, power, own thread', spillway({ durability: 'power', thread: true })],
    ['spillway sqlite, process', spillway({ durability: 'process' })],
    ...(await before()),
    [DURABLE_NAME, filesWith(durableFile)],
    ['file + fsync of the file', filesWith((file, text) => writeFile(file, text, { flush: true }))],
    ['file, not flushed', filesWith(writeFile)],
    ['context-chef Offloader, files', chef],
    ['deepagents eviction, files', deepagents],
  ].map(([name, open]) => ({
    name,
    prepare: async () => {
      const folder = scratchFolder();
      return { folder, ...(await open(folder)), texts: distinctResults(count, RESULT_CHARS, seed++) };
    },
    run: async ({ store, texts }) => {
      waits.set(name, [...(waits.get(name) ?? []), ...(await storeAll(texts, parallel, store))]);
    },
    finish: closeAndDiscard,
  }));
  const measured = await inTurns(contenders, { rounds, warmUp: rounds > 1 ? 1 : 0, tidy: rounds > 1 });
  const durable = measured.find(({ name }) => name === DURABLE_NAME).ms.median;
  return {
    title: `${count} results of 20 KB, ${parallel === 1 ? 'one at a time' : `${parallel} at the same time`}`,
    columns: [
      ['', 'name'],
      ['results/s (min–max)', 'perSecond', spread],
      ['rate ÷ durable file', 'ofDurable', times],
      ['ms each, p50', 'p50', digits],
      ['p99', 'p99', digits],
    ],
    rows: measured.map(({ name, ms }) => {
      const sorted = waits.get(name).sort((a, b) => a - b);
      return {
        name,
        perSecond: perSecond(ms, count),
        ofDurable: durable / ms.median,
        p50: percentile(sorted, 50),
        p99: percentile(sorted, 99),
      };
    }),
  };
}

/** Keeps `parallel` under way; gives the milliseconds each took. */
async function storeAll(texts, parallel, store) {
  const waits = [];
  const waiting = texts.entries();
  const work = async () => {
    for (const [i, text] of waiting) {
      const startedAt = performance.now();
      await store(text, i);
      waits.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return waits;
}

const CALL = { tool: 'run', session: 'bench', scope: 'bench' };

/** The same by the packages of SPILLWAY_BENCH_BEFORE. */
async function before() {
  if (!hasBefore) return [];
  const library = { ...(await coreBefore()), ...(await coreBefore('stores/sqlite/index.js')) };
  return [['before: spillway sqlite, power', spillway({ durability: 'power' }, library)]];
}

function spillway(options, library = { Spillway, sqliteStore }) {
  return async (folder) => {
    const store = library.sqliteStore({ file: join(folder, 'store.db'), ...options });
    const spillway = new library.Spillway({ store });
    const take = async (text) => {
      const answer = await spillway.process(CALL, { kind: 'text', text }, { policy: { inlineLimit: LIMIT } });
      if ((await spillway.sealed(answer)) === null) throw new Error('the output was not stored');
    };
    // The file and its tables are made with the first.
    await take('first');
    return { store: take, close: () => spillway.close() };
  };
}

async function closeAndDiscard({ close, folder }) {
  await close?.();
  discard(folder);
}

function filesWith(write) {
  return (folder) => ({ store: (text, i) => write(join(folder, `${i}.txt`), text) });
}

async function durableFile(file, text) {
  await writeFile(file, text, { flush: true });
  const folder = await open(join(file, '..'));
  await folder.sync();
  await folder.close();
}

function chef(folder) {
  return { store: chefInFiles(folder, LIMIT) };
}

function deepagents(folder) {
  mkdirSync(join(folder, 'large_tool_results'));
  return { store: deepagentsInFiles(folder, LIMIT) };
}

async function stream(megabytes, rounds) {
  const bytes = megabytes * 1e6;
  const capture = ({ store }) => store(logStream(bytes));
  const into = (name, open, pour) => ({
    name,
    prepare: async () => {
      const folder = scratchFolder();
      return { folder, ...(await open(folder)) };
    },
    run: pour,
    finish: closeAndDiscard,
  });
  const contenders = [
    into('spillway sqlite, power', spillway({ durability: 'power' }), capture),
    into('spillway sqlite, power, own thread', spillway({ durability: 'power', thread: true }), capture),
    into('spillway sqlite, process', spillway({ durability: 'process' }), capture),
    ...(await before()).map(([name, open]) => into(name, open, capture)),
    into('file + fsync', noStore, ({ folder }) => pour(folder, bytes, 'flush')),
    into('file, not flushed', noStore, ({ folder }) => pour(folder, bytes, 'no flush')),
    into('the stream itself, kept nowhere', noStore, async () => {
      for await (const _ of logStream(bytes));
    }),
  ];
  const measured = await inTurns(contenders, { rounds, warmUp: rounds > 1 ? 1 : 0, tidy: rounds > 1 });
  const durable = measured.find(({ name }) => name === 'file + fsync').ms.median;
  return {
    title: `one stream of ${whole(megabytes)} MB in chunks of 64 KB`,
    columns: [
      ['', 'name'],
      ['MB/s (min–max)', 'rate', spread],
      ['rate ÷ file + fsync', 'ofDurable', times],
    ],
    rows: measured.map(({ name, ms }) => ({
      name,
      rate: perSecond(ms, megabytes),
      ofDurable: durable / ms.median,
    })),
  };
}

const noStore = () => ({});

async function pour(folder, bytes, flush) {
  const handle = await open(join(folder, 'stream.txt'), 'w');
  for await (const chunk of logStream(bytes)) await handle.write(chunk);
  if (flush === 'flush') await handle.sync();
  await handle.close();
}

function perSecond(ms, amount) {
  return summary([ms.min, ms.median, ms.max].map((taken) => (amount * 1000) / taken));
}
