// Stores results of many sessions at the same time, by a store of a checkout or by plain inserts.
// Prints { perSecond, p50, p99, delay }: results a second, and milliseconds.
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { distinctResults } from '../inputs.mjs';

const { kind, root, folder, url, schema, sessions, results, sizes } = JSON.parse(process.argv[2]);
process.env.NODE_ENV = 'production';
const texts = sizes.map((chars, i) =>
  distinctResults(Math.ceil((sessions * results) / sizes.length), chars, i + 1),
);
const textOf = (session, i) => {
  const number = session * results + i;
  return texts[number % sizes.length][Math.floor(number / sizes.length)];
};
const { store, close } = await { raw, store: storeAlone, spillway: ours }[kind]();
await store(0, 0, 'the first is not counted');
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const steps = [];
const startedAt = performance.now();
await Promise.all(
  Array.from({ length: sessions }, async (_, session) => {
    for (let i = 0; i < results; i++) {
      const at = performance.now();
      await store(session, i, textOf(session, i));
      steps.push(performance.now() - at);
    }
  }),
);
const seconds = (performance.now() - startedAt) / 1000;
steps.sort((a, b) => a - b);
const share = (part) => steps[Math.floor(part * (steps.length - 1))];
const bytes = Array.from(
  { length: sessions * results },
  (_, n) => textOf(Math.floor(n / results), n % results).length,
);
console.log(
  JSON.stringify({
    perSecond: steps.length / seconds,
    megabytes: bytes.reduce((sum, one) => sum + one, 0) / 1e6 / seconds,
    p50: share(0.5),
    p99: share(0.99),
    delay: delay.percentile(99) / 1e6,
  }),
);
await close();

/** The same bytes at the same durability: one row and one commit a result, pieces of 64 KB. */
async function raw() {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await pool.query(`CREATE SCHEMA "${schema}"`);
  await pool.query(
    `CREATE TABLE "${schema}".result (id text, position int, data bytea, PRIMARY KEY (id, position))`,
  );
  return {
    async store(session, i, text) {
      const bytes = Buffer.from(text);
      const values = [`${session}.${i}`];
      for (let at = 0; at < bytes.length; at += 65_536) values.push(bytes.subarray(at, at + 65_536));
      const rows = values.slice(1).map((_, position) => `($1, ${position}, $${position + 2})`);
      await pool.query(
        `INSERT INTO "${schema}".result VALUES ${rows.join(', ')} ON CONFLICT DO NOTHING`,
        values,
      );
    },
    close: () => pool.end(),
  };
}

/** What the store itself does: pieces, hash, record, session, projection and ledger, ready-made. */
async function storeAlone() {
  const load = (path) => import(pathToFileURL(join(root, path)).href);
  const { storeOutput } = await load('packages/core/dist/testing/index.js');
  const { postgresStore } = await load('packages/spillway/dist/stores/postgres/index.js');
  const store = postgresStore({ connectionString: url, schema });
  return {
    store: (session, i, text) =>
      storeOutput(store, {
        session: `s${session}`,
        callId: `c${session}.${i}.${text.length}`,
        parts: [text],
        shown: text.slice(0, 8_000),
        events: [{ type: 'captured', at: 1, scope: 'scope-1' }],
      }),
    close: () => store.close(),
  };
}

async function ours() {
  const load = (path) => import(pathToFileURL(join(root, path)).href);
  const { Spillway } = await load('packages/core/dist/index.js');
  const { sqliteStore } = await load('packages/core/dist/stores/sqlite/index.js');
  const { postgresStore } = await load('packages/spillway/dist/stores/postgres/index.js');
  const store =
    url === null
      ? sqliteStore({ file: join(folder, 'store.db') })
      : postgresStore({ connectionString: url, schema });
  const spillway = new Spillway({ store });
  return {
    async store(session, i, text) {
      const call = {
        tool: 'build',
        session: `s${session}`,
        scope: 'team',
        callId: `c${session}.${i}.${text.length}`,
      };
      await spillway.sealed(
        await spillway.process(call, { kind: 'text', text }, { policy: { strategy: 'head_tail' } }),
      );
    },
    close: () => spillway.close(),
  };
}
