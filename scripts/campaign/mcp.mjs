// A client of the gateway, line by line: starts `spillway mcp` in front of the campaign's own
// server.
import { fileURLToPath } from 'node:url';
import { start } from './program.mjs';

const SERVER = fileURLToPath(new URL('children/mcp-server.mjs', import.meta.url));

export function mcpClient(workspace) {
  const args = ['mcp', '--', process.execPath, SERVER];
  const { child, ended } = start(workspace, args, { input: 'open' });
  const waiting = new Map();
  let rest = '';
  let lastId = 0;
  child.stdout.on('data', (data) => {
    const lines = (rest + data).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, ...answer } = JSON.parse(line);
      waiting.get(id)?.(answer);
      waiting.delete(id);
    }
  });
  ended.then(() => {
    for (const resolve of waiting.values()) resolve(null);
  });
  /** Null if the gateway ended first. */
  const request = (method, params) =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  const ready = request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'campaign', version: '1' },
  }).then(() => child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n'));
  return {
    child,
    ended,
    async call(name, args) {
      await ready;
      return request('tools/call', { name, arguments: args });
    },
    async close() {
      child.stdin.end();
      return ended;
    },
  };
}
