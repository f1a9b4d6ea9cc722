// Clients of the gateway that write messages by hand: `mcpClient` speaks to `spillway mcp` line by
// line, `mcpHttpClient` to `spillway serve`. Both stand in front of a server of the campaign, and
// have the same `call`, `cancelled` (a call that is given up at once) and `close`.
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { start } from './program.mjs';

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'campaign', version: '1' },
};

/** `server` is the name of a file of children/. A call is answered with null if the gateway ends first. */
export function mcpClient(workspace, server = 'mcp-server') {
  const { child, ended } = start(workspace, ['mcp', ...commandOf(server)], { input: 'open' });
  const waiting = new Map();
  let rest = '';
  let lastId = 0;
  let isOver = false;
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
    isOver = true;
    for (const resolve of waiting.values()) resolve(null);
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve) => {
      if (isOver) resolve(null);
      const id = ++lastId;
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  const ready = request('initialize', INITIALIZE).then(() => send({ method: 'notifications/initialized' }));
  return {
    child,
    ended,
    ready,
    async call(name, args) {
      await ready;
      return request('tools/call', { name, arguments: args });
    },
    async cancelled(name, args) {
      const id = `cancelled-${++lastId}`;
      send({ id, method: 'tools/call', params: { name, arguments: args } });
      send({ method: 'notifications/cancelled', params: { requestId: id } });
      await pause(1);
    },
    close() {
      child.stdin.end();
      return ended;
    },
  };
}

export function mcpHttpClient(workspace, server) {
  const args = ['serve', '--port', '0', ...commandOf(server)];
  const { child, ended, seen } = start(workspace, args, { input: 'open' });
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  let url;
  let lastId = 0;
  const post = (message, signal) =>
    fetch(url, { method: 'POST', headers, signal, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const request = async (method, params) => {
    const response = await post({ id: ++lastId, method, params });
    headers['mcp-session-id'] ??= response.headers.get('mcp-session-id');
    const body = await response.text();
    return JSON.parse(/^data: (\{.*"id".*)$/m.exec(body)?.[1] ?? body);
  };
  const introduce = async () => {
    while (!/For a client/.test(seen.stdout)) await pause(20);
    url = /http:\S+/.exec(seen.stdout)[0];
    headers.authorization = `Bearer ${/^Token: (.*)$/m.exec(seen.stdout)[1]}`;
    await request('initialize', INITIALIZE);
    await post({ method: 'notifications/initialized' });
  };
  const ready = introduce();
  return {
    child,
    ended,
    ready,
    async call(name, args) {
      await ready;
      return request('tools/call', { name, arguments: args });
    },
    async cancelled(name, args) {
      const id = `cancelled-${++lastId}`;
      const given = new AbortController();
      const answer = post({ id, method: 'tools/call', params: { name, arguments: args } }, given.signal)
        .then((response) => response.text())
        .catch(() => undefined);
      await pause(2);
      await (await post({ method: 'notifications/cancelled', params: { requestId: id } })).text();
      given.abort();
      await answer;
    },
    close() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

function commandOf(server) {
  return ['--', process.execPath, fileURLToPath(new URL(`children/${server}.mjs`, import.meta.url))];
}
