/**
 * Long texts that reach a model without being the result of a call: results of tasks, resources and
 * prompts. They are bounded and can be fetched whole; short ones pass byte for byte.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshWorkspace } from '../program.ts';
import { Peer, PROGRAM, textOf } from './peer.ts';

const SERVER = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const step = (i) => (i === 2100 ? 'ERROR: E_MIDDLE_42 connection refused' : 'step ' + i + ' compiled module ' + i * 7);
const big = Array.from({ length: 4200 }, (_, i) => step(i + 1)).join('\\n');
const rows = JSON.stringify({ rows: Array.from({ length: 2000 }, (_, id) => ({ id, name: 'row ' + id })) });
const task = (status) => ({ taskId: 'T1', status, createdAt: '2026-11-17T00:00:00Z', ttlMs: 60000 });
const result = { resultType: 'complete', content: [{ type: 'text', text: big }] };
const say = (text) => ({ role: 'user', content: { type: 'text', text } });
const link = { role: 'assistant', content: { type: 'resource_link', uri: 'file:///x', name: 'x' } };
const ANSWERS = {
  'server/discover': { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {}, resources: {}, prompts: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { resultType: 'complete', tools: [{ name: 'task', inputSchema: { type: 'object' } }] },
  'tools/call': { resultType: 'task', ...task('working') },
  'tasks/get': { resultType: 'complete', ...task('completed'), result },
};
const RESOURCES = {
  'x://long': { contents: [{ uri: 'x://long', mimeType: 'text/plain', text: big }] },
  'x://rows': { contents: [{ uri: 'x://rows', mimeType: 'application/json', text: rows }] },
  'x://short': { contents: [{ uri: 'x://short', text: 'short' }, { uri: 'x://blob', blob: 'AAAA' }] },
};
const PROMPTS = {
  long: { description: 'd', messages: [say('Look at this:'), say(big), link] },
  short: { messages: [say('Hello.')] },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const own = method === 'resources/read' ? RESOURCES[params.uri] : method === 'prompts/get' ? PROMPTS[params.name] : undefined;
  send({ id, result: own ? { resultType: 'complete', ...own } : ANSWERS[method] });
  if (method === 'tools/call') send({ method: 'notifications/tasks', params: { ...task('completed'), result } });
});`;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'peer', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

async function started() {
  const workspace = await freshWorkspace();
  const file = join(workspace.root, 'server.cjs');
  writeFileSync(file, SERVER);
  const gateway = new Peer(
    process.execPath,
    [PROGRAM, 'mcp', '--name', 's', '--', process.execPath, file],
    workspace.root,
  );
  const direct = new Peer(process.execPath, [file], workspace.root);
  const ask = async (method: string, params: object = {}) =>
    (await gateway.request(method, { ...params, _meta: META })).result;
  await ask('server/discover');
  return { workspace, gateway, direct, ask };
}

const handleIn = (text: string) => /art_\d+_\w+/.exec(text)?.[0] ?? '';

describe.concurrent('the result of a task', () => {
  it('is bounded in what is asked for and in what is told, under one handle', async () => {
    const { workspace, gateway, ask } = await started();
    await ask('tools/call', { name: 'task', arguments: {} });
    const line = await gateway.until((one) => one.includes('notifications/tasks'));
    const { params } = JSON.parse(line);
    const got = await ask('tasks/get', { taskId: 'T1' });
    for (const { status, result } of [params, got]) {
      expect(status).toBe('completed');
      const text = result.content[0].text;
      expect(text.length).toBeLessThanOrEqual(8_000);
      expect(text).toContain('E_MIDDLE_42');
    }
    expect(got.result.content[0].text).toBe(params.result.content[0].text);
    const artifact_id = handleIn(got.result.content[0].text);
    const page = await ask('tools/call', {
      name: 'get_artifact',
      arguments: { artifact_id, lines: '4200' },
    });
    expect(textOf({ result: page })).toContain('step 4200 compiled');
    await gateway.close();
    expect((await workspace.run(['artifacts', 'list'])).stdout).toContain('task');
  });
});

describe.concurrent('a resource', () => {
  it('that is long is bounded, stays what it is, and can be fetched whole', async () => {
    const { ask } = await started();
    const { contents, _meta } = await ask('resources/read', { uri: 'x://long' });
    expect(contents).toHaveLength(1);
    expect(contents[0]).toMatchObject({ uri: 'x://long', mimeType: 'text/plain' });
    expect(contents[0].text.length).toBeLessThanOrEqual(16_000);
    expect(contents[0].text).toContain('E_MIDDLE_42');
    const { artifact_id } = _meta['spillway/projection'];
    expect(handleIn(contents[0].text)).toBe(artifact_id);
    const rest = await ask('resources/read', { uri: `artifact://${artifact_id}?lines=4200` });
    expect(rest.contents[0].text).toContain('step 4200 compiled');
  });

  it('that is JSON stays JSON; the notice is a resource behind it', async () => {
    const { ask } = await started();
    const { contents } = await ask('resources/read', { uri: 'x://rows' });
    expect(JSON.parse(contents[0].text).rows[0]).toEqual({ id: 0, name: 'row 0' });
    expect(contents[1].uri).toBe(`artifact://${handleIn(contents[1].text)}`);
    expect(contents[1].text).toMatch(/^\[Artifact: art_|^\[Showing /);
  });
});

describe.concurrent('a prompt', () => {
  it('that is long is bounded, and everybody says what they said', async () => {
    const { ask } = await started();
    const { messages, description } = await ask('prompts/get', { name: 'long' });
    expect(description).toBe('d');
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'user', 'assistant']);
    expect(messages[0].content.text).toBe('Look at this:');
    expect(messages[1].content.text.length).toBeLessThanOrEqual(16_000);
    expect(messages[1].content.text).toContain('E_MIDDLE_42');
    expect(messages[2].content).toEqual({ type: 'resource_link', uri: 'file:///x', name: 'x' });
  });
});

it('what is short passes byte for byte, and is not stored', async () => {
  const { workspace, gateway, direct } = await started();
  for (const [method, params] of [
    ['resources/read', { uri: 'x://short' }],
    ['prompts/get', { name: 'short' }],
  ] as const)
    expect(await gateway.line(method, params, method)).toBe(await direct.line(method, params, method));
  await gateway.close();
  expect(await workspace.ids('--all')).toEqual([]);
});
