// context-mode: an MCP server that runs a command for the model, indexes what it printed and
// answers with the sections that match the model's questions. It has no budget to set. It is asked
// as its own description says, through ctx_batch_execute, about errors, failures and exceptions.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from '../scratch.mjs';

const QUERIES = ['errors failures exceptions'];
const server = fileURLToPath(new URL('../node_modules/context-mode/server.bundle.mjs', import.meta.url));

/** Starts the server with a home of its own. `cut` gives its answer to a command that prints the text. */
export async function contextMode() {
  const home = scratchFolder();
  mkdirSync(join(home, '.git'));
  const env = { PATH: process.env.PATH, HOME: home, CLAUDE_PROJECT_DIR: home, TMPDIR: home };
  const child = spawn(process.execPath, [server], { cwd: home, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const ask = asker(child);
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '0' },
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  let texts = 0;
  return {
    async cut(text) {
      const file = join(home, `output-${++texts}.txt`);
      writeFileSync(file, text);
      const commands = [{ label: `output ${texts}`, command: `cat '${file}'` }];
      const answer = await ask('tools/call', {
        name: 'ctx_batch_execute',
        arguments: { commands, queries: QUERIES },
      });
      return answer.content.map((block) => block.text).join('\n');
    },
    close: () => child.kill(),
  };
}

/** Requests of JSON-RPC, one line each, answered in any order. */
function asker(child) {
  const waiting = new Map();
  let ids = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    const request = waiting.get(id);
    waiting.delete(id);
    if (error) request?.reject(new Error(`context-mode: ${error.message}`));
    else request?.resolve(result);
  });
  child.on('close', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`context-mode ended with ${code}`));
  });
  return (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++ids;
      waiting.set(id, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
}
