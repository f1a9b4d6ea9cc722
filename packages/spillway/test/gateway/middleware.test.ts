/** Spillway inside a server, for both official SDKs, and around any function. */
import {
  Client,
  InMemoryTransport as ModernPipe,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as LegacyPipe } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as LegacyServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createMcpHandler, McpServer, Server } from '@modelcontextprotocol/server';
import type { Format } from '@spillway/core/plugin';
import { memoryStore, withSpillway, wrapTool } from 'spillway';
import { describe, expect, it } from 'vitest';
import { openSpillway } from '../../../core/test/opening.ts';

const LONG = Array.from({ length: 2_000 }, (_, i) => `line ${i + 1} of what the tool said\n`).join('');

// biome-ignore lint/suspicious/noExplicitAny: the two SDKs have different types for the same things
async function works(client: any): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['say', 'get_artifact']);
  const { content } = await client.callTool({ name: 'say', arguments: {} });
  expect(content[0].text.length).toBeLessThanOrEqual(8_000);
  const { uri } = content.at(-1);
  const page = await client.callTool({
    name: 'get_artifact',
    arguments: { artifact_id: uri.slice(11), lines: '1234' },
  });
  expect(page.content[0].text).toContain('line 1234 of what the tool said');
  expect((await client.readResource({ uri: `${uri}?lines=2` })).contents[0].text).toContain('line 2 of');
  const asked = await client.callTool({ name: 'say', arguments: { truncation: { max_chars: 500 } } });
  expect(asked.content[0].text.length).toBeLessThanOrEqual(500);
  await client.close();
}

describe('withSpillway', () => {
  it('serves a client of a server made with the first SDK', async () => {
    const server = new LegacyServer({ name: 's', version: '1' });
    server.registerTool('say', { description: 'Says much.' }, () => ({
      content: [{ type: 'text', text: LONG }],
    }));
    withSpillway(server, { spillway: openSpillway(), scope: 'a' });
    const [one, other] = LegacyPipe.createLinkedPair();
    const client = new LegacyClient({ name: 'c', version: '1' });
    await Promise.all([server.connect(other), client.connect(one)]);
    await works(client);
  });

  it('serves a client of a server made with the second SDK', async () => {
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('say', { description: 'Says much.' }, () => ({
      content: [{ type: 'text' as const, text: LONG }],
    }));
    withSpillway(server, { spillway: openSpillway(), scope: 'a' });
    const [one, other] = ModernPipe.createLinkedPair();
    const client = new Client({ name: 'c', version: '1' });
    await Promise.all([server.connect(other), client.connect(one)]);
    await works(client);
  });

  it('tells a client of the argument of a format that was added', async () => {
    const address: Format['address'] = {
      argument: 'section',
      value: 'text',
      description: 'For INI: only this section.',
      unit: 'section',
      units: 'sections',
      ending: '',
      find: async (_stored, { sink }) => ({ matches: sink() }),
    };
    const ini: Format = { name: 'ini', kinds: ['ini'], recognisers: [], address };
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('say', {}, () => ({ content: [] }));
    withSpillway(server, { spillway: openSpillway({ formats: [ini] }), scope: 'a' });
    const [one, other] = ModernPipe.createLinkedPair();
    const client = new Client({ name: 'c', version: '1' });
    await Promise.all([server.connect(other), client.connect(one)]);
    const { tools } = await client.listTools();
    expect(tools.at(-1)?.inputSchema.properties).toMatchObject({
      section: { type: 'string', description: 'For INI: only this section.' },
    });
    await client.close();
  });

  it('serves requests that stand for themselves, each with a server of its own', async () => {
    const spillway = openSpillway();
    const handler = createMcpHandler(() => {
      const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {}, resources: {} } });
      server.setRequestHandler('tools/list', () => ({
        tools: [{ name: 'say', inputSchema: { type: 'object' as const, properties: {} } }],
      }));
      server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text' as const, text: LONG }] }));
      server.setRequestHandler('resources/read', () => ({ contents: [] }));
      return withSpillway(server, { spillway, scope: 'a' });
    });
    const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
    const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch });
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(transport);
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    await works(client);
  });
});

describe('wrapTool', () => {
  const options = () => ({
    spillway: openSpillway(),
    tool: 'say',
    session: 's',
    scope: 'a',
  });

  it('returns what a function returned within its limits, and the rest by its handle', async () => {
    const given = options();
    const say = wrapTool(async (_: { path: string }) => LONG, given);
    const text = await say({ path: 'a.log' });
    expect(text.length).toBeLessThanOrEqual(8_000);
    const [artifact_id] = /art_\w+/.exec(text) ?? [];
    expect((await given.spillway.retrieve({ artifact_id, lines: '1999' }, 'a')).body).toBe(
      'line 1999 of what the tool said\n',
    );
    expect(await wrapTool(() => 'short', given)()).toBe('short');
  });

  it('keeps a value JSON, with the notice inside, and reads streams to their end', async () => {
    const rows = wrapTool(() => Array.from({ length: 5_000 }, (_, id) => ({ id })), options());
    expect(JSON.parse(await rows())).toBeInstanceOf(Array);
    const streamed = wrapTool(async function* () {
      yield LONG;
    }, options());
    expect(await streamed()).toContain(`${LONG.length.toLocaleString('en')} chars`);
  });

  it('stores what is thrown, and throws it again with a bounded message', async () => {
    const given = options();
    const cause = new Error(LONG);
    const thrown = await wrapTool(() => Promise.reject(cause), given)().catch((error: Error) => error);
    expect(thrown).toBeInstanceOf(Error);
    expect((thrown as Error).message.length).toBeLessThanOrEqual(8_000);
    expect((thrown as Error).message).toMatch(/^\[Artifact: art_/);
    expect((thrown as Error).cause).toBe(cause);
  });

  it('records the first argument and nothing of what a framework passes beside it, unless told', async () => {
    const given = options();
    const store = memoryStore();
    const spillway = openSpillway({ store });
    const context = { context: { apiKey: 'sk-secret' }, usage: {} };
    const inputs = async () => {
      const { items } = await store.list({ scope: 'a', session: 's', show: 'all' });
      const texts: string[] = [];
      for (const { id, parts } of items)
        for (const { index, role } of parts) {
          if (role !== 'input') continue;
          for await (const piece of (await store.read(id, index, { bytes: 0 })).pieces)
            texts.push(Buffer.from(piece).toString());
        }
      return texts;
    };
    // As OpenAI Agents calls tools: arguments, run context, details. As LangChain does: arguments,
    // run manager, config.
    const tool = wrapTool(async (_: { path: string }, ..._rest: unknown[]) => 'done', { ...given, spillway });
    await tool({ path: 'a' }, context, { toolCall: { id: 'c' } });
    await spillway.settled();
    expect(await inputs()).toEqual(['{"path":"a"}']);
    const both = wrapTool((a: number, b: number) => a + b, { ...given, spillway, input: (...all) => all });
    await both(1, 2);
    await spillway.settled();
    expect((await inputs()).toSorted()).toEqual(['[1,2]', '{"path":"a"}']);
  });

  it('tells what was given up from what failed: by the record, and by the name of the error', async () => {
    const store = memoryStore();
    const given = { ...options(), spillway: openSpillway({ store }) };
    const timedOut = AbortSignal.timeout(1);
    const hang = () =>
      new Promise((_, reject) => timedOut.addEventListener('abort', () => reject(timedOut.reason)));
    async function* broken(reason: unknown) {
      yield 'what had arrived\n';
      throw reason;
    }
    const wrong = Object.assign(new Error('terminated'), { cause: new Error('other side closed') });
    const attempts: [() => unknown, string, string][] = [
      [hang, 'timeout', 'TimeoutError'],
      [() => Promise.reject(AbortSignal.abort().reason), 'cancelled', 'AbortError'],
      [() => Promise.reject(wrong), 'error', 'Error'],
      [() => broken(new DOMException('stopped', 'AbortError')), 'cancelled', 'AbortError'],
      [() => broken(Object.assign(new Error('x'), { code: 'ABORT_ERR' })), 'cancelled', 'Error'],
      [() => broken(wrong), 'crashed', 'Error'],
    ];
    for (const [tool, status, name] of attempts) {
      const thrown = await wrapTool(tool, given)().catch((error: Error) => error);
      expect(thrown).toMatchObject({ name });
      await given.spillway.settled();
      const [latest] = (await store.list({ scope: 'a', show: 'all', limit: 1 })).items;
      expect(latest?.outcome.status).toBe(status);
    }
    const thrown = await wrapTool(() => broken(wrong), given)().catch((error: Error) => error.message);
    expect(thrown).toContain('what had arrived');
    expect(thrown).toContain('Error: terminated\nCaused by Error: other side closed');
  });
});
