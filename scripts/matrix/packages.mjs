// Installs packages of npm in a cache folder of the checkout, each in a folder of its own so that
// none changes what another one gets, and finds the file that starts one.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runNpm } from '../toolchain.mjs';

export const CACHE = join(root, '.cache', 'gateway-matrix');

/** The folder of an installed package. */
export function installed(name, version) {
  const prefix = join(CACHE, `${name.replaceAll(/[@/]/g, '_')}-${version}`);
  const folder = join(prefix, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  mkdirSync(prefix, { recursive: true });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  const { status, stderr } = runNpm(
    process.execPath,
    ['install', '--prefix', prefix, ...flags, `${name}@${version}`],
    { cwd: prefix, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`npm could not install ${name}@${version}: ${stderr.slice(-300)}`);
  return folder;
}

/** The file that starts the program of a package. */
export function programOf(folder) {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : Object.values(bin)[0]);
}

export function versionOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
}

export const PYTHON_CACHE = join(CACHE, 'python');
