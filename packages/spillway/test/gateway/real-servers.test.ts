/**
 * Servers that others wrote, with the official client: every message, both ways, with and without the gateway. A recorder writes them down, once on the
 * side of the client and once on the side of the server.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { PROGRAM, workspace } from './peer.ts';

const RECORDER = fileURLToPath(new URL('recorder.mjs', import.meta.url));
const require = createRequire(import.meta.url);
const program = (name: string) =>
  join(require.resolve(`@modelcontextprotocol/${name}/package.json`), '..', 'dist', 'index.js');

const gateway = ['mcp', '--name', 'real'];
type Work = (client: Client, root: string) => Promise<void>;

async function connected(args: readonly string[], cwd: string): Promise<Client> {
  const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
  const client = new Client({ name: 'c', version: '1' }, { capabilities });
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: `file://${cwd}`, name: 'here' }],
  }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant' as const,
    model: 'm',
    content: { type: 'text' as const, text: 'sampled' },
  }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' as const }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, () => undefined);
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => undefined);
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...args], cwd, stderr: 'ignore' }),
  );
  return client;
}

/** Does the same work directly and through the gateway; returns what was said on either side. */
async function compared(server: readonly string[], work: Work) {
  const root = await workspace();
  await writeFile(join(root, 'small.txt'), 'a small file\n');
  await writeFile(join(root, 'large.txt'), 'a line of a large file\n'.repeat(50_000));
  const logs = ['direct', 'client', 'server'].map((name) => join(root, `${name}.log`)) as [
    string,
    string,
    string,
  ];
  const node = process.execPath;
  const through = (inner: readonly string[]) => [PROGRAM, ...gateway, '--', ...inner];
  for (const args of [
    [RECORDER, logs[0], node, ...server],
    [RECORDER, logs[1], node, ...through([node, ...server])],
    through([node, RECORDER, logs[2], node, ...server]),
  ]) {
    const client = await connected(args, root);
    await work(client, root);
    await client.close();
  }
  const [direct, client, upstream] = await Promise.all(
    logs.map(async (log) => lines(await readFile(log, 'utf8'))),
  );
  return { direct: direct ?? [], client: client ?? [], upstream: upstream ?? [] };
}

/** What two runs of the same server say differently by themselves. */
function lines(log: string): string[] {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d+:\d+:\d+( [AP]M)?/g, 'TIME'));
}

/** Requests and what was answered to them, by id; notifications and requests of the server in their own order. */
const sorted = (log: readonly string[]) => [...log].sort();
const isList = (line: string) => line.includes('"tools":[{');

async function everything(client: Client): Promise<void> {
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args });
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
    expect(result.content[0].text).toContain('1,150,000 chars, 50,000 lines');
    expect(result).not.toHaveProperty('structuredContent');
  });
});

describe('the server "memory" behind the gateway', () => {
  it('keeps a graph, whose large form stays JSON', async () => {
    const root = await workspace();
    const memory = ['--env', `MEMORY_FILE_PATH=${join(root, 'memory.jsonl')}`];
    const server = ['--', process.execPath, program('server-memory')];
    const client = await connected([PROGRAM, ...gateway, ...memory, ...server], root);
    const entities = Array.from({ length: 500 }, (_, i) => ({
      name: `e${i}`,
      entityType: 't',
      observations: [`seen ${i} times`],
    }));
    await client.callTool({ name: 'create_entities', arguments: { entities } });
    const { content } = (await client.callTool({ name: 'read_graph', arguments: {} })) as {
      content: { text: string }[];
    };
    const [notice, body] = content;
    expect(notice?.text).toMatch(/^\[Artifact: art_\w+\] read_graph/);
    expect(JSON.parse(body?.text ?? '').entities[0]).toMatchObject({ name: 'e0' });
    await client.close();
  });
});
