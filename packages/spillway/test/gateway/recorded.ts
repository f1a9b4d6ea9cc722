/**
 * The official client in front of a server, directly and through the gateway, with every message
 * written down: on the side of the client and on the side of the server.
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
import { PROGRAM, workspace } from './peer.ts';

const RECORDER = fileURLToPath(new URL('recorder.mjs', import.meta.url));
const require = createRequire(import.meta.url);

/** The file that starts a reference server. */
export function program(name: string): string {
  return join(require.resolve(`@modelcontextprotocol/${name}/package.json`), '..', 'dist', 'index.js');
}

/** The words that start the gateway in front of a server. */
export function throughGateway(server: readonly string[], flags: readonly string[] = []): string[] {
  return [PROGRAM, 'mcp', '--name', 'real', ...flags, '--', process.execPath, ...server];
}

/**
 * Settled once a server asked its client for roots: some do so by themselves, a while after they
 * began.
 */
export const askedForRoots = new WeakMap<Client, Promise<void>>();

export type Work = (client: Client, root: string) => Promise<void>;

export async function connected(args: readonly string[], cwd: string): Promise<Client> {
  const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
  const client = new Client({ name: 'c', version: '1' }, { capabilities });
  const asked = Promise.withResolvers<void>();
  askedForRoots.set(client, asked.promise);
  client.setRequestHandler(ListRootsRequestSchema, () => {
    asked.resolve();
    return { roots: [{ uri: `file://${cwd}`, name: 'here' }] };
  });
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

/** What was said: directly, and through the gateway on its two sides. */
export interface Compared {
  readonly direct: readonly string[];
  readonly client: readonly string[];
  readonly upstream: readonly string[];
}

/** Does the same work directly and through the gateway. */
export async function compared(server: readonly string[], work: Work): Promise<Compared> {
  const root = await workspace();
  await writeFile(join(root, 'small.txt'), 'a small file\n');
  await writeFile(join(root, 'large.txt'), 'a line of a large file\n'.repeat(50_000));
  const [direct, client, upstream] = ['direct', 'client', 'server'].map((name) =>
    join(root, `${name}.log`),
  ) as [string, string, string];
  const node = process.execPath;
  for (const args of [
    [RECORDER, direct, node, ...server],
    [RECORDER, client, node, ...throughGateway([RECORDER, upstream, node, ...server])],
  ]) {
    const printing = await connected(args, root);
    await work(printing, root);
    await printing.close();
  }
  return { direct: await lines(direct), client: await lines(client), upstream: await lines(upstream) };
}

/** The messages, but for what two runs of the same server say differently by themselves. */
async function lines(log: string): Promise<string[]> {
  return (await readFile(log, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/\d{4}-\d\d-\d\dT[\d:.-]+Z|\d+:\d+:\d+( [AP]M)?/g, 'TIME'));
}

/**
 * Requests and what was answered to them, by id; notifications and requests of the server in their
 * own order.
 */
export function sorted(log: readonly string[]): string[] {
  return [...log].sort();
}

export function isList(line: string): boolean {
  return line.includes('"tools":[{');
}
