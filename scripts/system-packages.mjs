// Installs what tests need from the system, where that can be done without asking: as root, with
// apt-get. Whatever is there already is left alone, and a failure is no failure of the run: the
// tests that need the package are skipped, and say so.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const debianServers = '/usr/lib/postgresql';

/** What is needed: the package, how to tell that it is there, and what is not tested without it. */
const NEEDED = [
  // For packages/spillway/test/postgres/postgres.test.ts.
  { title: 'PostgreSQL', name: 'postgresql', isThere: hasPostgres, untested: 'its store' },
  // For packages/spillway/test/postgres/pgbouncer.test.ts.
  { title: 'pgbouncer', name: 'pgbouncer', isThere: hasPgbouncer, untested: 'the store behind it' },
  // For packages/spillway/test/browser/gateway.test.ts.
  { title: 'Chromium', name: 'chromium', isThere: hasBrowser, untested: 'the gateway in front of a browser' },
];

export function installSystemPackages() {
  const missing = NEEDED.filter(({ isThere }) => !isThere());
  if (missing.length === 0) return;
  const titles = missing.map(({ title }) => title).join(', ');
  if (process.getuid?.() !== 0 || !onPath('apt-get'))
    console.log(`Not installed, and not to be installed from here: ${titles}.`);
  else {
    console.log(`Installing ${titles} (a minute or so).`);
    const names = missing.map(({ name }) => name);
    // Lists of packages that are too old name files that are gone; one package that cannot be had
    // keeps no other from being installed.
    if (!install(names) && !(aptGet(['update']) && install(names))) for (const name of names) install([name]);
  }
  for (const { title, isThere, untested } of missing)
    if (!isThere()) console.log(`${title} is not there: ${untested} will not be tested.`);
}

function install(names) {
  return aptGet(['install', '-y', '--no-install-recommends', ...names]);
}

function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', ['-qq', ...args], { env, stdio: 'ignore', timeout: 300_000 }).status === 0;
}

function hasPostgres() {
  const versions = existsSync(debianServers) ? readdirSync(debianServers) : [];
  return (
    versions.some((version) => existsSync(join(debianServers, version, 'bin', 'initdb'))) || onPath('initdb')
  );
}

function hasPgbouncer() {
  return onPath('pgbouncer') || existsSync('/usr/sbin/pgbouncer');
}

function hasBrowser() {
  return ['chromium', 'chromium-browser', 'google-chrome'].some(onPath);
}

function onPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
