// Python's fastmcp: one process of Python for all servers, which is told what to do line by line.
// It is installed in a cache folder; PIP_FLAGS says where from, if not from PyPI.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { PYTHON_CACHE } from '../packages.mjs';

export const name = 'fastmcp (Python)';
export const packages = [];

const PYTHON = join(PYTHON_CACHE, 'bin', 'python');
let session;

/** Its version; throws where it cannot be had. */
export function prepare() {
  if (!existsSync(PYTHON)) run('python3', ['-m', 'venv', PYTHON_CACHE]);
  const version = ['-c', 'import fastmcp; print(fastmcp.__version__)'];
  try {
    return run(PYTHON, version);
  } catch {
    const flags = (process.env.PIP_FLAGS ?? '').split(' ').filter(Boolean);
    run(PYTHON, ['-m', 'pip', 'install', '--quiet', ...flags, 'fastmcp']);
    return run(PYTHON, version);
  }
}

function run(command, args) {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

export async function connect(target) {
  session ??= startSession();
  await session.ask({ op: 'connect', ...target });
  return {
    list: () => session.ask({ op: 'list' }),
    call: (tool, args) => session.ask({ op: 'call', tool, args }),
    close: () => session.ask({ op: 'close' }),
  };
}

export function end() {
  session?.child.stdin.end();
}

function startSession() {
  const file = fileURLToPath(new URL('fastmcp_client.py', import.meta.url));
  const child = spawn(PYTHON, [file], { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()(JSON.parse(line)));
  child.on('close', () => {
    for (const answer of waiting) answer({ error: 'Python ended' });
  });
  const ask = (message) =>
    new Promise((resolve, reject) => {
      waiting.push(({ error, value }) => (error === undefined ? resolve(value) : reject(new Error(error))));
      child.stdin.write(`${JSON.stringify(message)}\n`);
    });
  return { child, ask };
}
