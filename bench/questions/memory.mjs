// What does a long output cost in memory, and what does it cost to look into it later?
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { askChild } from '../child.mjs';
import { goalTable } from '../goals.mjs';
import { logStream } from '../inputs.mjs';
import { deepagentsReader } from '../peers/deepagents.mjs';
import { inTurns, summary } from '../repeat.mjs';
import { digits, spread, times } from '../report.mjs';
import { discard, scratchFolder } from '../scratch.mjs';

export const question =
  'How much memory does it take to capture a long stream, and how long to fetch 100 lines of it later?';

export const notes = [
  'Every capture runs in a process of its own; Spillway with a heap of at most 64 MB, through head_tail into SQLite.',
  '`the stream alone` makes the same stream and keeps nothing; the faster a process drops chunks, the more of them wait to be collected.',
  'Fetching: through `retrieve`, as the tool get_artifact does (the ledger is written to as well); beside it, the same lines from a plain file.',
];

const HEAP = ['--max-old-space-size=64'];
const MB = 1e6;
const LINES = 100;
const PAGE_BYTES = 16_000;
const FEW_ROUNDS = 5;

export async function run({ smoke }) {
  const sizes = smoke ? [5, 20] : [50, 500, 1_000];
  const rounds = smoke ? 1 : 3;
  const tables = [];
  for (const megabytes of sizes) tables.push(await capturing(megabytes, rounds));
  for (const [megabytes, repetitions] of smoke
    ? [
        [1, 5],
        [20, 2],
      ]
    : [
        [1, 51],
        [1_000, 9],
      ])
    tables.push(await fetching(megabytes, repetitions));
  return [...tables, goalTable(rangeGoals(tables.at(-2), tables.at(-1)))];
}

function rangeGoals(small, large) {
  return Object.keys(POSITIONS).map((position) => {
    const ms = ({ rows }) => rows[0][position].median;
    const ratio = ms(large) / ms(small);
    const name = `100 lines at the ${position}: the largest ÷ 1 MB`;
    return { name, ratio, atMost: 1.5, limit: 'finding the checkpoint: an index of pieces by line' };
  });
}

async function capturing(megabytes, rounds) {
  const ways = [
    { name: 'the stream alone, heap 64 MB', how: 'none', flags: HEAP },
    { name: 'spillway sqlite, heap 64 MB', how: 'spillway', flags: HEAP },
    { name: 'one string, heap 64 MB', how: 'string', flags: HEAP },
    { name: 'one string, heap as Node has it', how: 'string', flags: [] },
  ];
  const seen = ways.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, { how, flags }] of ways.entries()) {
      const folder = scratchFolder();
      const file = join(folder, 'store.db');
      seen[i].push(await askChild('capture', { how, bytes: megabytes * MB, file }, flags));
      discard(folder);
    }
  }
  return {
    title: `capturing ${megabytes} MB`,
    columns: [
      ['', 'name'],
      ['peak RSS, MB (min–max)', 'rss', spread],
      ['RSS ÷ stream alone', 'ofAlone', times],
      ['peak heap, MB', 'heap', digits],
      ['MB/s', 'rate', digits],
      ['', 'died'],
    ],
    rows: ways.map(({ name }, i) => rowOf(name, seen[i], seen[0], megabytes)),
  };
}

function rowOf(name, answers, alone, megabytes) {
  const died = answers.find((answer) => answer.died !== undefined)?.died;
  if (died !== undefined) return { name, died };
  const overRounds = (from, key) => summary(from.map((answer) => answer[key] / MB));
  const rss = overRounds(answers, 'rss');
  return {
    name,
    rss,
    ofAlone: rss.median / overRounds(alone, 'rss').median,
    heap: overRounds(answers, 'heap').median,
    rate: megabytes / (summary(answers.map(({ ms }) => ms)).median / 1000),
    died: '',
  };
}

const POSITIONS = { start: 0, middle: 0.5, end: 1 };
const LIMIT_NAME = 'limit: plain file, offset known';

async function fetching(megabytes, rounds) {
  const artifact = await makeArtifact(megabytes);
  const ways = fetchers(artifact);
  const measured = {};
  for (const [position, share] of Object.entries(POSITIONS)) {
    const firstLine = 1 + Math.floor((artifact.lines - LINES) * share);
    const contenders = ways.map(({ name, fetch }) => ({ name, run: () => fetch(firstLine) }));
    measured[position] = await inTurns(contenders, { rounds, tidy: rounds > FEW_ROUNDS });
  }
  await artifact.spillway.close();
  discard(artifact.folder);
  const median = (position, i) => measured[position][i].ms.median;
  const limit = ways.findIndex(({ name }) => name === LIMIT_NAME);
  return {
    title: `fetching ${LINES} lines of ${megabytes} MB`,
    columns: [
      ['', 'name'],
      ...Object.keys(POSITIONS).map((position) => [`${position}, ms (min–max)`, position, spread]),
      ['at the end ÷ limit', 'ofLimit', times],
    ],
    rows: ways.map(({ name }, i) => ({
      name,
      ...Object.fromEntries(Object.keys(POSITIONS).map((position) => [position, measured[position][i].ms])),
      ofLimit: median('end', i) / median('end', limit),
    })),
  };
}

/** The same stream in a store and in a plain file. */
async function makeArtifact(megabytes) {
  const folder = scratchFolder();
  const file = join(folder, 'store.db');
  const bytes = megabytes * MB;
  const { id, lines, died } = await askChild('capture', { how: 'spillway', bytes, file });
  if (died !== undefined) throw new Error(`capture: ${died}`);
  const plain = await open(join(folder, 'plain.txt'), 'w');
  for await (const chunk of logStream(bytes)) await plain.write(chunk);
  await plain.close();
  const spillway = new Spillway({ store: sqliteStore({ file }) });
  return { folder, plain: join(folder, 'plain.txt'), bytes, id, lines, spillway };
}

function fetchers({ folder, plain, bytes, lines, id, spillway }) {
  const read = deepagentsReader(folder);
  return [
    {
      name: 'spillway retrieve',
      fetch: async (firstLine) => {
        const range = { start_line: firstLine, end_line: firstLine + LINES - 1 };
        const page = await spillway.retrieve({ artifact_id: id, ...range }, 'bench');
        if (page.body.split('\n').length < LINES) throw new Error('that is not what was asked for');
      },
    },
    { name: 'plain file, counting line ends', fetch: (firstLine) => scan(plain, firstLine) },
    // It reads the whole file into one string, which cannot be longer than 512 MB.
    ...(bytes < 500 * MB
      ? [{ name: 'deepagents read, plain file', fetch: (firstLine) => read('/plain.txt', firstLine, LINES) }]
      : []),
    {
      name: LIMIT_NAME,
      fetch: async (firstLine) => {
        const offset = Math.min(Math.floor(((firstLine - 1) / lines) * bytes), bytes - PAGE_BYTES);
        const handle = await open(plain);
        await handle.read(Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, offset);
        await handle.close();
      },
    },
  ];
}

/** Without an index somebody has to count. */
async function scan(file, firstLine) {
  let line = 1;
  const kept = [];
  for await (const chunk of createReadStream(file)) {
    let at = 0;
    for (let end = chunk.indexOf(10); end !== -1 && line < firstLine; end = chunk.indexOf(10, at)) {
      line++;
      at = end + 1;
    }
    if (line < firstLine) continue;
    kept.push(chunk.subarray(at));
    if (Buffer.concat(kept).toString().split('\n').length > LINES) break;
  }
  return Buffer.concat(kept).toString().split('\n').slice(0, LINES).join('\n');
}
