// The gateway in front of an MCP server, here one of a few lines: a large result comes back
// bounded, and get_artifact reads the rest.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const server = `
  const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize')
      answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'logs', version: '1' } });
    if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: 'a line of the log\\n'.repeat(100000) }] });
  });`;
const program = join(
  dirname(createRequire(import.meta.url).resolve('spillway/package.json')),
  'bin',
  'spillway.js',
);
const folder = mkdtempSync(join(tmpdir(), 'spillway-example-'));
const gateway = spawn(
  process.execPath,
  [program, 'mcp', '--name', 'logs', '--', process.execPath, '-e', server],
  {
    cwd: folder,
    env: { ...process.env, SPILLWAY_STORE: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  },
);
const answers = createInterface({ input: gateway.stdout })[Symbol.asyncIterator]();

async function ask(id, method, params) {
  gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  return JSON.parse((await answers.next()).value).result;
}

await ask(1, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'me', version: '1' },
});
const { content, _meta } = await ask(2, 'tools/call', { name: 'read_log', arguments: {} });
const { artifact_id, original_size } = _meta['spillway/projection'];
const page = await ask(3, 'tools/call', {
  name: 'get_artifact',
  arguments: { artifact_id, lines: '99999-100000' },
});

assert.equal(original_size, 1_800_000);
assert.ok(content[0].text.length <= 8_000);
assert.match(page.content[0].text, /lines 99,999-100,000 of 100,000/);
console.log(content[0].text.split('\n').slice(0, 2).join('\n'));
gateway.stdin.end();
gateway.once('exit', () => rmSync(folder, { recursive: true, force: true }));
