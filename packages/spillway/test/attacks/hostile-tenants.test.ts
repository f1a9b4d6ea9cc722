/**
 * A tenant of a shared server that means harm to the others or to the administrator. It has a role
 * of its own and speaks SQL to the server directly.
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textOf, through } from '../gateway/peer.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../postgres/postgres-server.ts';
import { freshWorkspace, handleOf, numberedLines, type Workspace } from '../program.ts';
import { miscounts, STALLS, traps } from './tenant-attacks.ts';

const programs = postgresPrograms();
if (programs === undefined) console.warn('SKIPPED: no PostgreSQL server is installed.');

let server: PostgresServer;
const ADMIN = 'postgres';

function addressOf(role: string, database: string): string {
  return server.connectionString
    .replace('user=postgres', `user=${role}`)
    .replace('///postgres', `///${database}`);
}

async function ask(role: string, database: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: addressOf(role, database) });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const as = (role: string, database: string): Promise<Workspace> =>
  freshWorkspace({ SPILLWAY_STORE: addressOf(role, database), SPILLWAY_WORKSPACE: 'app' });

describe.skipIf(programs === undefined)('a hostile tenant', () => {
  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
    await ask(ADMIN, 'postgres', 'CREATE ROLE ours LOGIN; CREATE ROLE theirs LOGIN');
  });
  afterAll(() => server?.stop());

  test('makes no output of another be purged by counting content for it', async () => {
    await (await as(ADMIN, 'postgres')).run(['store', 'migrate', '--tenants', 'ours,theirs']);
    const ours = await as('ours', 'postgres');
    await ours.run(['config', 'set', '--user', 'spillway.max_bytes', '1000000']);
    const ended = handleOf(await ours.truncate(numberedLines(5_000), '--session', 'ended'));
    await ours.run(['sessions', 'end', 'ended']);
    await expect(ask('theirs', 'postgres', miscounts('ours'))).rejects.toMatchObject({ code: '42501' });
    const id = handleOf(await ours.truncate(numberedLines(5_000, 'more')));
    expect(await ours.ids('--all')).toEqual([id, ended]);
  });

  test('counts nothing by a trigger where everybody may use the function', async () => {
    await ask(ADMIN, 'postgres', 'CREATE DATABASE before');
    const admin = await as(ADMIN, 'before');
    await admin.run(['store', 'migrate', '--tenants', 'ours,theirs']);
    await ask(
      ADMIN,
      'before',
      `GRANT EXECUTE ON FUNCTION spillway.count_content() TO PUBLIC; CREATE SCHEMA theirs AUTHORIZATION theirs`,
    );
    const made = miscounts('ours').replaceAll(' content ', ' theirs.content ').replace('TEMP ', '');
    await expect(ask('theirs', 'before', made)).rejects.toThrow('counts the content of the store only');
  });

  test('becomes no superuser by functions in a public schema that anybody may write', async () => {
    await ask(ADMIN, 'postgres', 'CREATE DATABASE upgraded');
    await ask(ADMIN, 'upgraded', 'GRANT CREATE ON SCHEMA public TO PUBLIC');
    await ask('theirs', 'upgraded', traps('theirs'));
    const admin = await as(ADMIN, 'upgraded');
    const refused = await admin.run(['store', 'migrate', '--tenants', 'ours,theirs']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'Every role may create objects in the schema "public", and could have them run as an administrator. Nothing was changed. The owner of the database runs: REVOKE CREATE ON SCHEMA public FROM PUBLIC; and then removes what others have put there (psql: \\df public.* and \\do public.*).',
    );
    const { stdout } = await admin.run(['doctor']);
    expect(stdout).toContain(
      'every role may create functions in the schema public, and so have them run by other roles',
    );
    expect(stdout).toContain('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    const id = handleOf(await admin.truncate(numberedLines(200_000), '--session', 's'));
    const commands = [
      ['store', 'migrate'],
      ['artifacts', 'show', id, '--lines', '2'],
      ['artifacts', 'list', '--all'],
      ['stats'],
      ['sessions', 'list'],
      ['sessions', 'end', 's'],
      ['store', 'verify'],
      ['artifacts', 'clean', '--purge'],
      ['store', 'vacuum'],
    ];
    for (const command of commands) expect((await admin.run(command)).stderr).not.toContain('SQL');
    const roles = await ask(ADMIN, 'postgres', "SELECT rolsuper FROM pg_roles WHERE rolname = 'theirs'");
    expect(roles).toEqual([{ rolsuper: false }]);
    await ask(ADMIN, 'upgraded', 'REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    expect((await admin.run(['store', 'migrate', '--tenants', 'ours,theirs'])).code).toBe(0);
    expect((await admin.run(['doctor'])).stdout).not.toContain('schema public');
  });

  test('is not made a tenant while the tables are its own', async () => {
    await ask(ADMIN, 'postgres', 'CREATE DATABASE owned OWNER theirs');
    await (await as('theirs', 'owned')).run(['store', 'migrate']);
    await ask(ADMIN, 'owned', 'ALTER DATABASE owned OWNER TO postgres');
    const { code, stderr } = await (await as(ADMIN, 'owned')).run([
      'store',
      'migrate',
      '--tenants',
      'ours,theirs',
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'The tenant "theirs" may create objects in the schema "spillway", and could have them run as an administrator. Nothing was changed. Run: REVOKE CREATE ON SCHEMA "spillway" FROM "theirs". Where that is not enough, the role owns the schema or is a superuser: name a tenant that is neither.',
    );
  });

  test('holds up one result of another by its locks, not each of them, and nothing once it lets go', async () => {
    await (await as(ADMIN, 'postgres')).run(['store', 'migrate', '--tenants', 'ours,theirs']);
    const env = { SPILLWAY_STORE: addressOf('ours', 'postgres'), SPILLWAY_WORKSPACE: 'app' };
    const gateway = through((await freshWorkspace(env)).root, [], [], env);
    await gateway.initialize();
    const emit = async (chars: number) => textOf(await gateway.call('emit', { chars }));
    expect(await emit(9_000)).toMatch(/art_\d+_\w+/);
    const attacker = new pg.Client({ connectionString: addressOf('theirs', 'postgres') });
    await attacker.connect();
    for (const stall of STALLS) {
      await attacker.query(`BEGIN; ${stall}`);
      // Thirty that waited would take longer than the test may.
      for (let i = 0; i < 30; i++) expect(await emit(9_001 + i)).toContain('not stored');
      await attacker.query('ROLLBACK');
      await expect.poll(() => emit(9_000), { timeout: 40_000 }).toMatch(/art_\d+_\w+/);
    }
    await attacker.end();
    expect(await gateway.close()).toBe(0);
  }, 150_000);

  test('finds no function of the schema that runs as somebody else, or looks names up where it writes', async () => {
    const made = await ask(
      ADMIN,
      'postgres',
      `SELECT proname AS name, prosecdef AS definer, proconfig[1] AS path, has_function_privilege('public', oid, 'EXECUTE') AS everybody
       FROM pg_proc WHERE pronamespace = 'spillway'::regnamespace ORDER BY proname`,
    );
    const path = 'search_path=pg_catalog, pg_temp';
    expect(made).toEqual([
      { name: 'count_content', definer: true, path, everybody: false },
      { name: 'decided', definer: false, path, everybody: true },
      { name: 'note', definer: false, path, everybody: true },
      { name: 'seal', definer: false, path, everybody: true },
    ]);
  });
});
