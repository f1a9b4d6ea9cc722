/**
 * Tenants on one server, kept apart by row-level security under a role each: also where everything
 * else that tells them apart is the same, and for whoever speaks SQL to the server directly.
 */
import type { Store } from '@spillway/core';
import { historyContract, storeOutput, textOf, upkeepContract } from '@spillway/core/testing';
import pg from 'pg';
import { postgresStore } from 'spillway/store/postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { migrateServer } from '../../src/stores/postgres/migrating.ts';
import { freshWorkspace, handleOf, numberedLines, parsed, type Workspace } from '../program.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';

const programs = postgresPrograms();
if (programs === undefined) console.warn('SKIPPED: no PostgreSQL server is installed.');

let server: PostgresServer;
let schemas = 0;
const opened: Store[] = [];

const addressOf = (role: string) => server.connectionString.replace('user=postgres', `user=${role}`);

/** As a tenant sees it; tables are made and kept apart by the role that owns them. */
async function open(role: string, schema: string, limits = {}): Promise<Store> {
  await migrateServer({ connectionString: server.connectionString, schema }, ['ours', 'theirs']);
  const store = postgresStore({ connectionString: addressOf(role), schema, limits });
  opened.push(store);
  return store;
}

async function ask(role: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: addressOf(role) });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe.skipIf(programs === undefined)('tenants with a role each', () => {
  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
    await ask('postgres', 'CREATE ROLE ours LOGIN');
    await ask('postgres', 'CREATE ROLE theirs LOGIN');
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(() => server?.stop());

  for (const { name, run } of [...historyContract, ...upkeepContract])
    test(name, () => run(({ limits = {} } = {}) => open('ours', `tenant "${++schemas}"`, limits)));

  test('see their own outputs only, though workspace, session, call and content are the same', async () => {
    const [ours, theirs] = [await open('ours', 'same'), await open('theirs', 'same')];
    const sample = { callId: 'c', parts: ['the same text'], session: 's' };
    const mine = await storeOutput(ours, sample);
    const other = await storeOutput(theirs, sample);
    expect([mine.existing, other.existing]).toEqual([false, false]);
    expect(mine.record.id).not.toBe(other.record.id);
    expect(await theirs.find({ scope: 'scope-1', id: mine.record.id })).toBeUndefined();
    await expect(textOf(theirs, mine.record.id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await theirs.list({ scope: 'scope-1', show: 'all' })).items).toEqual([other.record]);
    expect(await theirs.usage()).toEqual(await ours.usage());
    expect(await theirs.usage()).toMatchObject({ outputs: 1, bytes: 13, sessions: 1 });
    await ours.retire({ how: 'purge', scope: 'scope-1', at: 9 });
    expect(await textOf(theirs, other.record.id)).toBe('the same text');
    expect(await ours.usage()).toMatchObject({ outputs: 0, bytes: 0 });
  });

  test('have a limit each: what one stores leaves the room of the other', async () => {
    const limits = { maxBytes: 100_000 };
    const [ours, theirs] = [await open('ours', 'limited', limits), await open('theirs', 'limited', limits)];
    await storeOutput(ours, { parts: ['x'.repeat(90_000)] });
    const { record } = await storeOutput(theirs, { parts: ['x'.repeat(90_000)] });
    await expect(storeOutput(theirs, { parts: ['y'.repeat(20_000)] })).rejects.toMatchObject({
      code: 'store_full',
    });
    expect((await textOf(theirs, record.id)).length).toBe(90_000);
  });

  test('reach nothing of each other by SQL', async () => {
    await storeOutput(await open('ours', 'sql'), { parts: ['a secret'], shown: 'a secret' });
    const tables = await ask(
      'postgres',
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'sql' AND tablename <> 'meta'",
    );
    expect(tables.length).toBeGreaterThanOrEqual(10);
    for (const { name } of tables) {
      expect(await ask('theirs', `SELECT * FROM sql.${name}`), `${name}`).toEqual([]);
      await expect(ask('theirs', `SET row_security = off; SELECT * FROM sql.${name}`)).rejects.toThrow();
      await expect(ask('theirs', `ALTER TABLE sql.${name} DISABLE ROW LEVEL SECURITY`)).rejects.toThrow();
    }
    const asOurs = "INSERT INTO sql.counter (shard, kept, open, tenant) VALUES (1, 1, 1, 'ours')";
    await expect(ask('theirs', asOurs)).rejects.toMatchObject({ code: '42501' });
    await expect(ask('theirs', "DELETE FROM sql.meta WHERE name = 'tenants'")).rejects.toMatchObject({
      code: '42501',
    });
    // A reference to content of another is refused as one to content that does not exist.
    const [content] = await ask('postgres', 'SELECT id FROM sql.content');
    const steal = `INSERT INTO sql.part (output, idx, content) VALUES (1, 0, ${content?.id})`;
    await expect(ask('theirs', steal)).rejects.toMatchObject({ code: '23503' });
  });

  test('are made by the program, and see nothing of each other in any of its answers', async () => {
    const admin = await freshWorkspace({
      SPILLWAY_STORE: server.connectionString,
      SPILLWAY_WORKSPACE: 'app',
    });
    const made = await admin.run(['store', 'migrate', '--tenants', 'ours,theirs']);
    expect(made.stdout).toContain('Tenants kept apart: ours, theirs.');
    const of = (role: string): Promise<Workspace> =>
      freshWorkspace({ SPILLWAY_STORE: addressOf(role), SPILLWAY_WORKSPACE: 'app' });
    const [ours, theirs] = [await of('ours'), await of('theirs')];
    const id = handleOf(await ours.truncate(numberedLines(5_000, 'secret')));
    expect(await ours.ids('--all')).toEqual([id]);
    expect(await theirs.ids('--all')).toEqual([]);
    const asked = [
      ['stats', '--json'],
      ['sessions', 'list', '--json'],
      ['artifacts', 'search', 'secret'],
      ['store', 'verify', '--json'],
      ['doctor'],
    ];
    for (const args of asked) {
      const { stdout, stderr } = await theirs.run(args);
      expect(`${stdout}${stderr}`).not.toMatch(/secret 1|art_\d+_/);
    }
    expect((await theirs.run(['doctor'])).stdout).toMatch(/0 outputs with 0 bytes, 0 sessions, 0 events/);
    expect((await ours.run(['doctor'])).stdout).toContain('belongs to the tenant ours');
    expect(parsed(await ours.run(['store', 'verify', '--json']))).toMatchObject({ read: 1, damaged: [] });
  });
});
