// Runs a file of children/ in a process of its own and gives back the JSON that it prints last.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Resolves with what the child reported, or with { died: why }. */
export async function askChild(name, question, nodeFlags = []) {
  const child = startChild(name, question, nodeFlags);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'])
    child[stream].setEncoding('utf8').on('data', (text) => {
      output[stream] += text;
    });
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (...end) => resolve(end));
  });
  if (code === 0) return JSON.parse(output.stdout.trim().split('\n').at(-1));
  return { died: whyOf(output.stderr, signal ?? `exit code ${code}`) };
}

export function startChild(name, question, nodeFlags = []) {
  const file = fileURLToPath(new URL(`children/${name}.mjs`, import.meta.url));
  return spawn(process.execPath, [...nodeFlags, file, JSON.stringify(question)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function whyOf(stderr, otherwise) {
  if (/heap out of memory|heap limit/.test(stderr)) return 'out of heap';
  if (/longer than 0x[0-9a-f]+ characters|Invalid string length/.test(stderr)) return 'string too long';
  return `${otherwise}: ${stderr.trim().split('\n').slice(-3).join(' ').slice(0, 200)}`;
}
