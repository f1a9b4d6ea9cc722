/**
 * Sessions over HTTP from beginning to end: what counts as use, how many there are, and how they
 * stop.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { PROGRAM, workspace } from './peer.ts';

const RAW = fileURLToPath(new URL('raw-server.mjs', import.meta.url));
const TOKEN = 'a-token-of-enough-chars';
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

interface Served {
  readonly url: URL;
  readonly child: ChildProcess;
}

async function served(flags: readonly string[] = [], server: readonly string[] = []): Promise<Served> {
  const root = await workspace();
  const args = [PROGRAM, 'serve', '--port', '0', '--name', 'raw', ...flags];
  const child = spawn(process.execPath, [...args, '--', process.execPath, RAW, ...server], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root, SPILLWAY_TOKEN: TOKEN },
  });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: new URL(/http:\S+/.exec(line.toString())?.[0] ?? ''), child };
}

interface Reply {
  readonly status: number;
  readonly session: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape are looked at
  readonly body: any;
}

async function post(url: URL, message: object, session?: string): Promise<Reply> {
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    accept: 'application/json',
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
  };
  const sent = httpRequest(url, { method: 'POST', headers });
  sent.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += chunk;
  return {
    status: response.statusCode ?? 0,
    session: String(response.headers['mcp-session-id']),
    body: body === '' ? null : JSON.parse(body),
  };
}

const begin = (url: URL) =>
  post(url, { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } });
const call = (id: number, name: string, args: object = {}) => ({
  ...{ id, method: 'tools/call' },
  params: { name, arguments: args },
});

/** The processes below one, by their parents. */
async function processesBelow(pid: number): Promise<number[]> {
  const listed = spawn('ps', ['-eo', 'pid=,ppid=']);
  let text = '';
  for await (const chunk of listed.stdout) text += chunk;
  const pairs = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([one]) => one as number);
}

/** A process that has ended and that nobody has asked about yet is not alive. */
const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** Waits until the server of a session has got its first call. */
async function serverHasACall(url: URL, session: string | undefined): Promise<void> {
  const asked = { id: 99, method: 'calls' };
  await expect.poll(async () => (await post(url, asked, session)).body.result.calls).toBe(1);
}

describe('a session over HTTP', () => {
  it('is not ended while a call of it runs, and is ended when nothing uses it', async () => {
    const { url } = await served(['--idle', '1s']);
    const { session } = await begin(url);
    const { status, body } = await post(url, call(2, 'emit', { chars: 4, delay: 3_500 }), session);
    expect([status, body.result.content[0].text]).toEqual([200, 'line']);
    await expect
      .poll(async () => (await post(url, { method: 'notifications/x' }, session)).status, {
        timeout: 20_000,
        interval: 3_000,
      })
      .toBe(404);
  }, 60_000);

  it('answers a request whose id is in use with an error, and the first one too', async () => {
    const { url } = await served();
    const { session } = await begin(url);
    const first = post(url, call(7, 'held'), session);
    await serverHasACall(url, session);
    const second = await post(url, call(7, 'emit', { chars: 9 }), session);
    expect([second.status, second.body.id, second.body.error]).toEqual([
      400,
      7,
      {
        code: -32600,
        message: 'Another request of this session with that id is not answered yet.',
      },
    ]);
    await post(url, call(8, 'release'), session);
    expect((await first).body.result.content[0].text).toBe('released');
  });

  it('makes room for a new one where a principal has too many; what is in use stays', async () => {
    const { url, child } = await served(['--max-sessions', '2']);
    const used = await begin(url);
    const slow = post(url, call(2, 'held'), used.session);
    await serverHasACall(url, used.session);
    const unused = await begin(url);
    const third = await begin(url);
    expect(third.status).toBe(200);
    expect((await post(url, call(2, 'emit'), unused.session)).status).toBe(404);
    const slowToo = post(url, call(2, 'held'), third.session);
    await serverHasACall(url, third.session);
    const refused = await begin(url);
    expect([refused.status, refused.body.error.message]).toEqual([
      503,
      'Too many sessions are in use. End one, or try again later.',
    ]);
    for (const { session } of [used, third]) await post(url, call(3, 'release'), session);
    for (const answer of await Promise.all([slow, slowToo]))
      expect(answer.body.result.content[0].text).toBe('released');
    await expect.poll(async () => (await processesBelow(child.pid ?? 0)).length).toBe(2);
  }, 60_000);
});

describe('a gateway over HTTP that is told to end', () => {
  it('answers every call in flight with an error, takes nothing new, and ends all servers', async () => {
    const { url, child } = await served([], ['--stubborn']);
    const sessions = await Promise.all(Array.from({ length: 8 }, () => begin(url)));
    const servers = await processesBelow(child.pid ?? 0);
    expect(servers).toHaveLength(8);
    const calls = sessions.map(({ session }) => post(url, call(5, 'hang'), session));
    await new Promise((resolve) => setTimeout(resolve, 500));
    child.kill('SIGTERM');
    for (const { body } of await Promise.all(calls))
      expect(body).toEqual({
        jsonrpc: '2.0',
        id: 5,
        error: { code: -32000, message: 'The gateway is shutting down.' },
      });
    const late = await begin(url).then(
      ({ status }) => status,
      () => 'refused',
    );
    expect([503, 'refused']).toContain(late);
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(servers.filter(isAlive)).toEqual([]);
  }, 60_000);

  it('twice ends at once and leaves no server behind', async () => {
    const { url, child } = await served([], ['--stubborn']);
    await begin(url);
    const servers = await processesBelow(child.pid ?? 0);
    child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 200));
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(143);
    await expect.poll(() => servers.filter(isAlive)).toEqual([]);
  }, 60_000);
});

describe('a gateway over HTTP that is given no token', () => {
  it('makes one up, prints what a client takes, and knows the token after a restart', async () => {
    const root = await workspace();
    const start = async () => {
      const args = [PROGRAM, 'serve', '--port', '0', '--name', 'raw', '--', process.execPath, RAW];
      const child = spawn(process.execPath, args, { cwd: root, env: { PATH: process.env.PATH, HOME: root } });
      children.push(child);
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      await expect.poll(() => text, { timeout: 20_000 }).toMatch(/^Inspector: \S+\n$/m);
      child.kill('SIGTERM');
      await once(child, 'exit');
      return text;
    };
    const printed = await start();
    const [, token = ''] = /^Token: (\S{32})$/m.exec(printed) ?? [];
    const { raw } = JSON.parse(printed.slice(printed.indexOf('{'), printed.lastIndexOf('}') + 1)).mcpServers;
    expect(raw).toEqual({
      type: 'http',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(await start()).toContain(`Token: ${token}\n`);
    const folder = join(root, '.local', 'share', 'spillway', 'tokens');
    const [file = ''] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  }, 60_000);
});
