// How many results of many sessions does a shared store take, beside plain inserts of the same
// bytes? And what do single steps take with few and with many outputs in it?
import { fileURLToPath } from 'node:url';
import { postgresPrograms, startPostgres } from '../../packages/spillway/test/postgres/postgres-server.ts';
import { askChild } from '../child.mjs';
import { summary } from '../repeat.mjs';
import { digits, times } from '../report.mjs';
import { discard, scratchFolder } from '../scratch.mjs';

export const question =
  'How many results a second does a PostgreSQL store take from 50 sessions at once, beside plain inserts of the same bytes at the same durability? Does a step take longer when more is stored?';

export const notes = [
  'Results of 2, 12, 40 and 300 KB in turn, stored, projected and answered; one process, ten connections, fsync on.',
  'The limit is one INSERT of the same bytes in pieces of 64 KB and one commit a result: no hash, no record, no session, no ledger.',
  'The store alone is given everything ready-made: no format is looked for and nothing is chosen to be shown.',
  'Steps with few and with many outputs are measured in turns; the store is filled by SQL. SPILLWAY_FLAT_OUTPUTS is the larger number (100,000).',
  'SPILLWAY_BEFORE names the checkout of another state, built, which is then asked in the same run.',
];

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SIZES = [2_000, 12_000, 40_000, 300_000];

export async function run({ smoke }) {
  const programs = postgresPrograms();
  if (programs === undefined) return [];
  const server = await startPostgres(programs, []);
  try {
    return [await throughput(server, smoke), await flatness(server, smoke)];
  } finally {
    await server.stop();
  }
}

async function throughput(server, smoke) {
  const amount = smoke ? { sessions: 4, results: 2 } : { sessions: 50, results: 12 };
  const contenders = contendersOf(process.env.SPILLWAY_BEFORE);
  const seen = contenders.map(() => []);
  for (let round = 0; round < (smoke ? 1 : 3); round++)
    for (const [i, { kind, on, root }] of contenders.entries()) {
      const folder = scratchFolder();
      const url = on === 'postgres' ? server.connectionString : null;
      const asked = { kind, root, folder, url, schema: `r${round}_${i}`, sizes: SIZES, ...amount };
      seen[i].push(await answerOf('shared', asked));
      discard(folder);
    }
  const middle = (answers, key) => summary(answers.map((answer) => answer[key])).median;
  const limit = middle(seen[0], 'perSecond');
  return {
    title: `${amount.sessions} sessions, ${amount.results} results each`,
    columns: [
      ['', 'name'],
      ['results/s', 'perSecond', digits],
      ['of the limit', 'ofLimit', times],
      ['MB/s', 'megabytes', digits],
      ['p50, ms', 'p50', digits],
      ['p99, ms', 'p99', digits],
      ['event loop p99, ms', 'delay', digits],
    ],
    rows: contenders.map(({ name }, i) => ({
      name,
      ...Object.fromEntries(
        ['perSecond', 'megabytes', 'p50', 'p99', 'delay'].map((key) => [key, middle(seen[i], key)]),
      ),
      ofLimit: middle(seen[i], 'perSecond') / limit,
    })),
  };
}

function contendersOf(before) {
  const ours = { kind: 'spillway', on: 'postgres' };
  return [
    { name: 'limit: plain inserts', kind: 'raw', on: 'postgres' },
    { name: 'the store alone, PostgreSQL', kind: 'store', on: 'postgres', root: ROOT },
    { name: 'spillway, PostgreSQL', ...ours, root: ROOT },
    ...(before === undefined ? [] : [{ name: 'before, PostgreSQL', ...ours, root: before }]),
    { name: 'spillway, SQLite', kind: 'spillway', on: 'sqlite', root: ROOT },
  ];
}

async function flatness(server, smoke) {
  const many = smoke ? 1_000 : Number(process.env.SPILLWAY_FLAT_OUTPUTS ?? 100_000);
  const sizes = [smoke ? 100 : 1_000, many];
  const asked = { url: server.connectionString, root: ROOT, sizes, rounds: smoke ? 5 : 300 };
  const medians = await answerOf('shared-flat', asked);
  const [few, more] = sizes.map((size) => size.toLocaleString('en-US'));
  return {
    title: `One step with ${few} and with ${more} outputs stored, median`,
    columns: [
      ['', 'name'],
      [`${few}, ms`, 'few', digits],
      [`${more}, ms`, 'more', digits],
      ['grows', 'ratio', times],
    ],
    rows: Object.entries(medians).map(([name, [few, more]]) => ({ name, few, more, ratio: more / few })),
  };
}

async function answerOf(child, asked) {
  const answer = await askChild(child, asked);
  if (answer.died !== undefined) throw new Error(`${child}: ${answer.died}`);
  return answer;
}
