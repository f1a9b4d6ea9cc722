/**
 * The PostgreSQL store behind pgbouncer in transaction mode, where nothing may be kept on a
 * connection between two transactions: no prepared statement, no lock, no setting. Without server
 * or pgbouncer everything here is skipped, and says so.
 */
import type { Store } from '@spillway/core';
import { historyContract, storeOutput, textOf, upkeepContract } from '@spillway/core/testing';
import pg from 'pg';
import { type PostgresStoreOptions, postgresStore } from 'spillway/store/postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openSpillway } from '../../../core/test/opening.ts';
import { textOf as textIn, through } from '../gateway/peer.ts';
import { freshWorkspace, handleOf, numberedLines, parsed } from '../program.ts';
import { type Pgbouncer, pgbouncerProgram, SERVER_CONNECTIONS, startPgbouncer } from './pgbouncer.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';

const programs = postgresPrograms();
const program = pgbouncerProgram();
const isMissing = programs === undefined || program === undefined;
if (isMissing)
  console.warn(
    'SKIPPED: nothing was tested behind pgbouncer. Install both (apt-get install postgresql pgbouncer) and run this file again.',
  );

let server: PostgresServer;
let bouncer: Pgbouncer;
let schemas = 0;
const opened: Store[] = [];

function open(options: Partial<PostgresStoreOptions> = {}): Store {
  const { connectionString } = bouncer;
  const store = postgresStore({ connectionString, schema: `behind ${++schemas}`, ...options });
  opened.push(store);
  return store;
}

describe.skipIf(isMissing)('a store behind pgbouncer in transaction mode', () => {
  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
    bouncer = await startPgbouncer(program ?? '', server);
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(async () => {
    await bouncer?.stop();
    await server?.stop();
  });

  for (const { name, run } of [...historyContract, ...upkeepContract])
    test(name, () => run(async (options) => open(options)));

  test('serves more clients at once than the server has connections for them, and loses nothing of any', async () => {
    const stores = Array.from({ length: 6 }, () => open({ schema: 'many' }));
    const parts = ['small\n', 'x'.repeat(100_000), `${'a large one\n'.repeat(120_000)}`];
    const sealed = await Promise.all(
      stores.flatMap((store, client) =>
        parts.map((part, i) =>
          storeOutput(store, { session: `s${client % 2}`, parts: [`${client} ${i} ${part}`] }),
        ),
      ),
    );
    const admin = new pg.Client({ connectionString: server.connectionString });
    await admin.connect();
    const { rows } = await admin.query(
      "SELECT count(*)::int AS used FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    expect(rows[0].used).toBeGreaterThan(0);
    expect(rows[0].used).toBeLessThanOrEqual(SERVER_CONNECTIONS);
    const { rows: locks } = await admin.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'");
    expect(locks).toEqual([]);
    await admin.end();
    const reader = open({ schema: 'many' });
    for (const [i, { record }] of sealed.entries())
      expect(await textOf(reader, record.id)).toBe(`${Math.floor(i / 3)} ${i % 3} ${parts[i % 3]}`);
  });

  test('answers every call while connections of the server are ended, and goes on afterwards', async () => {
    const spillway = openSpillway({ store: open({ schema: 'cut off' }) });
    const call = { tool: 't', session: 's', scope: 'p' };
    const admin = new pg.Client({ connectionString: server.connectionString });
    await admin.connect();
    const answers: ReturnType<typeof spillway.process>[] = [];
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i < 4; i++)
        answers.push(spillway.process(call, { kind: 'text', text: `${round} ${i}\n`.repeat(3_000) }));
      await admin.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = $1',
        ['client backend'],
      );
    }
    await admin.end();
    for (const { projection } of await Promise.all(answers))
      expect(projection.text).toMatch(/art_\d+_|not stored/);
    const after = await spillway.process(call, { kind: 'text', text: 'after' });
    expect(await spillway.sealed(after)).not.toBeNull();
  });

  test('is used by the program, its gateway and doctor as a server is', async () => {
    const env = { SPILLWAY_STORE: bouncer.connectionString, SPILLWAY_WORKSPACE: 'behind' };
    const workspace = await freshWorkspace(env);
    const text = numberedLines(20_000);
    const id = handleOf(await workspace.truncate(text));
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(text);
    const gateway = through(workspace.root, [], [], env);
    await gateway.initialize();
    const page = textIn(await gateway.call('get_artifact', { artifact_id: id, lines: '1' }));
    expect(page).toContain(text.split('\n')[0]);
    expect(textIn(await gateway.call('emit', { chars: 9_000 }))).toMatch(/art_\d+_\w+/);
    expect((await workspace.ids('--all')).length).toBe(2);
    expect(parsed(await workspace.run(['store', 'verify', '--json']))).toMatchObject({ damaged: [] });
    expect((await workspace.run(['stats', '--json'])).code).toBe(0);
    expect((await workspace.run(['doctor'])).stdout).toContain('PostgreSQL');
  });
});
