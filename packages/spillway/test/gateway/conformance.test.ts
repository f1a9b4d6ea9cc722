/**
 * The official conformance suite, against a server directly and through the gateway: the same
 * results, all of them passed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { PROGRAM, workspace } from './peer.ts';

const SERVER = fileURLToPath(new URL('conformance-server.mjs', import.meta.url));
const require = createRequire(import.meta.url);
const SUITE = join(
  require.resolve('@modelcontextprotocol/conformance/package.json'),
  '..',
  'dist',
  'index.js',
);
const TOKEN = 'a-token-for-the-tests-only';
const ended: (() => void)[] = [];

afterAll(() => {
  for (const end of ended) end();
});

function started(args: readonly string[], cwd: string): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, SPILLWAY_TOKEN: TOKEN },
  });
  ended.push(() => child.kill());
  return child;
}

async function firstLine(args: readonly string[], cwd: string): Promise<string> {
  const child = started(args, cwd);
  child.stderr?.resume();
  const [line] = (await once(child.stdout as NonNullable<typeof child.stdout>, 'data')) as [Buffer];
  return line.toString().split('\n')[0] ?? '';
}

/** The suite brings no token: this passes everything on as it is, with one. */
async function withToken(target: URL): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${TOKEN}` };
    const passed = request(target, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  }).listen(0, '127.0.0.1');
  ended.push(() => proxy.close().closeAllConnections());
  await once(proxy, 'listening');
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
}

async function served(root: string, ...target: string[]): Promise<string> {
  const text = await firstLine([PROGRAM, 'serve', '--port', '0', ...target], root);
  return withToken(new URL(text.replace('Listening on ', '')));
}

/** The lines of the summary, a scenario each. */
async function results(url: string, root: string): Promise<string[]> {
  const suite = started([SUITE, 'server', '--url', url], root);
  let out = '';
  suite.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  suite.stderr?.resume();
  await once(suite, 'close');
  return out.split('\n').filter((line) => /^[✓✗]/.test(line));
}

describe('the conformance suite', () => {
  it('has the same results directly, through the gateway to a process, and through the gateway to a URL', async () => {
    const root = await workspace();
    const direct = `http://127.0.0.1:${await firstLine([SERVER, 'http'], root)}/mcp`;
    const urls = [
      direct,
      await served(root, '--', process.execPath, SERVER, 'stdio'),
      await served(root, '--url', direct),
    ];
    const [plain, process_, url] = await Promise.all(urls.map((one) => results(one, root)));
    expect(plain?.length).toBeGreaterThan(28);
    expect(plain?.filter((line) => line.startsWith('✗'))).toEqual([]);
    expect(process_).toEqual(plain);
    expect(url).toEqual(plain);
  });
});
