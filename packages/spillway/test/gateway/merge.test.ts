/** Several servers behind one gateway: names, routes, faults, eras. */
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Names } from '../../src/gateway/merged.ts';
import { Peer, PROGRAM, textOf, workspace } from './peer.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const require = createRequire(import.meta.url);
const EVERYTHING = join(
  require.resolve('@modelcontextprotocol/server-everything/package.json'),
  '..',
  'dist',
  'index.js',
);
const node = (...args: string[]) => ({ command: process.execPath, args });
const RAW = node(file('raw-server.mjs'));

async function configured(mcpServers: Record<string, unknown>): Promise<{ root: string; config: string }> {
  const root = await workspace();
  const config = join(root, 'mcp.json');
  await writeFile(config, JSON.stringify({ mcpServers }));
  return { root, config };
}

async function merged(mcpServers: Record<string, unknown>): Promise<Peer> {
  const { root, config } = await configured(mcpServers);
  const gateway = new Peer(process.execPath, [PROGRAM, 'mcp', '--name', 'all', '--config', config], root, {
    GIVEN: 'from here',
  });
  await gateway.initialize();
  return gateway;
}

describe('merged names', () => {
  const merge = (lists: Record<string, string[]>) => {
    const names = new Names();
    const listed = Object.entries(lists).map(([server, all]) => ({
      server,
      elements: all.map((name) => JSON.stringify({ name, x: 1 })),
    }));
    const shown = names.merge(listed, 'name').map((element) => JSON.parse(element).name as string);
    return { names, shown };
  };

  it('lead back to every tool of every server, whatever they are called', () => {
    const name = fc.constantFrom('x', 'y', 'a__x', 'b__x', 'a__a__x', 'c');
    const list = fc.uniqueArray(name, { maxLength: 5 });
    fc.assert(
      fc.property(list, list, list, (a, b, c) => {
        const { names, shown } = merge({ a, b, c });
        expect(new Set(shown).size).toBe(shown.length);
        const owners = shown.map((one) => names.get(one)).map((owner) => `${owner?.server}/${owner?.name}`);
        const all = Object.entries({ a, b, c }).flatMap(([s, own]) => own.map((one) => `${s}/${one}`));
        expect(owners.sort()).toEqual(all.sort());
      }),
    );
  });

  it('stay as they are where one server alone has them, even if it says them twice', () => {
    expect(merge({ a: ['x', 'x'], b: ['y'] }).shown).toEqual(['x', 'y']);
  });
});

describe('merged servers', () => {
  it('keep their names, but for those that several have: these get the name of their server', async () => {
    const gateway = await merged({ one: RAW, 'the other': RAW, every: node(EVERYTHING) });
    const { result } = await gateway.request('tools/list');
    const names = result.tools.map(({ name }: { name: string }) => name);
    expect(names.slice(0, 4)).toEqual(['one__echo', 'one__emit', 'one__own', 'one__own-extra']);
    expect(names).toContain('the_other__echo');
    expect(names).toContain('get-sum');
    expect(names.at(-1)).toBe('get_artifact');
    const echoed = textOf(await gateway.call('the_other__echo', { n: 1 }));
    expect(echoed).toContain('"params":{"name":"echo","arguments":{"n":1}}');
    const cut = await gateway.call('one__emit', { chars: 9_000 });
    expect(textOf(cut)).toContain('get_artifact(artifact_id="art_');
    expect(textOf(await gateway.call('get-sum', { a: 2, b: 3 }))).toContain('5');
    expect((await gateway.call('nobody', {})).error).toEqual({
      code: -32602,
      message: 'No server has that name.',
    });
  });

  it('offer prompts, resources and completion of all, each from whose it is', async () => {
    const gateway = await merged({ one: RAW, every: node(EVERYTHING) });
    const prompts = await gateway.request('prompts/list');
    expect(prompts.result.prompts.length).toBeGreaterThan(2);
    const got = await gateway.request('prompts/get', { name: 'args-prompt', arguments: { city: 'Rome' } });
    expect(JSON.stringify(got.result)).toContain('Rome');
    const uri = 'demo://resource/static/document/features.md';
    expect((await gateway.request('resources/read', { uri })).result.contents[0].uri).toBe(uri);
    const dynamic = 'demo://resource/dynamic/text/1';
    expect((await gateway.request('resources/read', { uri: dynamic })).result.contents[0].uri).toBe(dynamic);
    const ref = { type: 'ref/prompt', name: 'completable-prompt' };
    const completed = await gateway.request('completion/complete', {
      ref,
      argument: { name: 'department', value: 'E' },
    });
    expect(completed.result.completion.values).toContain('Engineering');
    expect((await gateway.request('logging/setLevel', { level: 'info' })).result).toEqual({});
    expect((await gateway.request('ping')).result).toEqual({});
  });

  it('go on when one of them crashes, which is started again; what cannot start is left out', async () => {
    const gateway = await merged({ good: RAW, bad: RAW, missing: { command: 'no-such-program-here' } });
    const [crashed, fine] = await Promise.all([
      gateway.call('bad__crash'),
      gateway.call('good__emit', { chars: 5, delay: 500 }),
    ]);
    expect(textOf(crashed)).toBe('bad: The server ended (exit code 3) before it answered.');
    expect(textOf(fine)).toBe('line ');
    expect(textOf(await gateway.call('bad__emit', { chars: 4 }))).toBe('line');
    await gateway.untilStderr(
      'missing: The server ended (it could not be started: there is no program "no-such-program-here", or no such folder) before it said anything.',
    );
  });

  it('go on without one that never introduces itself, and with it as soon as it does', async () => {
    const slow = node(file('raw-server.mjs'), '--mute', 'initialize', '--mute-ms', '13000');
    const never = node(file('raw-server.mjs'), '--mute', 'initialize');
    const gateway = await merged({ good: RAW, slow, never });
    expect(textOf(await gateway.call('emit', { chars: 4 }))).toBe('line');
    for (const name of ['slow', 'never'])
      await gateway.untilStderr(
        `${name} did not answer for 10 s; the others go on without it until it does.`,
      );
    await gateway.until((line) => line.includes('notifications/tools/list_changed'));
    expect(textOf(await gateway.call('slow__emit', { chars: 4 }))).toBe('line');
    await gateway.untilStderr('slow can be used now.');
  }, 60_000);

  it('are listed without one that does not answer, which is told once it has', async () => {
    const slow = node(file('raw-server.mjs'), '--mute', 'tools/list', '--mute-ms', '12000');
    const gateway = await merged({ good: RAW, slow });
    const names = async () =>
      (await gateway.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
    const before: string[] = await names();
    expect(before).toContain('emit');
    expect(before.some((name) => name.startsWith('slow__'))).toBe(false);
    await gateway.until((line) => line.includes('notifications/tools/list_changed'));
    expect(await names()).toContain('slow__emit');
  }, 60_000);

  it('of a file with comments start, but for one whose variable is not set, which is named', async () => {
    const root = await workspace();
    const entry = JSON.stringify(RAW);
    const text = `{\n  // ours\n  "mcpServers": {\n    "good": ${entry}, /* and */\n    "bad": {"command": "\${NOT_THERE_AT_ALL}"},\n  }\n}\n`;
    await writeFile(join(root, 'mcp.json'), text);
    const gateway = new Peer(process.execPath, [PROGRAM, 'mcp', '--config', 'mcp.json'], root);
    await gateway.initialize();
    expect(textOf(await gateway.call('emit', { chars: 4 }))).toBe('line');
    await gateway.untilStderr('bad is left out: The variable NOT_THERE_AT_ALL is not set.');
  });

  it('ask the client under ids that say who asked, and get their answers under their own', async () => {
    const gateway = await merged({ one: RAW, two: RAW });
    const ask = '{"jsonrpc":"2.0","id":5,"method":"roots/list"}';
    const takenBack = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}';
    const done = '{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}';
    await gateway.call('one__say', { lines: [ask, takenBack, done] });
    await gateway.call('two__say', { lines: [ask, done] });
    const ids = gateway.lines
      .filter((line) => line.includes('roots/list'))
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual(['one:5', 'two:5']);
    expect(gateway.lines.some((line) => line.includes('"requestId":"one:6"'))).toBe(true);
    gateway.write('{"jsonrpc":"2.0","id":"two:5","result":{"roots":[12345678901234567890]}}');
    const heard = await gateway.until((line) => line.includes('answered'));
    expect(JSON.parse(heard).params.data).toBe(
      'answered {"jsonrpc":"2.0","id":5,"result":{"roots":[12345678901234567890]}}',
    );
  });

  it('get our variables and those of their entry, in which ours can be named', async () => {
    const env = { OWN: 'set', TAKEN: `\${GIVEN}`, OTHERWISE: `\${NOT_THERE:-else}` };
    const gateway = await merged({ one: { ...RAW, env } });
    const seen = JSON.parse(textOf(await gateway.call('environment')));
    expect(seen).toMatchObject({ OWN: 'set', TAKEN: 'from here', OTHERWISE: 'else' });
    expect(seen).toHaveProperty('GIVEN', 'from here');
  });

  it('of both eras serve a client in the revision they have in common', async () => {
    const { root, config } = await configured({
      old: node(file('sdk-server.mjs'), 'v1-stdio'),
      new: node(file('sdk-server.mjs'), 'v2-stdio'),
    });
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const args = [PROGRAM, 'mcp', '--config', config];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: root, stderr: 'ignore' }),
    );
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    const { content } = await client.callTool({ name: 'new__say', arguments: { chars: 4 } });
    expect(content).toEqual([{ type: 'text', text: 'word' }]);
    await client.close();
    const modern = await configured({
      a: node(file('sdk-server.mjs'), 'v2-stdio'),
      b: node(file('sdk-server.mjs'), 'v2-stdio'),
    });
    const second = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const again = [PROGRAM, 'mcp', '--config', modern.config];
    await second.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: again,
        cwd: modern.root,
        stderr: 'ignore',
      }),
    );
    expect(second.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect((await second.listTools()).tools.map(({ name }) => name)).toEqual([
      'a__say',
      'b__say',
      'get_artifact',
    ]);
    expect((await second.callTool({ name: 'b__say', arguments: { chars: 4 } })).content).toEqual([
      { type: 'text', text: 'word' },
    ]);
    await second.close();
  });

  it.each([
    ['{', 'The configuration is not a JSON object.'],
    ['{}', 'The configuration names no servers: put them under "mcpServers".'],
    ['{"mcpServers":{"x":{}}}', 'The server "x" needs a command with args, or a url.'],
    [`{"mcpServers":{"x":{"command":"\${NOT_THERE_AT_ALL}"}}}`, 'The variable NOT_THERE_AT_ALL is not set.'],
  ])('are not started from a file that is wrong: %s', async (text, message) => {
    const root = await workspace();
    await writeFile(join(root, 'mcp.json'), text);
    const gateway = new Peer(process.execPath, [PROGRAM, 'mcp', '--config', 'mcp.json'], root);
    expect(await gateway.ended()).toBe(2);
    expect(gateway.stderr).toBe(`spillway: ${message}\n`);
  });
});
