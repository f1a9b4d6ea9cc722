// A PostgreSQL server of the campaign: one of the tests' own, that waits for the disk as a server
// does that keeps its promises. It can be asked, crashed, started again, and copied into a standby
// without which it answers no commit.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { postgresPrograms, startPostgres } from '../../../packages/spillway/test/postgres/postgres-server.ts';
import { removeFolder } from '../remove-folder.mjs';

const pg = createRequire(new URL('../../../packages/spillway/package.json', import.meta.url))('pg');
const PATIENCE_MS = 60_000;

/** Where the server's programs are; undefined where there are none. */
export const programs = postgresPrograms();

/** Those that run. */
const running = new Set();
process.on('exit', () => {
  for (const cluster of running) cluster.endNow();
});

/** A connection of the campaign's own. */
export async function connected(connectionString) {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  return client;
}

export class Cluster {
  #server;

  constructor(server) {
    this.#server = server;
    running.add(this);
  }

  static async make() {
    return new Cluster(await startPostgres(programs, []));
  }

  get folder() {
    return this.#server.folder;
  }

  get socket() {
    return join(this.folder, '.s.PGSQL.5432');
  }

  /** The way to a database of it, past any proxy. */
  url(database = 'postgres') {
    return `postgresql:///${database}?host=${encodeURIComponent(this.folder)}&user=postgres`;
  }

  crash() {
    return this.#server.crash();
  }

  start() {
    return this.#server.start();
  }

  async remove() {
    await this.#server.stop();
    running.delete(this);
  }

  /** A server that follows this one; from now on commits wait for it. */
  async standby() {
    const standby = new Cluster(await this.#server.standby());
    await this.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await this.query('SELECT pg_reload_conf()');
    await this.#until("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    return standby;
  }

  /** From now on it is the one that is written to. */
  async promote() {
    await this.query('SELECT pg_promote(true)');
  }

  async query(sql, values = [], database = 'postgres') {
    const client = await connected(this.url(database));
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** One of PostgreSQL's programs on it, e.g. `pg_dump`. */
  run(program, args, owner = {}) {
    const env = { ...process.env, PGHOST: this.folder, PGUSER: 'postgres' };
    return promisify(execFile)(join(programs, program), args, { ...owner, env, cwd: this.folder });
  }

  /** Without waiting: this process ends. */
  endNow() {
    try {
      const [pid] = readFileSync(join(this.folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGQUIT');
    } catch {
      // It is down.
    }
    removeFolder(this.folder);
  }

  async #until(sql) {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await pause(50))
      if ((await this.query(sql)).length > 0) return;
    throw new Error(`PostgreSQL did not come to: ${sql}`);
  }
}
