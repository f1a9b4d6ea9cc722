/**
 * Clients and servers of both eras of the protocol, by the official SDKs, over both transports,
 * through the gateway.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, describe, expect, it } from 'vitest';
import { PROGRAM, workspace } from './peer.ts';

const SERVER = fileURLToPath(new URL('sdk-server.mjs', import.meta.url));
const TOKEN = 'a-token-for-the-tests-only';
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill();
});

// biome-ignore lint/suspicious/noExplicitAny: the two SDKs have different types for the same things
type AnyClient = any;

/** Starts a program and gives the first line it prints. */
async function firstLine(args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, SPILLWAY_TOKEN: TOKEN },
  });
  children.push(child);
  child.stderr.resume();
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return line.toString().split('\n')[0] ?? '';
}

/** What a gateway is told to stand in front of. */
async function target(server: string, root: string): Promise<string[]> {
  if (server.endsWith('stdio')) return ['--', process.execPath, SERVER, server];
  return ['--url', `http://127.0.0.1:${await firstLine([SERVER, server], root)}/mcp`];
}

const modern = () => new ModernClient({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
const legacy = () => new LegacyClient({ name: 'c', version: '1' });

async function overStdio(rules: string, server: string): Promise<AnyClient> {
  const root = await workspace();
  const how = {
    command: process.execPath,
    args: [PROGRAM, 'mcp', '--name', 's', ...(await target(server, root))],
    cwd: root,
  };
  const client: AnyClient = rules === 'modern' ? modern() : legacy();
  await client.connect(rules === 'modern' ? new ModernStdio(how) : new LegacyStdio(how));
  return client;
}

async function overHttp(generation: string, server: string): Promise<AnyClient> {
  const root = await workspace();
  const text = await firstLine(
    [PROGRAM, 'serve', '--port', '0', '--name', 's', ...(await target(server, root))],
    root,
  );
  const url = new URL(text.replace('Listening on ', ''));
  const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
  const client: AnyClient = generation === 'modern' ? modern() : legacy();
  await client.connect(
    generation === 'modern' ? new ModernHttp(url, { requestInit }) : new LegacyHttp(url, { requestInit }),
  );
  return client;
}

/** Small and large results, progress, the tool and the resource that fetch more. */
async function works(client: AnyClient): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['say', 'get_artifact']);
  const small = await client.callTool({ name: 'say', arguments: { chars: 20 } });
  expect(small.content).toEqual([{ type: 'text', text: 'word word word word ' }]);
  const heard: number[] = [];
  const options = { onprogress: ({ progress }: { progress: number }) => heard.push(progress) };
  const call = { name: 'say', arguments: { chars: 20_000 } };
  const large = await (client instanceof LegacyClient
    ? client.callTool(call, undefined, options)
    : client.callTool(call, options));
  expect(heard).toEqual([1, 2]);
  expect(large.content[0].text.length).toBeLessThanOrEqual(8_000);
  const { uri } = large.content.at(-1);
  const page = await client.callTool({
    name: 'get_artifact',
    arguments: { artifact_id: uri.slice(11), chars: '19991-20000' },
  });
  expect(page.content[0].text).toContain('chars 19,991-20,000 of 20,000');
  const { contents } = await client.readResource({ uri: `${uri}?chars=1-4` });
  expect(contents[0].text).toContain('word');
  await client.close();
}

const SERVERS = ['v1-stdio', 'v2-stdio', 'v1-http', 'v2-http'];

describe.each(SERVERS)('the gateway in front of a server of %s', (server) => {
  const agreed = (generation: string) =>
    generation === 'modern' && server.startsWith('v2') ? '2026-07-28' : '2025-11-25';
  const revision = (client: AnyClient) =>
    client.getNegotiatedProtocolVersion?.() ?? client.transport.protocolVersion ?? '2025-11-25';

  it.concurrent.each(['legacy', 'modern'])(
    'serves a %s client on standard input and output',
    async (generation) => {
      const client = await overStdio(generation, server);
      expect(revision(client)).toBe(agreed(generation));
      await works(client);
    },
  );

  it.concurrent.each(['legacy', 'modern'])('serves a %s client over HTTP', async (generation) => {
    const client = await overHttp(generation, server);
    expect(revision(client)).toBe(agreed(generation));
    await works(client);
  });
});

describe('a result of 11 MB', () => {
  const args = [fileURLToPath(new URL('raw-server.mjs', import.meta.url))];
  const call = { name: 'stream', arguments: { mb: 10.5 } };

  it.concurrent.each(['legacy', 'modern'])(
    'ends the connection of a %s client directly, and arrives through the gateway',
    async (generation) => {
      const cwd = await workspace();
      const connected = async (words: readonly string[]): Promise<AnyClient> => {
        const client: AnyClient =
          generation === 'modern' ? new ModernClient({ name: 'c', version: '1' }) : legacy();
        client.onerror = () => undefined;
        const how = { command: process.execPath, args: [...words], cwd, stderr: 'ignore' as const };
        await client.connect(generation === 'modern' ? new ModernStdio(how) : new LegacyStdio(how));
        return client;
      };
      const direct = await connected(args);
      await expect(direct.callTool(call)).rejects.toThrow();
      const through = await connected([PROGRAM, 'mcp', '--', process.execPath, ...args]);
      const { content, _meta } = await through.callTool(call);
      expect(_meta['spillway/projection'].original_size).toBeGreaterThan(10_500_000);
      expect(content[0].text.length).toBeLessThanOrEqual(8_000);
      await Promise.all([direct.close(), through.close()]);
    },
  );
});
