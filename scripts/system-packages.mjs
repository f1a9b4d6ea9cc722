// Installs what tests need from the system, where that can be done without asking: as root, with apt-get. Whatever is there already is left alone,
// and a failure is no failure of the run: the tests that need the package are skipped, and say so.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const debianServers = '/usr/lib/postgresql';

/** A PostgreSQL server for packages/spillway/test/postgres.test.ts. */
export function installPostgres() {
  if (hasPostgres()) return;
  if (process.getuid?.() !== 0 || !onPath('apt-get')) {
    console.log('PostgreSQL is not installed, and cannot be from here: its store will not be tested.');
    return;
  }
  console.log('Installing PostgreSQL (a minute or so).');
  const installed = aptGet('install') || (aptGet('update') && aptGet('install'));
  if (!installed || !hasPostgres())
    console.log('PostgreSQL could not be installed: its store will not be tested.');
}

function aptGet(command) {
  const args = command === 'install' ? ['install', '-y', '--no-install-recommends', 'postgresql'] : [command];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', ['-qq', ...args], { env, stdio: 'ignore', timeout: 300_000 }).status === 0;
}

function hasPostgres() {
  const versions = existsSync(debianServers) ? readdirSync(debianServers) : [];
  return (
    versions.some((version) => existsSync(join(debianServers, version, 'bin', 'initdb'))) || onPath('initdb')
  );
}

function onPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
