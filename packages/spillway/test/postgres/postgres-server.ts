/**
 * PostgreSQL servers of the test's own: made in a temporary folder, reached by a socket in it, gone
 * with the test. They need Debian's `postgresql` or any other installation with its programs on
 * PATH; as root they run as the user postgres, or nobody, because the server refuses root.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface PostgresServer {
  readonly connectionString: string;
  /** Holds its socket and its data. */
  readonly folder: string;
  /** Ends it at once, as a crash does: what it had begun is left as it is. */
  crash(): Promise<void>;
  /** After a crash. */
  start(): Promise<void>;
  /** Another one that follows it; it reads only until it is promoted. */
  standby(): Promise<PostgresServer>;
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
  const place = unprivilegedFolder('spillway-pg-');
  const made = ['-D', join(place.folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N'];
  execFileSync(join(programs, 'initdb'), made, { ...place.how, stdio: 'pipe' });
  return running(programs, settings, place);
}

export interface UnprivilegedFolder {
  readonly folder: string;
  /** How a process is started in it, as a user that servers accept. */
  readonly how: {
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly uid?: number;
    readonly gid?: number;
  };
}

export function unprivilegedFolder(prefix: string): UnprivilegedFolder {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  const owner = process.getuid?.() === 0 ? unprivileged() : undefined;
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  return { folder, how: { ...owner, cwd: folder, env: { ...process.env, HOME: folder, LC_ALL: 'C' } } };
}

async function running(
  programs: string,
  settings: readonly string[],
  place: UnprivilegedFolder,
): Promise<PostgresServer> {
  const { folder } = place;
  let server = await started(programs, settings, place);
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(server, 'exit');
    if (server.exitCode === null && server.signalCode === null && server.kill(signal)) await ended;
  };
  return {
    folder,
    connectionString: `postgresql:///postgres?host=${encodeURIComponent(folder)}&user=postgres`,
    // SIGQUIT is its immediate shutdown: the next start recovers, as from a crash.
    crash: () => end('SIGQUIT'),
    async start() {
      server = await started(programs, settings, place);
    },
    async standby() {
      const other = unprivilegedFolder('spillway-pg-');
      const copy = [
        '-D',
        join(other.folder, 'data'),
        '-h',
        folder,
        '-U',
        'postgres',
        '-R',
        '-c',
        'fast',
        '-N',
      ];
      execFileSync(join(programs, 'pg_basebackup'), copy, { ...other.how, stdio: 'pipe' });
      return running(programs, settings, other);
    },
    async stop() {
      // SIGINT is its fast shutdown: connections are ended, nothing is waited for.
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function started(
  programs: string,
  settings: readonly string[],
  { folder, how }: UnprivilegedFolder,
): Promise<ChildProcess> {
  const all = ['listen_addresses=', `unix_socket_directories=${folder}`, ...settings];
  const args = ['-D', join(folder, 'data'), ...all.flatMap((each) => ['-c', each])];
  const server = spawn(join(programs, 'postgres'), args, { ...how, stdio: ['ignore', 'ignore', 'pipe'] });
  const text: string[] = [];
  server.stderr?.on('data', (chunk) => text.push(`${chunk}`));
  // A standby says "ready to accept read-only connections".
  await untilReady(
    server,
    () => existsSync(join(folder, '.s.PGSQL.5432')) && /ready to accept .*connections/.test(text.join('')),
    text,
  );
  return server;
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

/** Waits for a server that was just started; ends it and tells what it wrote if it does not come. */
export async function untilReady(
  server: ChildProcess,
  isReady: () => boolean,
  text: readonly string[],
): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    if (server.exitCode !== null) break;
    if (isReady()) return;
    await sleep(50);
  }
  server.kill('SIGKILL');
  throw new Error(`The server did not start:\n${text.join('')}`);
}
