// The command line of the official inspector: one process a request. It takes a `--` for its own,
// so that a server that is a process is named in a file.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../toolchain.mjs';

export const name = 'Inspector CLI';
export const packages = ['@modelcontextprotocol/inspector'];

const PROGRAM = join(root, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
/** Its exit code where the tool itself said that it failed; the result is printed all the same. */
const TOOL_FAILED = 5;

export async function connect({ stdio, http }) {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-inspector-'));
  const config = join(folder, 'mcp.json');
  if (stdio) writeFileSync(config, JSON.stringify({ mcpServers: { tried: stdio } }));
  const target = stdio
    ? ['--config', config, '--server', 'tried']
    : [
        http.url,
        ...Object.entries(http.headers ?? {}).flatMap(([key, value]) => ['--header', `${key}: ${value}`]),
      ];
  const run = (...request) => printed([PROGRAM, '--cli', ...target, ...request], folder);
  return {
    list: async () => (await run('--method', 'tools/list')).tools,
    call: (tool, args) =>
      run(
        ...['--method', 'tools/call', '--tool-name', tool],
        ...Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${JSON.stringify(value)}`]),
      ),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function printed(args, home) {
  const env = { PATH: process.env.PATH, HOME: home };
  return new Promise((resolve, reject) =>
    execFile(process.execPath, args, { env, maxBuffer: 64_000_000 }, (error, stdout, stderr) => {
      if (error && error.code !== TOOL_FAILED)
        reject(new Error(`it ended with ${error.code}: ${stderr.slice(-300)}`));
      else resolve(JSON.parse(stdout));
    }),
  );
}
