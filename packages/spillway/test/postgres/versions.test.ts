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

describe.skipIf(programs === undefined)('PostgreSQL tables of a later version', () => {
  beforeAll(async () => {
    server = await startPostgres(programs as NonNullable<typeof programs>);
  });
  afterAll(() => server?.stop());

  test('are used if they still allow this one', async () => {
    const id = await later('still_allowed', 1);
    const store = open('still_allowed');
    expect(await textOf(store, id)).toBe('from the other version');
    const { record } = await storeOutput(store, { parts: ['from this one'] });
    expect(await textOf(store, record.id)).toBe('from this one');
    await store.close();
  });

  test('are refused otherwise, saying which', async () => {
    await later('no_longer', 99);
    const store = open('no_longer');
    await expect(store.usage()).rejects.toThrow(
      /another version \(99, this one reads \d+\): update Spillway/,
    );
    await store.close();
  });
});
