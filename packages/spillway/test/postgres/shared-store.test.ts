/**
 * A store on a server, as a team uses it: named by a setting, reached by the program from several
 * machines, with workspaces told apart by name and not by path.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textOf, through } from '../gateway/peer.ts';
import { startInspector, visit } from '../inspector/visiting.ts';
import { filesBelow, freshWorkspace, handleOf, numberedLines, parsed, type Workspace } from '../program.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';

const programs = postgresPrograms();
if (programs === undefined) console.warn('SKIPPED: no PostgreSQL server is installed.');

let server: PostgresServer;

/** A checkout of a repository on a machine of its own. */
async function machine(remote: string | null, env: Record<string, string> = {}): Promise<Workspace> {
  const workspace = await freshWorkspace({ SPILLWAY_STORE: server.connectionString, ...env });
  const config = remote === null ? '' : `[remote "origin"]\n\turl = ${remote}\n`;
  await writeFile(join(workspace.root, '.git', 'config'), `[core]\n\tbare = false\n${config}`);
  return workspace;
}

describe.skipIf(programs === undefined)('a store on a server', () => {
  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
  });
  afterAll(() => server?.stop());

  test('gives what one machine stored to the other machines of the repository, and to no other', async () => {
    const one = await machine('git@example.com:team/app.git');
    const two = await machine('https://token@example.com/team/app');
    const other = await machine('git@example.com:team/other.git');
    const text = numberedLines(20_000);
    const id = handleOf(await one.truncate(text));
    expect((await two.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(text);
    expect(await two.ids()).toEqual([id]);
    expect(await other.ids()).toEqual([]);
    const refused = await other.run(['artifacts', 'show', id]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`There is no artifact ${id}`);
    const stored = (await filesBelow(one.root)).filter((file) => file.endsWith('store.db'));
    expect(stored).toEqual([]);
  });

  test('keeps the workspaces of tenants apart, also those of one name', async () => {
    const ours = await machine(null, { SPILLWAY_WORKSPACE: 'app', SPILLWAY_TENANT: 'ours' });
    const theirs = await machine(null, { SPILLWAY_WORKSPACE: 'app', SPILLWAY_TENANT: 'theirs' });
    const id = handleOf(await ours.truncate(numberedLines(5_000)));
    expect(await ours.ids('--all')).toEqual([id]);
    expect(await theirs.ids('--all')).toEqual([]);
    const stats: { outputs: number } = parsed(await theirs.run(['stats', '--json']));
    expect(JSON.stringify(stats)).not.toContain(id);
    expect((await ours.run(['doctor'])).stdout).toContain('1 output with');
    expect((await theirs.run(['doctor'])).stdout).toContain('0 outputs with 0 bytes, 0 sessions, 0 events');
  });

  test('is named in the file of the user, with a password from a file that is never shown', async () => {
    const workspace = await freshWorkspace();
    const { root } = workspace;
    await writeFile(join(root, 'password'), 'very-secret\n', { mode: 0o600 });
    const { connectionString } = server;
    await workspace.run(['config', 'set', '--user', 'spillway.store', connectionString]);
    await workspace.run(['config', 'set', '--user', 'spillway.workspace', 'named']);
    await workspace.run(['config', 'set', '--user', 'spillway.password_file', join(root, 'password')]);
    const id = handleOf(await workspace.truncate(numberedLines(5_000)));
    expect(await workspace.ids()).toEqual([id]);
    const status = await workspace.run(['store', 'status', '--json']);
    expect(parsed(status)).toMatchObject({ state: 'shared', scope: 'workspace:named' });
    expect(status.stdout).not.toContain('very-secret');
    const doctor = await workspace.run(['doctor', '--json']);
    expect(doctor.stdout).toContain('PostgreSQL');
    expect(doctor.stdout).toContain('fsync is off');
    expect(`${doctor.stdout}${doctor.stderr}`).not.toContain('very-secret');
  });

  test('asks for the name of a workspace that has no remote', async () => {
    const { code, stderr } = await (await machine(null)).run(['truncate'], { input: 'hello\n' });
    expect(code).toBe(2);
    expect(stderr).toContain('set SPILLWAY_WORKSPACE or spillway.workspace');
  });

  test('that does not answer lets a small text pass and says that nothing was stored', async () => {
    const lost = await machine('git@example.com:team/app.git', {
      SPILLWAY_STORE: 'postgres://user:very-secret@127.0.0.1:1/none',
    });
    const { stdout, stderr } = await lost.run(['truncate'], { input: 'hello\n' });
    expect(stdout).toBe('hello\n');
    expect(stderr).toContain('ECONNREFUSED');
    expect(stderr).not.toContain('very-secret');
  });

  test('serves exec, sessions, clean and stats as the embedded one does', async () => {
    const workspace = await machine('git@example.com:team/commands.git');
    const run = await workspace.run(['exec', '--json', '--', 'seq', '1', '30000']);
    const { metadata } = parsed<{ metadata: { artifact_id: string } }>(run);
    const page = await workspace.run(['artifacts', 'show', metadata.artifact_id, '--lines', '29999-30000']);
    expect(page.stdout).toContain('29999\n30000');
    const sessions: { sessions: unknown[] } = parsed(await workspace.run(['sessions', 'list', '--json']));
    expect(sessions.sessions).toHaveLength(1);
    expect((await workspace.run(['stats', '--json'])).code).toBe(0);
    expect((await workspace.run(['artifacts', 'clean', '--purge'])).code).toBe(0);
    expect(await workspace.ids('--all')).toEqual([]);
  });

  test('is where gateways of two machines meet, and where the inspector looks', async () => {
    const one = await machine('git@example.com:team/gateways.git');
    const two = await machine('git@example.com:team/gateways.git');
    const env = { SPILLWAY_STORE: server.connectionString };
    const gateway = through(one.root, [], [], env);
    await gateway.initialize();
    const answer = textOf(await gateway.call('emit', { chars: 9_000 }));
    const [id = ''] = /art_\d+_\w+/.exec(answer) ?? [];
    const other = through(two.root, [], [], env);
    await other.initialize();
    const page = textOf(await other.call('get_artifact', { artifact_id: id, lines: '1' }));
    expect(page).toContain('line 1 of what was said');
    const inspector = await visit(await startInspector(two, undefined, env));
    const store = await inspector.get<{ has_store: boolean; file: string }>('/api/store');
    expect(store).toMatchObject({ has_store: true, file: expect.stringMatching(/^postgres:/) });
    const found = await inspector.get<{ id: string }>(`/api/outputs/${id}`);
    expect(JSON.stringify(found)).toContain(id);
  });

  test('takes over what the embedded store of a workspace holds, compared byte by byte, and goes on after an interruption', async () => {
    const local = await freshWorkspace();
    const text = numberedLines(20_000);
    const id = handleOf(await local.truncate(text));
    const more = handleOf(await local.truncate(numberedLines(9_000, 'row')));
    const env = { SPILLWAY_STORE: server.connectionString, SPILLWAY_WORKSPACE: 'moved' };
    const first = parsed<{ outputs: number; known: number; events: number }>(
      await local.run(['store', 'copy', '--json'], { env }),
    );
    expect(first).toMatchObject({ outputs: 2, known: 0, damaged: [] });
    const again = parsed<{ events: number }>(await local.run(['store', 'copy', '--json'], { env }));
    expect(again).toEqual({ ...first, known: 2 });
    const elsewhere = await machine(null, { SPILLWAY_WORKSPACE: 'moved' });
    const stats = ({ stdout }: { stdout: string }) => JSON.parse(stdout).tools;
    expect(stats(await elsewhere.run(['stats', '--json']))).toEqual(
      stats(await local.run(['stats', '--json'])),
    );
    expect((await elsewhere.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(text);
    expect(await elsewhere.ids()).toEqual([more, id]);
    expect(parsed(await elsewhere.run(['store', 'verify', '--json']))).toMatchObject({
      read: 2,
      damaged: [],
    });
    const back = await elsewhere.run([
      'store',
      'copy',
      '--to',
      '.acode/artifacts',
      '--from',
      server.connectionString,
    ]);
    expect(`${back.stderr}${back.stdout}`).toContain('Copied and compared 2 outputs');
    const embedded = await elsewhere.run(['artifacts', 'list', '--json'], { env: { SPILLWAY_STORE: '' } });
    expect(embedded.stdout).toContain(id);
  });

  test('is used by a role that may not make tables, once somebody has made them', async () => {
    const owner = await machine('git@example.com:team/roles.git');
    const address = server.connectionString.replace('/postgres?', '/roles?');
    const admin = new pg.Client({ connectionString: server.connectionString });
    await admin.connect();
    await admin.query('CREATE DATABASE roles');
    await admin.query('CREATE ROLE plain LOGIN');
    await admin.end();
    const plain = { SPILLWAY_STORE: address.replace('user=postgres', 'user=plain') };
    const refused = await owner.run(['artifacts', 'list'], { env: plain });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('spillway store migrate');
    expect((await owner.run(['store', 'migrate', '--to', address])).code).toBe(0);
    const granting = new pg.Client({ connectionString: address });
    await granting.connect();
    await granting.query('GRANT USAGE ON SCHEMA spillway TO plain');
    await granting.query('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA spillway TO plain');
    await granting.query('GRANT SELECT, USAGE ON ALL SEQUENCES IN SCHEMA spillway TO plain');
    // Counters are the owner's: an update that made them gave nobody a right to them.
    const counters = 'spillway.counter';
    await granting.query(`REVOKE ALL ON ${counters} FROM plain`);
    await granting.end();
    const stored = await owner.run(['truncate', '--json'], { env: plain, input: numberedLines(9_000) });
    expect(parsed<{ metadata: { artifact_id: string } }>(stored).metadata.artifact_id).toMatch(/^art_/);
    expect((await owner.run(['doctor'], { env: plain })).stdout).toContain('1 output with');
  });
});
