/**
 * Tables of another version on a real server. Without a server installed everything here is
 * skipped, and says so.
 */
import { storeOutput, textOf } from '@spillway/core/testing';
import pg from 'pg';
import { postgresStore } from 'spillway/store/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';

const programs = postgresPrograms();
if (programs === undefined)
  console.warn('SKIPPED: versions of the PostgreSQL store were not tested, no server is installed.');

let server: PostgresServer;

const open = (schema: string) => postgresStore({ connectionString: server.connectionString, schema });

/** A store with one output, whose tables then say that they are of version 99. */
async function later(schema: string, oldest: number) {
  const store = open(schema);
  const { record } = await storeOutput(store, { parts: ['from the other version'] });
  await store.close();
  const client = new pg.Client({ connectionString: server.connectionString });
  await client.connect();
  await client.query(
    `UPDATE ${schema}.meta SET value = CASE name WHEN 'schema' THEN 99 ELSE ${oldest} END WHERE name IN ('schema', 'oldest')`,
  );
  await client.end();
  return record.id;
}

describe.skipIf(programs === undefined)('PostgreSQL tables of another version', () => {
  beforeAll(async () => {
    server = await startPostgres(programs as NonNullable<typeof programs>);
  });
  afterAll(() => server?.stop());

  test('that is later are used if they still allow this one', async () => {
    const id = await later('still_allowed', 1);
    const store = open('still_allowed');
    expect(await textOf(store, id)).toBe('from the other version');
    const { record } = await storeOutput(store, { parts: ['from this one'] });
    expect(await textOf(store, record.id)).toBe('from this one');
    await store.close();
  });

  test('that is earlier get functions with settings of their own, which not everybody may use', async () => {
    const store = open('as_before');
    const { record } = await storeOutput(store, { parts: ['from before'] });
    await store.close();
    const client = new pg.Client({ connectionString: server.connectionString });
    await client.connect();
    // What version 7 differs in.
    for (const name of ['seal', 'note', 'decided', 'count_content'])
      await client.query(`ALTER FUNCTION as_before.${name} RESET ALL`);
    await client.query(`GRANT EXECUTE ON FUNCTION as_before.count_content() TO PUBLIC;
      UPDATE as_before.meta SET value = 7 WHERE name = 'schema'`);
    const again = open('as_before');
    expect(await textOf(again, record.id)).toBe('from before');
    await again.close();
    const { rows } = await client.query(
      `SELECT count(*) FILTER (WHERE 'search_path=pg_catalog, pg_temp' = ANY(proconfig))::int AS pinned,
         bool_or(prosecdef AND has_function_privilege('public', oid, 'EXECUTE')) AS open
       FROM pg_proc WHERE pronamespace = 'as_before'::regnamespace`,
    );
    expect(rows).toEqual([{ pinned: 4, open: false }]);
    await client.end();
  });

  test('that is later are refused otherwise, saying which', async () => {
    await later('no_longer', 99);
    const store = open('no_longer');
    await expect(store.usage()).rejects.toThrow(
      /another version \(99, this one reads \d+\): update Spillway/,
    );
    await store.close();
  });
});
