/**
 * The command line of the official inspector, run as people run it: one process a request, its
 * answer as JSON on standard output.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const PACKAGE = require.resolve('@modelcontextprotocol/inspector/package.json');
const INSPECTOR = join(PACKAGE, '..', 'clients', 'launcher', 'build', 'index.js');
/** Its exit code where the tool itself said that it failed; the result is printed all the same. */
const TOOL_FAILED = 5;

/**
 * What it prints for a server that is a process of Node with these words. It takes a `--` among
 * them for its own, so they come in a file.
 */
export async function inspected<T>(
  root: string,
  server: readonly string[],
  request: readonly string[],
): Promise<T> {
  const config = join(await mkdtemp(join(root, 'inspector-')), 'mcp.json');
  const entry = { command: process.execPath, args: server, cwd: root };
  await writeFile(config, JSON.stringify({ mcpServers: { tried: entry } }));
  return inspectedAt(root, ['--config', config, '--server', 'tried'], request);
}

/** The same for any target: a URL, or a server of a file. */
export async function inspectedAt<T>(
  root: string,
  target: readonly string[],
  request: readonly string[],
): Promise<T> {
  const child = spawn(process.execPath, [INSPECTOR, '--cli', ...target, ...request], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [text, complaint] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 && code !== TOOL_FAILED) throw new Error(`the inspector ended with ${code}: ${complaint}`);
  return JSON.parse(text) as T;
}
