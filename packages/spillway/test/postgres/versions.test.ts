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

describe.skipIf(programs === undefined)('PostgreSQL tables of another version', () => {
  beforeAll(async () => {
    server = await startPostgres(programs as NonNullable<typeof programs>);
  });
  afterAll(() => server?.stop());

  test('are refused with what to do, and left as they are', async () => {
    const first = open('another');
    const { record } = await storeOutput(first, { parts: ['from the other version'] });
    await first.close();
    const client = new pg.Client({ connectionString: server.connectionString });
    await client.connect();
    const setVersion = (value: string) =>
      client.query(`UPDATE another.meta SET value = ${value} WHERE name = 'schema'`);
    for (const [change, back] of [
      ['value - 1', 'value + 1'],
      ['value + 90', 'value - 90'],
    ] as const) {
      await setVersion(change);
      const store = open('another');
      await expect(store.usage()).rejects.toThrow(
        /written by an? (earlier|later) version of Spillway \(store \d+, this one reads \d+\), and was left as it is/,
      );
      await store.close();
      await setVersion(back);
    }
    await client.end();
    const store = open('another');
    expect(await textOf(store, record.id)).toBe('from the other version');
    await store.close();
  });
});
