/**
 * A store on a server, as a team uses it: named by a setting, reached by the program from several
 * machines, with workspaces told apart by name and not by path.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
});
