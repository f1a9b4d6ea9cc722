// What single steps of a shared store take with few and with many outputs in it, in turns. Stores
// are filled by SQL from one output that the store itself sealed. Prints { [step]: [ms …] }: the
// median for each size.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { randomFrom } from '../inputs.mjs';

const { url, root, sizes, rounds } = JSON.parse(process.argv[2]);
process.env.NODE_ENV = 'production';
const load = (path) => import(pathToFileURL(join(root, path)).href);
const { postgresStore } = await load('packages/spillway/dist/stores/postgres/index.js');
const { storeOutput } = await load('packages/core/dist/testing/index.js');
const random = randomFrom(7);
const pool = new pg.Pool({ connectionString: url });
const LARGE = 4_000_000;
const stores = [];
for (const size of sizes) stores.push(await filled(size));

const STEPS = {
  seal: ({ store }, i) =>
    storeOutput(store, {
      session: `s${i % 10}`,
      callId: `new ${i}`,
      parts: [`${i} ${'a line of a result\n'.repeat(600)}`],
      shown: 'shown',
    }),
  find: ({ store, idOf }) => store.find({ scope: 'scope-1', id: idOf(random()) }),
  range: async ({ store, large }) => {
    const { pieces } = await store.read(large, 0, { bytes: Math.floor(random() * LARGE) });
    for await (const piece of pieces) return piece;
  },
  list: ({ store }) => store.list({ scope: 'scope-1', show: 'all', limit: 50 }),
  'list, one session': ({ store }) =>
    store.list({ scope: 'scope-1', session: 'session-1', show: 'all', limit: 50 }),
};
const medians = {};
for (const [name, step] of Object.entries(STEPS)) {
  const taken = stores.map(() => []);
  for (let round = -10; round < rounds; round++)
    for (const [i, one] of stores.entries()) {
      const at = performance.now();
      await step(one, round);
      if (round >= 0) taken[i].push(performance.now() - at);
    }
  medians[name] = taken.map((ms) => ms.sort((a, b) => a - b)[Math.floor(ms.length / 2)]);
}
for (const { store } of stores) await store.close();
await pool.end();
console.log(JSON.stringify(medians));

async function filled(size) {
  const schema = `flat_${size}`;
  const store = postgresStore({ connectionString: url, schema });
  const { record } = await storeOutput(store, { callId: 'first', parts: ['a result\n'], shown: 'shown' });
  const { record: large } = await storeOutput(store, { parts: ['x'.repeat(LARGE)] });
  const { rows } = await pool.query(`SELECT seq FROM ${schema}.output WHERE id = $1`, [record.id]);
  const client = await pool.connect();
  await client.query(`SET search_path = ${schema}`);
  await client.query('ALTER TABLE content DISABLE TRIGGER USER');
  await client.query('BEGIN');
  await client.query(
    `CREATE TEMP TABLE fill ON COMMIT DROP AS SELECT i, 'art_1700000000_' || lpad(to_hex(i), 16, '0') AS id,
       sha256(int8send(i)) AS key, 0::bigint AS content, 0::bigint AS seq FROM generate_series(1, ${size}) AS i`,
  );
  for (const sql of filling(rows[0].seq)) await client.query(sql);
  await client.query('COMMIT');
  await client.query('ALTER TABLE content ENABLE TRIGGER USER');
  await client.query('VACUUM ANALYZE');
  await client.query('RESET search_path');
  client.release();
  const idOf = (share) => `art_1700000000_${(1 + Math.floor(share * size)).toString(16).padStart(16, '0')}`;
  return { store, large: large.id, idOf };
}

/** As many outputs, contents, projections, sessions and events as there are rows in `fill`. */
function filling(like) {
  return [
    `INSERT INTO content (hash, bytes, refs) SELECT encode(key, 'hex'), 200, 1 FROM fill ORDER BY i`,
    `UPDATE fill SET content = c.id FROM content c WHERE c.hash = encode(key, 'hex')`,
    `INSERT INTO piece (content, start_bytes, start_chars, start_breaks, bytes, crc, data)
       SELECT content, 0, 0, 0, 200, 0, decode(repeat('41', 200), 'hex') FROM fill`,
    `INSERT INTO output (id, scope, session, tool, call_id, version, fingerprint, status, ended_at, disclosed, record, model)
       SELECT f.id, o.scope, CASE WHEN f.i % 10 = 0 THEN o.session ELSE sha256(int8send(f.i / 20)) END, o.tool, f.key, 1,
         o.fingerprint, o.status, o.ended_at + f.i, true, replace(o.record, o.id, f.id), o.model FROM fill f, output o WHERE o.seq = ${like} ORDER BY f.i`,
    'UPDATE fill SET seq = o.seq FROM output o WHERE o.id = fill.id',
    'INSERT INTO part SELECT seq, 0, content FROM fill',
    `INSERT INTO session (scope, id, names, opened_at, seen_at) SELECT DISTINCT ON (o.session) o.scope, o.session, '{"id":"s","scope":"scope-1"}', 1, 1
       FROM output o ON CONFLICT DO NOTHING`,
    `INSERT INTO event (at, scope, type, record) SELECT f.i, o.scope, 'captured', '{"type":"captured","at":1,"scope":"scope-1"}'
       FROM fill f, output o, generate_series(1, 3) WHERE o.seq = ${like}`,
  ];
}
