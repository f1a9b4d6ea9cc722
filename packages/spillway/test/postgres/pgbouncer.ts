/**
 * A pgbouncer of the test's own in front of a server, in transaction mode: a client has a
 * connection of the server only for the length of a transaction, and the next time another one.
 * Only two of them, so that clients really take turns.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type PostgresServer, unprivilegedFolder, untilReady } from './postgres-server.ts';

export interface Pgbouncer {
  readonly connectionString: string;
  stop(): Promise<void>;
}

/** How many connections of the server all clients share. */
export const SERVER_CONNECTIONS = 2;

/** Where the program is; undefined where it is not installed. */
export function pgbouncerProgram(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file));
}

export async function startPgbouncer(
  program: string,
  { folder: behind }: PostgresServer,
): Promise<Pgbouncer> {
  const { folder, how } = unprivilegedFolder('spillway-pgb-');
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(settings, settingsFor(folder, behind));
  const bouncer = spawn(program, [settings], { ...how, stdio: ['ignore', 'ignore', 'pipe'] });
  const text: string[] = [];
  bouncer.stderr?.on('data', (chunk) => text.push(`${chunk}`));
  await untilReady(
    bouncer,
    () => existsSync(join(folder, '.s.PGSQL.6432')) && text.join('').includes('process up'),
    text,
  );
  return {
    connectionString: `postgresql:///postgres?host=${encodeURIComponent(folder)}&port=6432&user=postgres`,
    async stop() {
      const ended = once(bouncer, 'exit');
      // SIGTERM is its immediate shutdown.
      if (bouncer.exitCode === null && bouncer.kill('SIGTERM')) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function settingsFor(folder: string, behind: string): string {
  return `[databases]
* = host=${behind} port=5432 user=postgres
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = ${folder}
auth_type = any
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 200
server_login_retry = 1
`;
}
