/** Remote servers that are not plain Streamable HTTP: the former transport, and those with a login. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, describe, expect, it } from 'vitest';
import { Peer, PROGRAM, textOf, workspace } from './peer.ts';

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

async function listening(handler: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server of the first SDK, over HTTP+SSE as it was in revision 2024-11-05. */
async function formerServer() {
  const open = new Map<string, SSEServerTransport>();
  const url = await listening(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    if (request.method === 'GET' && pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      open.set(transport.sessionId, transport);
      const server = new Server({ name: 'former', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler(ListToolsRequestSchema, () => ({
        tools: [{ name: 'say', inputSchema: { type: 'object' as const } }],
      }));
      server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
        content: [{ type: 'text', text: 'word '.repeat(Number(params.arguments?.words)) }],
      }));
      await server.connect(transport);
    } else if (request.method === 'POST' && pathname === '/messages')
      await open.get(searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response);
    else response.writeHead(404).end('Cannot POST /sse');
  });
  return { url: `${url}/sse`, dropAll: () => Promise.all([...open.values()].map((one) => one.close())) };
}

async function through(url: string, ...flags: string[]): Promise<Peer> {
  return new Peer(process.execPath, [PROGRAM, 'mcp', '--url', url, ...flags], await workspace());
}

describe('a server over the former transport', () => {
  it('is used as any other, also after its stream broke', async () => {
    const { url, dropAll } = await formerServer();
    const gateway = await through(url);
    expect((await gateway.initialize()).result.serverInfo.name).toBe('former');
    expect((await gateway.request('tools/list')).result.tools).toHaveLength(2);
    expect(textOf(await gateway.call('say', { words: 2 }))).toBe('word word ');
    const cut = textOf(await gateway.call('say', { words: 60_000 }));
    expect(cut.length).toBeLessThanOrEqual(8_000);
    const artifact_id = /art_\d+_\w+/.exec(cut)?.[0];
    const page = textOf(await gateway.call('get_artifact', { artifact_id, chars: '299996-300000' }));
    expect(page).toContain('word ');
    await dropAll();
    expect(textOf(await gateway.call('say', { words: 1 }))).toBe('word ');
  });
});

describe('a server with a login', () => {
  it('is refused with what to do', async () => {
    const url = await listening((_request, response) => {
      response
        .writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://x/.well-known/y"' })
        .end();
    });
    const gateway = await through(url);
    expect((await gateway.initialize()).error?.message).toBe(
      'The server refused (HTTP 401): it wants a login by OAuth, which the gateway does not do. Put mcp-remote in between, which does: spillway mcp -- npx -y mcp-remote URL. Or give a token with --header "Authorization: Bearer …".',
    );
  });
});
