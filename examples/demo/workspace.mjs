// The workspace of the demo: a temporary folder with a project whose tests fail and a dump of an
// API, and the program in it with a home of its own. Nothing of it is left when the process ends.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../packages/spillway/bin/spillway.js', import.meta.url));

export function openWorkspace() {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-demo-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
  // Nobody reads on: `npm run demo | head`.
  process.stdout.on('error', () => process.exit(1));
  const app = join(folder, 'app');
  mkdirSync(join(app, 'test'), { recursive: true });
  writeFileSync(join(app, 'test', 'orders.test.mjs'), TESTS);
  writeFileSync(join(app, 'orders.json'), JSON.stringify({ page: 1, orders: orders(2_000) }));
  return { app, env: plainEnvironment(folder) };
}

/** The user's own settings play no part. */
function plainEnvironment(folder) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SPILLWAY_|XDG_|NODE_TEST_)/.test(name));
  return { ...Object.fromEntries(kept), HOME: folder, USERPROFILE: folder, NO_COLOR: '1' };
}

const TESTS = `import assert from 'node:assert/strict';
import { test } from 'node:test';
const price = (order) => (order === 1187 ? 0 : order * 0.9);
for (let order = 1; order <= 2000; order++)
  test('order ' + order + ' gets its discount', () => assert.equal(price(order), order * 0.9));
`;

function orders(length) {
  return Array.from({ length }, (_, id) => ({
    id,
    customer: `customer ${id % 40}`,
    total: 20 + (id % 17),
    status: id === 1_187 ? 'payment_failed' : 'paid',
  }));
}

/** What a real command prints; it fails. */
export function runTests({ app, env }) {
  const args = ['--test', '--test-reporter=tap'];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: app,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

export function spillway({ app, env }, args, input = '') {
  return execFileSync(process.execPath, [program, ...args], {
    cwd: app,
    env,
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

/** Starts the inspector; resolves with its address and what ends it. */
export async function startInspector({ app, env }) {
  const child = spawn(process.execPath, [program, 'inspect', '--no-open', '--json'], {
    cwd: app,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // At once and before the folder goes: what it would write while it ends would come back.
  process.prependListener('exit', () => child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.on('close', resolve));
  const line = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', resolve);
    ended.then((code) => reject(new Error(`spillway inspect ended with ${code}`)));
  });
  const stop = () => {
    child.kill();
    return ended;
  };
  return { url: JSON.parse(line).url, stop };
}
