/**
 * Servers that others wrote, with the official client: every message, both ways, with and without
 * the gateway. A recorder writes them down, once on the side of the client and once on the side of
 * the server.
 */
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it } from 'vitest';
import { workspace } from './peer.ts';
import {
  askedForRoots,
  compared,
  connected,
  isList,
  program,
  sorted,
  throughGateway,
  type Work,
} from './recorded.ts';

async function everything(client: Client): Promise<void> {
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args });
  // The server asks for roots by itself, after a while: not in the middle of what follows.
  await askedForRoots.get(client);
  await client.ping();
  await client.listTools();
  await call('echo', { message: 'hello é😀' });
  await call('get-sum', { a: 1, b: 2 });
  await call('get-tiny-image');
  await call('get-annotated-message', { messageType: 'error', includeImage: true });
  await call('get-resource-links', { count: 3 });
  await call('get-structured-content', { location: 'Chicago' });
  await call('get-roots-list');
  await call('trigger-sampling-request', { prompt: 'p' });
  await call('trigger-elicitation-request');
  const slow = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } };
  await client.callTool(slow, undefined, { onprogress: () => undefined });
  await client.listPrompts();
  await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Rome' } });
  await client.complete({
    ref: { type: 'ref/prompt', name: 'completable-prompt' },
    argument: { name: 'department', value: 'E' },
  });
  await client.listResources();
  await client.listResourceTemplates();
  await client.readResource({ uri: 'demo://resource/static/document/features.md' });
  await client.subscribeResource({ uri: 'demo://resource/dynamic/text/1' });
  await client.unsubscribeResource({ uri: 'demo://resource/dynamic/text/1' });
  await client.setLoggingLevel('debug');
  await client.callTool({ name: 'no-such-tool', arguments: {} }).catch(() => undefined);
}

describe('the server "everything" behind the gateway', () => {
  it('hears and says the same, message by message; only the list of tools differs', async () => {
    const { direct, client, upstream } = await compared([program('server-everything')], everything);
    expect(direct.length).toBeGreaterThan(55);
    expect(sorted(upstream)).toEqual(sorted(direct));
    expect(sorted(client.filter((line) => !isList(line)))).toEqual(
      sorted(direct.filter((line) => !isList(line))),
    );
    const names = (log: readonly string[]) =>
      JSON.parse((log.find(isList) ?? '').slice(2)).result.tools.map(({ name }: { name: string }) => name);
    expect(names(client)).toEqual([...names(direct), 'get_artifact']);
  });
});

describe('the server "filesystem" behind the gateway', () => {
  it('gives small files as they are, and large ones bounded and once', async () => {
    const work: Work = async (client, root) => {
      await client.listTools();
      await client.callTool({ name: 'read_text_file', arguments: { path: join(root, 'small.txt') } });
      await client.callTool({ name: 'read_text_file', arguments: { path: join(root, 'large.txt') } });
      await client.callTool({
        name: 'write_file',
        arguments: { path: join(root, 'new.txt'), content: 'x'.repeat(2_000_000) },
      });
      await client.callTool({ name: 'list_directory', arguments: { path: '/not/allowed' } });
    };
    const { direct, client, upstream } = await compared([program('server-filesystem'), '.'], work);
    expect(sorted(upstream)).toEqual(sorted(direct));
    const large = (log: readonly string[]) =>
      log.find((line) => line.startsWith('< ') && line.includes('a line of a large file')) ?? '';
    const changed = (line: string) =>
      isList(line) || line === large(direct) || line === large(client) || line.includes('"capabilities"');
    expect(sorted(client.filter((line) => !changed(line)))).toEqual(
      sorted(direct.filter((line) => !changed(line))),
    );
    expect(large(direct).length).toBeGreaterThan(2_000_000);
    expect(large(client).length).toBeLessThan(12_000);
    const { result } = JSON.parse(large(client).slice(2));
    expect(result.content[0].text).toContain('of 1,150,000 chars (50,000 lines)');
    expect(result).not.toHaveProperty('structuredContent');
  });
});

describe('the server "memory" behind the gateway', () => {
  it('keeps a graph, whose large form stays JSON', async () => {
    const root = await workspace();
    const memory = ['--env', `MEMORY_FILE_PATH=${join(root, 'memory.jsonl')}`];
    const client = await connected(throughGateway([program('server-memory')], memory), root);
    const entities = Array.from({ length: 500 }, (_, i) => ({
      name: `e${i}`,
      entityType: 't',
      observations: [`seen ${i} times`],
    }));
    await client.callTool({ name: 'create_entities', arguments: { entities } });
    const { content } = (await client.callTool({ name: 'read_graph', arguments: {} })) as {
      content: { text: string }[];
    };
    const [body, notice] = content;
    expect(notice?.text).toMatch(/^\[Artifact: art_\w+\] read_graph/);
    expect(JSON.parse(body?.text ?? '').entities[0]).toMatchObject({ name: 'e0' });
    await client.close();
  });
});
