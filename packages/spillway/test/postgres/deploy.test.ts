/**
 * What deploy/compose.yml sets up, without containers: the program with the variables of the
 * gateway, a pgbouncer with the settings of deploy/pgbouncer.ini that asks for the password, and a
 * server behind it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { freshWorkspace, numberedLines, parsed } from '../program.ts';
import { pgbouncerProgram } from './pgbouncer.ts';
import {
  type PostgresServer,
  postgresPrograms,
  startPostgres,
  type UnprivilegedFolder,
  unprivilegedFolder,
  untilReady,
} from './postgres-server.ts';

const PASSWORD = '0123456789abcdef';
const deployed = (name: string) =>
  readFileSync(new URL(`../../../../deploy/${name}`, import.meta.url), 'utf8');
const programs = postgresPrograms();
const bouncerProgram = pgbouncerProgram();
const isThere = programs !== undefined && bouncerProgram !== undefined;
if (!isThere) console.warn('SKIPPED: no PostgreSQL server or no pgbouncer is installed.');

/** The settings as they are deployed, but for where things are on this machine. */
function settingsIn(folder: string, server: PostgresServer): string {
  return deployed('pgbouncer.ini')
    .replace('host=postgres', `host=${server.folder}`)
    .replace('listen_addr = *', 'listen_addr =')
    .replace('unix_socket_dir =', `unix_socket_dir = ${folder}`)
    .replace('/run/users/list', join(folder, 'users'));
}

describe.skipIf(!isThere)('the store of a team as it is deployed', () => {
  let server: PostgresServer;
  let bouncer: ChildProcess;
  let place: UnprivilegedFolder;

  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
    const admin = new pg.Client({ connectionString: server.connectionString });
    await admin.connect();
    await admin.query(`CREATE ROLE spillway LOGIN PASSWORD '${PASSWORD}'`);
    await admin.query('CREATE DATABASE agents OWNER spillway');
    await admin.end();
    place = unprivilegedFolder('spillway-pgb-');
    writeFileSync(join(place.folder, 'pgbouncer.ini'), settingsIn(place.folder, server));
    writeFileSync(join(place.folder, 'users'), `"spillway" "${PASSWORD}"\n`);
    bouncer = spawn(bouncerProgram ?? '', [join(place.folder, 'pgbouncer.ini')], {
      ...place.how,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const text: string[] = [];
    bouncer.stderr?.on('data', (chunk) => text.push(`${chunk}`));
    await untilReady(bouncer, () => text.join('').includes('process up'), text);
  });

  afterAll(async () => {
    const ended = once(bouncer, 'exit');
    if (bouncer.kill('SIGTERM')) await ended;
    rmSync(place.folder, { recursive: true, force: true });
    await server?.stop();
  });

  test('is reached with the variables of the compose file, by the password in the file alone', async () => {
    const { environment } = parse(deployed('compose.yml')).services.gateway;
    const workspace = await freshWorkspace();
    const passwordFile = join(workspace.root, 'store-password');
    writeFileSync(passwordFile, `${PASSWORD}\n`);
    const { username, port, pathname } = new URL(environment.SPILLWAY_STORE);
    const host = encodeURIComponent(place.folder);
    const env = {
      SPILLWAY_STORE: `postgres:///${pathname.slice(1)}?host=${host}&port=${port}&user=${username}`,
      SPILLWAY_WORKSPACE: 'team',
      SPILLWAY_PASSWORD_FILE: passwordFile,
    };
    const text = numberedLines(20_000);
    const stored = await workspace.run(['truncate', '--json'], { env, input: text });
    const id = parsed<{ metadata: { artifact_id: string } }>(stored).metadata.artifact_id;
    expect((await workspace.run(['artifacts', 'show', id, '--raw'], { env })).stdout).toBe(text);
    writeFileSync(passwordFile, 'another\n');
    const refused = await workspace.run(['artifacts', 'show', id, '--raw'], { env });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
  });
});
