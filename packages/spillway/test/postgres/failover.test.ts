/**
 * A primary with a synchronous standby: the primary crashes under writers, the standby is promoted,
 * and the address leads to it. Nothing that was answered is lost.
 */
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { postgresStore } from 'spillway/store/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../core/test/folders.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';
import { Writers } from './under-load.ts';

const programs = postgresPrograms();
if (programs === undefined) console.warn('SKIPPED: no PostgreSQL server is installed.');

let primary: PostgresServer;
let standby: PostgresServer;

describe.skipIf(programs === undefined)('a store whose server has a synchronous standby', () => {
  beforeAll(async () => {
    primary = await startPostgres(programs ?? '');
    standby = await primary.standby();
    await ask(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await ask(primary, 'SELECT pg_reload_conf()');
    const synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
    while ((await ask(primary, synchronous)).length === 0) await sleep(50);
  });
  afterAll(async () => {
    await standby?.stop();
    await primary?.stop();
  });

  test('goes on with the standby after the primary crashed, and everything answered is there', async () => {
    const address = await movingAddress(primary);
    const open = (connectionString: string) => postgresStore({ connectionString, schema: 'failover' });
    const writers = new Writers(open(address.connectionString));
    await writers.more('stored', 8);
    await primary.crash();
    await writers.more('not stored', 2);
    // The address may lead to the standby before it is promoted: then it only reads.
    address.leadTo(standby);
    await writers.more('not stored', 2);
    await ask(standby, 'SELECT pg_promote()');
    await writers.more('stored', 8);
    const reader = open(standby.connectionString);
    const { stored } = await writers.check(reader);
    expect(stored).toBeGreaterThanOrEqual(16);
    await reader.close();
    await address.close();
  });
});

async function ask({ connectionString }: PostgresServer, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A socket that leads to one server, and later to another: what a name or a proxy is in a network. */
async function movingAddress(first: PostgresServer) {
  const folder = await temporaryFolder();
  const sockets = new Set<Socket>();
  let target = first;
  const proxy = createServer((client) => {
    const upstream = connect(join(target.folder, '.s.PGSQL.5432'));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => proxy.listen(join(folder, '.s.PGSQL.5432'), resolve));
  return {
    connectionString: `postgresql:///postgres?host=${encodeURIComponent(folder)}&user=postgres`,
    leadTo(server: PostgresServer) {
      target = server;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
