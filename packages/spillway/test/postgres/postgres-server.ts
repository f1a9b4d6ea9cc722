/**
 * A PostgreSQL server of the test's own: made in a temporary folder, reached by a socket in it,
 * gone with the test. It needs Debian's `postgresql` or any other installation with its programs on
 * PATH; as root it runs as the user postgres, or nobody, because the server refuses root.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface PostgresServer {
  readonly connectionString: string;
  stop(): Promise<void>;
}

/** The folder of the newest server's programs; undefined where there is none. */
export function postgresPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

/** Unless told, it does not wait for the disk: what a loss of power does to it is not ours to test. */
export async function startPostgres(
  programs: string,
  settings: readonly string[] = ['fsync=off'],
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-pg-'));
  const owner = process.getuid?.() === 0 ? unprivileged() : undefined;
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const how = { ...owner, cwd: folder, env: { ...process.env, HOME: folder, LC_ALL: 'C' } };
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N'], {
    ...how,
    stdio: 'pipe',
  });
  const all = ['listen_addresses=', `unix_socket_directories=${folder}`, ...settings];
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...all.flatMap((each) => ['-c', each])], {
    ...how,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const text: string[] = [];
  server.stderr?.on('data', (chunk) => text.push(`${chunk}`));
  await ready(server, join(folder, '.s.PGSQL.5432'), text);
  return {
    connectionString: `postgresql:///postgres?host=${encodeURIComponent(folder)}&user=postgres`,
    async stop() {
      const ended = once(server, 'exit');
      // SIGINT is its fast shutdown: connections are ended, nothing is waited for.
      if (server.exitCode === null && server.kill('SIGINT')) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function unprivileged(): { readonly uid: number; readonly gid: number } {
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // No such user; the next may be there.
    }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody.');
}

async function ready(server: ChildProcess, socket: string, text: readonly string[]): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 50) {
    if (server.exitCode !== null) break;
    if (existsSync(socket) && text.join('').includes('ready to accept connections')) return;
    await sleep(50);
  }
  server.kill('SIGKILL');
  throw new Error(`PostgreSQL did not start:\n${text.join('')}`);
}
