// Children of the campaign: each does one thing with the built packages and prints one line of
// JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Ends a process with this one, should it still run then. */
export function watchOver(child) {
  running.add(child);
  child.once('close', () => running.delete(child));
}

/** Starts a child; `job` is what it is told. */
export function start(script, job, { nodeFlags = [], ...options } = {}) {
  const file = fileURLToPath(new URL(`children/${script}.mjs`, import.meta.url));
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...nodeFlags, file, JSON.stringify(job)],
    { stdio: ['pipe', 'pipe', 'pipe'], ...options },
  );
  watchOver(child);
  const out = [];
  const err = [];
  child.stdout.on('data', (data) => out.push(data));
  child.stderr.on('data', (data) => err.push(data));
  child.stdin.on('error', () => {});
  const ended = once(child, 'close').then(([code, signal]) => {
    return { code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
  });
  return { child, ended, output: () => Buffer.concat(out).toString() };
}

/** Until a child has said a line, or is over. */
export async function firstWords(output, ended) {
  let over = false;
  ended.then(() => {
    over = true;
  });
  while (!output().includes('\n') && !over) await pause(10);
}

/** Runs a child to its end and reads its answer; one that does not end well is an error. */
export async function ask(script, job, options = {}) {
  const { child, ended } = start(script, job, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? 900_000);
  const { code, signal, stdout, stderr } = await ended;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${script} ended with ${signal ?? code}: ${stderr.slice(-500)}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1));
}
