/**
 * What a store outlives that happens to its server: connections that are ended, a process of it
 * that is killed, a crash, a full disk. A result that was answered is never lost, one that could
 * not be stored is told as such, and the host goes on.
 */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { postgresStore } from 'spillway/store/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSpillway } from '../../../core/test/opening.ts';
import { textOf as textIn, through } from '../gateway/peer.ts';
import { freshWorkspace } from '../program.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';
import { Writers } from './under-load.ts';

const programs = postgresPrograms();
if (programs === undefined) console.warn('SKIPPED: no PostgreSQL server is installed.');

let server: PostgresServer;

const open = (schema: string) => postgresStore({ connectionString: server.connectionString, schema });

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: server.connectionString });
  // It may be among those that are ended.
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end().catch(() => undefined);
  }
}

const CLIENTS = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";

describe.skipIf(programs === undefined)('a store whose server fails', () => {
  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
  });
  afterAll(() => server?.stop());

  test('keeps what was answered when its connections are ended, again and again', async () => {
    const writers = new Writers(open('ended'));
    for (let round = 0; round < 5; round++) {
      await writers.more('stored', 3);
      await asAdmin((admin) => admin.query(`SELECT pg_terminate_backend(pid) ${CLIENTS}`));
    }
    await writers.more('stored', 3);
    const reader = open('ended');
    expect((await writers.check(reader)).stored).toBeGreaterThanOrEqual(18);
    await reader.close();
  });

  test('keeps what was answered when a process of the server is killed, which ends all of them', async () => {
    const writers = new Writers(open('killed'));
    for (let round = 0; round < 2; round++) {
      await writers.more('stored', 4);
      const pids = await asAdmin((admin) => admin.query(`SELECT pid ${CLIENTS} LIMIT 1`));
      for (const { pid } of pids.rows) process.kill(pid, 'SIGKILL');
    }
    await writers.more('stored', 4);
    const reader = open('killed');
    expect((await writers.check(reader)).stored).toBeGreaterThanOrEqual(12);
    await reader.close();
  });

  test('keeps what was answered when the server crashes, says what was not stored while it is gone, and goes on when it is back', async () => {
    const writers = new Writers(open('crashed'));
    for (let round = 0; round < 2; round++) {
      await writers.more('stored', 4);
      await server.crash();
      await writers.more('not stored', 3);
      await server.start();
    }
    await writers.more('stored', 4);
    const reader = open('crashed');
    const { stored, notStored } = await writers.check(reader);
    expect(stored).toBeGreaterThanOrEqual(12);
    expect(notStored).toBeGreaterThanOrEqual(6);
    // Nothing of an output that was not stored is left but what a sweep removes.
    const { rows } = await asAdmin((admin) =>
      admin.query('SELECT 1 FROM crashed.content c WHERE hash IS NOT NULL AND refs = 0'),
    );
    expect(rows).toEqual([]);
    await reader.close();
  });

  test('leaves gateway and commands running, which answer, and say that nothing was stored', async () => {
    const env = { SPILLWAY_STORE: server.connectionString, SPILLWAY_WORKSPACE: 'surviving' };
    const workspace = await freshWorkspace(env);
    const gateway = through(workspace.root, [], [], env);
    await gateway.initialize();
    const emit = async (chars: number) => textIn(await gateway.call('emit', { chars }));
    const [id = ''] = /art_\d+_\w+/.exec(await emit(9_000)) ?? [];
    await server.crash();
    expect(await emit(9_001)).toContain('not stored');
    const ran = await workspace.run(['exec', '--', 'sh', '-c', 'seq 1 9000; exit 7']);
    expect(ran.code).toBe(7);
    expect(ran.stdout).toContain('not stored');
    await server.start();
    expect(await emit(9_002)).toMatch(/art_\d+_\w+/);
    const page = textIn(await gateway.call('get_artifact', { artifact_id: id, lines: '1' }));
    expect(page).toContain('line 1 of what was said');
    expect(gateway.child.exitCode).toBeNull();
    expect(await gateway.close()).toBe(0);
  });

  test('says that there is no room when the server says so, and goes on when there is', async () => {
    const store = open('no_room');
    const spillway = openSpillway({ store });
    const call = { tool: 't', session: 's', scope: 'p' };
    const result = (text: string) => ({ kind: 'text', text: `${text}\n`.repeat(3_000) }) as const;
    await spillway.process(call, result('before'));
    // What the server answers when its disk is full, at the same statement.
    await asAdmin((admin) =>
      admin.query(`CREATE FUNCTION no_room.full() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON no_room.piece EXECUTE FUNCTION no_room.full()`),
    );
    const { projection } = await spillway.process(call, result('full'));
    expect(projection.text).toContain('not stored (no room left in the store)');
    await asAdmin((admin) => admin.query('DROP TRIGGER full_disk ON no_room.piece'));
    const after = await spillway.process(call, result('after'));
    expect(after.projection.metadata.artifact_id).not.toBeNull();
    await store.close();
  });

  test('keeps what was answered when the disk of its tables is really full', async ({ skip }) => {
    const folder = join(server.folder, 'small');
    mkdirSync(folder);
    const mount = (options: string) =>
      spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' }).status === 0;
    if (!mount('size=8m')) skip('no file system can be mounted here');
    try {
      const { uid, gid } = statSync(server.folder);
      chownSync(folder, uid, gid);
      await asAdmin(async (admin) => {
        await admin.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
        await admin.query('ALTER DATABASE postgres SET default_tablespace = small');
      });
      const writers = new Writers(open('full'));
      await writers.more('not stored', 4);
      expect(mount('remount,size=64m')).toBe(true);
      await writers.more('stored', 4);
      const reader = open('full');
      await writers.check(reader);
      await reader.close();
      await asAdmin(async (admin) => {
        await admin.query('DROP SCHEMA "full" CASCADE');
        await admin.query('ALTER DATABASE postgres RESET default_tablespace');
        await admin.query('DROP TABLESPACE small');
      });
    } finally {
      spawnSync('umount', ['-l', folder]);
    }
  });

  test('serves two gateways and three agents on one workspace and one session at once', async () => {
    const env = { SPILLWAY_STORE: server.connectionString, SPILLWAY_WORKSPACE: 'crowded' };
    const workspace = await freshWorkspace(env);
    const gateways = [through(workspace.root, [], [], env), through(workspace.root, [], [], env)];
    const emitted = gateways.map(async (gateway, i) => {
      await gateway.initialize();
      const ids: string[] = [];
      for (let call = 0; call < 4; call++) {
        const text = textIn(await gateway.call('emit', { chars: 9_000 + 10 * i + call }));
        ids.push(/art_\d+_\w+/.exec(text)?.[0] ?? '');
      }
      return ids;
    });
    const agents = [1, 2, 3].map(async (agent) => {
      const ids: string[] = [];
      for (let call = 0; call < 2; call++) {
        const args = ['exec', '--json', '--session', 'one', '--', 'seq', `${agent}${call}`, '30000'];
        const { stdout } = await workspace.run(args);
        ids.push(JSON.parse(stdout).metadata.artifact_id);
      }
      return ids;
    });
    const ids = (await Promise.all([...emitted, ...agents])).flat();
    expect(new Set(ids).size).toBe(14);
    expect((await workspace.ids('--all')).sort()).toEqual([...ids].sort());
    const last = ids.at(-1) ?? '';
    for (const gateway of gateways)
      expect(textIn(await gateway.call('get_artifact', { artifact_id: last, lines: '1' }))).toContain('31');
    expect((await workspace.run(['store', 'verify'])).code).toBe(0);
  });
});
