/**
 * The gateway over HTTP: who is let in, what is kept apart, and what happens when an upstream over
 * HTTP fails.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { eventLines } from '../../src/gateway/sse.ts';
import { type Answer, Peer, PROGRAM, textOf, workspace } from './peer.ts';

const RAW = fileURLToPath(new URL('raw-server.mjs', import.meta.url));
const ALICE = 'alice-has-this-token';
const BOB = 'bob-has-another-token';
const children: ChildProcess[] = [];
const servers: ReturnType<typeof createServer>[] = [];

afterAll(() => {
  for (const child of children) child.kill();
  for (const server of servers) server.close().closeAllConnections();
});

async function served(): Promise<URL> {
  const root = await workspace();
  await writeFile(join(root, 'tokens'), `# who may connect\nalice ${ALICE}\nbob ${BOB}\n`);
  const args = [
    PROGRAM,
    'serve',
    '--port',
    '0',
    '--token-file',
    'tokens',
    '--name',
    'raw',
    '--',
    process.execPath,
    RAW,
  ];
  const child = spawn(process.execPath, args, { cwd: root, env: { PATH: process.env.PATH, HOME: root } });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return new URL((line.toString().split('\n')[0] ?? '').replace('Listening on ', ''));
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A POST as no library would send it. */
function post(url: URL, message: unknown, headers: Record<string, string>): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', accept: 'application/json', ...headers };
    const sent = httpRequest(url, { method: 'POST', headers: all }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    });
    sent.once('error', reject);
    sent.end(JSON.stringify(message));
  });
}

const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function session(
  url: URL,
  token: string,
): Promise<(method: string, params: unknown) => Promise<Answer>> {
  const { headers } = await post(url, initialize, bearer(token));
  const id = String(headers['mcp-session-id']);
  return async (method, params) =>
    JSON.parse(
      (await post(url, { jsonrpc: '2.0', id: 2, method, params }, { ...bearer(token), 'mcp-session-id': id }))
        .body,
    );
}

describe('the gateway over HTTP', () => {
  it('lets in who names this machine, comes from it and brings a token; nobody else', async () => {
    const url = await served();
    expect((await post(url, initialize, bearer(ALICE))).status).toBe(200);
    expect((await post(url, initialize, { ...bearer(ALICE), origin: 'http://localhost:3000' })).status).toBe(
      200,
    );
    expect((await post(url, initialize, { ...bearer(ALICE), host: 'evil.example' })).status).toBe(403);
    expect((await post(url, initialize, { ...bearer(ALICE), origin: 'https://evil.example' })).status).toBe(
      403,
    );
    expect((await post(url, initialize, { ...bearer(ALICE), origin: 'null' })).status).toBe(403);
    const without = await post(url, initialize, {});
    expect([without.status, without.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect((await post(url, initialize, bearer('wrong'))).status).toBe(401);
    expect((await post(new URL('/else', url), initialize, bearer(ALICE))).status).toBe(404);
    expect((await post(url, initialize, { ...bearer(ALICE), 'content-type': 'text/plain' })).status).toBe(
      415,
    );
  });

  it('keeps principals apart: neither sessions nor handles of one are there for another', async () => {
    const url = await served();
    const alice = await session(url, ALICE);
    const cut = await alice('tools/call', { name: 'emit', arguments: { chars: 9_000 } });
    const artifact_id = cut.result._meta['spillway/projection'].artifact_id;
    const read = { name: 'get_artifact', arguments: { artifact_id, lines: '1' } };
    expect(textOf(await alice('tools/call', read))).toContain('line 1 of what was said');
    expect(textOf(await (await session(url, ALICE))('tools/call', read))).toContain(
      'line 1 of what was said',
    );
    expect(textOf(await (await session(url, BOB))('tools/call', read))).toContain('There is no artifact');
    const { headers } = await post(url, initialize, bearer(ALICE));
    const stolen = { ...bearer(BOB), 'mcp-session-id': String(headers['mcp-session-id']) };
    expect((await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, stolen)).status).toBe(404);
  });

  it('holds the headers of a request that stands for itself to what it says', async () => {
    const url = await served();
    const params = {
      name: 'emit',
      arguments: { chars: 5 },
      _meta: META,
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const right = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'emit' };
    const answer = await post(url, message, { ...bearer(ALICE), ...right });
    expect(JSON.parse(answer.body)).toMatchObject({
      id: 1,
      result: { content: [{ type: 'text', text: 'line ' }] },
    });
    const unknown = { ...message, id: 9, method: 'some/method', params: { _meta: META } };
    const nothing = await post(url, unknown, { ...bearer(ALICE), ...right, 'mcp-method': 'some/method' });
    expect([nothing.status, JSON.parse(nothing.body).id, JSON.parse(nothing.body).error.code]).toEqual([
      404, 9, -32601,
    ]);
    const bare = { ...message, params: { name: 'emit', arguments: {} } };
    const refusedBare = await post(url, bare, { ...bearer(ALICE), ...right });
    expect([refusedBare.status, JSON.parse(refusedBare.body)]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32602, message: '_meta must hold io.modelcontextprotocol/protocolVersion.' },
      },
    ]);
    for (const wrong of [{ 'mcp-method': 'tools/list' }, { 'mcp-name': 'other' }]) {
      const refused = await post(url, message, { ...bearer(ALICE), ...right, ...wrong });
      expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([400, -32020]);
    }
  });
});

it('a stream begins before its answer; a client that goes away then does not keep the session from others', async () => {
  const url = await served();
  const { headers } = await post(url, initialize, bearer(ALICE));
  const own = { ...bearer(ALICE), 'mcp-session-id': String(headers['mcp-session-id']) };
  const call = (delay: number) => ({
    ...{ jsonrpc: '2.0', id: 7, method: 'tools/call' },
    params: { name: 'emit', arguments: { chars: 9, delay } },
  });
  const accept = 'application/json, text/event-stream';
  const sent = httpRequest(url, {
    method: 'POST',
    headers: { ...own, accept, 'content-type': 'application/json' },
  });
  sent.on('error', () => undefined);
  sent.end(JSON.stringify(call(60_000)));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  response.on('error', () => undefined);
  sent.destroy();
  await expect.poll(async () => (await post(url, call(0), own)).body).toContain('line 1 of');
});

/** An upstream over HTTP that behaves as it is told. */
async function upstream(
  handle: (message: { id: number; method: string }, response: ServerResponse, session: unknown) => void,
): Promise<URL> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = body === '' ? {} : JSON.parse(body);
    if (request.method !== 'POST') response.writeHead(405).end();
    else if (message.id === undefined) response.writeHead(202).end();
    else handle(message, response, request.headers['mcp-session-id']);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

function json(
  response: ServerResponse,
  id: number,
  result: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(200, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'u', version: '1' },
};

async function through(url: URL, ...flags: string[]): Promise<Peer> {
  const gateway = new Peer(
    process.execPath,
    [PROGRAM, 'mcp', '--url', url.href, ...flags],
    await workspace(),
  );
  await gateway.initialize();
  return gateway;
}

describe('an upstream over HTTP', () => {
  it('that lost its session is begun anew, and the call is made again', async () => {
    let sessions = 0;
    const url = await upstream(({ id, method }, response, session) => {
      if (method === 'initialize') return json(response, id, HELLO, { 'mcp-session-id': `s${++sessions}` });
      if (session !== 's2') return response.writeHead(404).end();
      json(response, id, { content: [{ type: 'text', text: `in ${session}` }] });
    });
    expect(textOf(await (await through(url)).call('any'))).toBe('in s2');
  });

  it('that refuses, breaks off or is not there fails the call with a sentence, and stores what had come', async () => {
    const url = await upstream(({ id, method }, response) => {
      if (method === 'initialize') return json(response, id, HELLO);
      if (method === 'tools/list') return response.writeHead(401).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        `data: {"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"begun and`,
      );
      setTimeout(() => response.destroy(), 50);
    });
    const gateway = await through(url);
    const broken = await gateway.call('any');
    expect(broken.result.isError).toBe(true);
    expect(textOf(broken)).toBe(
      'The server ended before its result was complete.\n[Crashed. Output incomplete.]\nbegun and',
    );
    const refused = await gateway.request('tools/list');
    expect(refused.error?.message).toBe(
      'The server refused (HTTP 401). Give what it wants with --header, e.g. --header "Authorization: Bearer …".',
    );
    const nowhere = new Peer(
      process.execPath,
      [PROGRAM, 'mcp', '--url', 'http://127.0.0.1:1/mcp'],
      await workspace(),
    );
    expect((await nowhere.initialize()).error?.message).toBe('The server cannot be reached (ECONNREFUSED).');
  });

  it.each([
    ['0', 100],
    ['99999999999', 30_000],
    ['9'.repeat(20), 30_000],
    ['2500', 2_500],
  ])('that wants to be asked again after %s ms is asked after %i', async (retry, ms) => {
    const marks = { id: null, retryMs: null };
    const events = eventLines([Buffer.from(`retry: ${retry}\n\n`)] as never, marks);
    for await (const line of events) expect(line).toBeNull();
    expect(marks.retryMs).toBe(ms);
  });

  it('that closes its stream to be asked again at once, time after time, is asked after a moment', async () => {
    let asked = 0;
    const times: number[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const message = body === '' ? {} : JSON.parse(body);
      if (message.method === 'initialize')
        return json(response, message.id, HELLO, { 'mcp-session-id': 's' });
      if (message.method === 'notifications/initialized') return response.writeHead(202).end();
      if (request.method === 'DELETE') return response.writeHead(200).end();
      const last = request.headers['last-event-id'];
      if (request.method === 'GET' && last === undefined) return response.writeHead(405).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      times.push(performance.now());
      const answer = '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"at last"}]}}';
      // The mark at the beginning of a stream is not part of its first line.
      response.end(`\uFEFFid: ${++asked}\nretry: 0\ndata: ${asked < 9 ? '' : answer}\n\n`);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    expect(textOf(await (await through(url)).call('any'))).toBe('at last');
    expect(asked).toBe(9);
    // Timers may be a millisecond early.
    expect(Math.min(...times.slice(1).map((time, i) => time - (times[i] ?? 0)))).toBeGreaterThan(98);
  });

  it('may send a result of any size, in a stream or alone', async () => {
    const long = JSON.stringify('a line of text\n'.repeat(300_000)).slice(1, -1);
    const url = await upstream(({ id, method }, response) => {
      if (method === 'initialize') return json(response, id, HELLO);
      const message = `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${long}"}]}}`;
      const asStream = id % 2 === 0;
      response.writeHead(200, { 'content-type': asStream ? 'text/event-stream' : 'application/json' });
      response.end(asStream ? `: comment\r\nid: 7\r\nevent: message\r\ndata: ${message}\r\n\r\n` : message);
    });
    const gateway = await through(url);
    for (let i = 0; i < 2; i++) {
      const { result } = await gateway.call('any');
      expect(result._meta['spillway/projection']).toMatchObject({ original_size: 4_500_000, complete: true });
    }
  });
});
