/** The gateway in front of a server that was written by hand: what passes, and what is changed. */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open, originalMessage } from 'spillway';
import { describe, expect, it } from 'vitest';
import { type Answer, direct, PROGRAM, textOf, through, workspace } from './peer.ts';

const sizes = (answer: Answer) =>
  (answer.result.content as { text?: string }[]).reduce((sum, { text = '' }) => sum + text.length, 0);
const facts = (answer: Answer) => answer.result._meta['spillway/projection'];

describe('what passes through the gateway', () => {
  it('is the same line, byte for byte, in either direction', async () => {
    const root = await workspace();
    const [server, gateway] = [direct(root), through(root)];
    for (const peer of [server, gateway]) {
      await peer.initialize();
      await peer.line('tools/call', {
        name: 'echo',
        arguments: { big: 1, nested: { a: [null, 'é😀'] } },
        _meta: { progressToken: 7, 'x/y': 1 },
      });
      await peer.line('prompts/get', { name: 'future' }, 'a string id');
      await peer.line('some/future/method', { anything: [1, 2, 3] });
      await peer.line('tools/call', {
        name: 'emit',
        arguments: { chars: 6_000, image: true, error: true, structured: 'copy' },
      });
      await peer.line('tools/call', { name: 'rows', arguments: {} });
      await peer.line('tools/call', { name: 'nothing' });
    }
    expect(gateway.lines).toEqual(server.lines);
  });

  it('is the same line also where a picture makes it large; over its limit the picture stays', async () => {
    const root = await workspace();
    const [server, gateway] = [direct(root), through(root)];
    for (const peer of [server, gateway]) await peer.initialize();
    const [plain, passed] = await Promise.all(
      [server, gateway].map((peer) => peer.line('tools/call', { name: 'photo', arguments: { mb: 3 } })),
    );
    expect(passed === plain).toBe(true);
    const cut = await gateway.call('photo', { mb: 3, more: ' of much'.repeat(2_000) });
    expect(cut.result.content[1]).toEqual({
      type: 'image',
      data: 'A'.repeat(3 * 1024 * 1024),
      mimeType: 'image/png',
    });
    expect(cut.result.content[0].text.length).toBeLessThanOrEqual(8_000);
    const huge = await gateway.call('photo', { mb: 17 });
    expect(huge.result.content[1]).toEqual({
      type: 'text',
      text: '[A part of 17,825,841 bytes was too large to be passed on; it is stored.]',
    });
  });

  it('keeps integers of twenty digits, duplicate keys, unknown blocks and unknown members', async () => {
    const root = await workspace();
    const [server, gateway] = [direct(root), through(root)];
    for (const peer of [server, gateway]) await peer.initialize();
    const lines = await Promise.all(
      [server, gateway].map((peer) => peer.line('tools/call', { name: 'exact' })),
    );
    // A lone surrogate is replaced, because it breaks clients; all else stays as it was written.
    expect(lines[1]).toContain('],"future":{"a":1,"a":2},"_meta":{"x":1e3,');
    expect(lines[1]).toContain(
      '"annotations":{"priority":1.0}},{"type":"hologram","n":12345678901234567890},',
    );
    expect(JSON.parse(lines[1] ?? '').result.content[0].text).toBe('A/é😀 �');
  });

  it('is stored as the exact message, small or large, however it was written', async () => {
    const root = await workspace();
    const [server, gateway] = [direct(root), through(root)];
    for (const peer of [server, gateway]) await peer.initialize();
    const calls = ['exact', 'long-exact', 'emit'];
    const text = await Promise.all(
      calls.map((name) => server.line('tools/call', { name, arguments: { chars: 300 } }, name)),
    );
    for (const name of calls) await gateway.line('tools/call', { name, arguments: { chars: 300 } }, name);
    await gateway.close();
    const opened = await open({ workspace: root, env: { HOME: root } });
    const items = (await opened.store?.list({ scope: 'workspace', show: 'all' }))?.items ?? [];
    expect(items.map(({ tool }) => tool).sort()).toEqual([...calls].sort());
    for (const record of items) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of originalMessage(opened, record)) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toBe(text[calls.indexOf(record.tool)]);
    }
    await opened.spillway.close();
  });
});

describe('a list of tools', () => {
  it('is passed on as it was, with get_artifact added and the promise of structured content taken out', async () => {
    const root = await workspace();
    const [server, gateway] = [direct(root), through(root)];
    for (const peer of [server, gateway]) await peer.initialize();
    const plain = await server.line('tools/list');
    const changed = await gateway.line('tools/list');
    const own = /,(\{"name":"get_artifact".*\})\]/.exec(changed)?.[1] ?? '';
    expect(JSON.parse(own)).toMatchObject({
      inputSchema: { properties: { artifact_id: { type: 'string' } } },
      _meta: { 'anthropic/alwaysLoad': true },
    });
    const schema = /,"outputSchema":\{.*?\},"x-future"/.exec(plain)?.[0].replace(/,"x-future"$/, '') ?? '';
    expect(schema.length).toBeGreaterThan(50);
    expect(changed).toBe(plain.replace(schema, '').replace(/\]\}\}$/, `,${own}]}}`));
  });

  it('with a get_artifact of its own gets ours under another name, which notices then name', async () => {
    const gateway = through(await workspace(), [], ['--clash']);
    await gateway.initialize();
    const { result } = await gateway.request('tools/list');
    expect(result.tools.map(({ name }: { name: string }) => name)).toContain('spillway_get_artifact');
    const cut = await gateway.call('emit', { chars: 9_000 });
    expect(textOf(cut)).toContain('spillway_get_artifact(artifact_id="art_');
    const page = await gateway.call('spillway_get_artifact', {
      artifact_id: facts(cut).artifact_id,
      lines: '2',
    });
    expect(textOf(page)).toContain('line 2 of what was said');
  });
});

describe('a result over the limit', () => {
  it('of a text, an image and a long text leaves the first two untouched and in order', async () => {
    const root = await workspace();
    const gateway = through(root);
    await gateway.initialize();
    const answer = await gateway.call('emit', { chars: 50_000, first: 'a short text\n', image: true });
    const { content } = answer.result;
    expect(content.slice(0, 2)).toEqual([
      { type: 'text', text: 'a short text\n' },
      { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png', 'x-note': 1 },
    ]);
    expect(content[2].text).toMatch(/chars omitted/);
    expect(sizes(answer)).toBeLessThanOrEqual(8_000);
    const id = facts(answer).artifact_id;
    const page = await gateway.call('get_artifact', { artifact_id: id, part: '1' });
    expect(textOf(page)).toContain('a short text\n');
  });

  it('is projected within one budget over all its blocks, and is fetched whole by tool and by resource', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const answer = await gateway.call('emit', { chars: 9_000, blocks: 3, image: true, resource: true });
    const { content, _meta } = answer.result;
    expect(sizes(answer) + content.at(-2).resource.text.length).toBeLessThanOrEqual(8_000);
    expect(content[1]).toEqual({ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png', 'x-note': 1 });
    expect(content.at(-2).resource).toMatchObject({ uri: 'file:///a.txt', mimeType: 'text/plain' });
    const id = facts(answer).artifact_id;
    expect(content.at(-1)).toEqual({
      type: 'resource_link',
      uri: `artifact://${id}`,
      name: 'full output',
      size: expect.any(Number),
    });
    expect(_meta.kept).toBe(true);
    expect(facts(answer)).toMatchObject({
      original_size: 36_000,
      was_truncated: true,
      stored: true,
      complete: true,
    });
    const page = await gateway.call('get_artifact', { artifact_id: id, part: '2', chars: '8990-9000' });
    expect(textOf(page)).toMatch(/chars 8,990-9,000 of 9,000\]\n.{11}$/s);
    const { result } = await gateway.request('resources/read', { uri: `artifact://${id}?part=2&lines=1-2` });
    expect(result.contents[0].text).toContain('line 2 of what was said');
    const missing = await gateway.request('resources/read', { uri: 'artifact://art_1_aaaaaaaaaaaaaaaa' });
    expect(missing.error).toMatchObject({ code: -32002 });
    const unknown = await gateway.call('get_artifact', { artifact_id: 'art_../../etc/passwd' });
    expect(unknown.result.isError).toBe(true);
  });

  it.each([9_201, 9_250, 9_400, 9_700])(
    'of %i chars is not answered by more bytes than it has',
    async (chars) => {
      const root = await workspace();
      const gateway = through(root);
      await gateway.initialize();
      const answered = await gateway.line('tools/call', { name: 'emit', arguments: { chars } });
      const server = direct(root);
      await server.initialize();
      const whole = await server.line('tools/call', { name: 'emit', arguments: { chars } });
      expect(Buffer.byteLength(answered)).toBeLessThanOrEqual(Buffer.byteLength(whole));
      expect(sizes(JSON.parse(answered))).toBeLessThanOrEqual(8_000);
      expect(textOf(JSON.parse(answered))).toContain('get_artifact(artifact_id="art_');
    },
  );

  it('shows what the call asks for, wherever in the text that is', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const shown = async (args: object) => textOf(await gateway.call('read_file', args));
    expect(await shown({ path: 'birds.txt' })).not.toContain('near vorholvor that day');
    const asked = { path: 'birds.txt', prompt: 'What rested near vorholvor?' };
    expect(await shown(asked)).toContain('The heron rested near vorholvor that day.');
  });

  it('stays an error, and says so', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const { result } = await gateway.call('emit', { chars: 20_000, error: true });
    expect(result.isError).toBe(true);
    const { error } = await gateway.call('fails');
    expect(error).toMatchObject({ code: -32050, data: { kept: 1 } });
    expect(error?.message.length).toBeLessThanOrEqual(8_000);
    expect(error?.message).toContain('20,000 chars');
  });

  it('is not paid for twice: a structured copy goes, other structured content is shown', async () => {
    const root = await workspace();
    const gateway = through(root);
    await gateway.initialize();
    const copied = await gateway.call('emit', { chars: 9_000, structured: 'copy' });
    expect(copied.result).not.toHaveProperty('structuredContent');
    expect(facts(copied).original_size).toBe(9_000);
    const other = await gateway.call('emit', { chars: 9_000, structured: 'other' });
    expect(other.result).not.toHaveProperty('structuredContent');
    expect(textOf(other)).toContain('something else entirely');
    const page = await gateway.call('get_artifact', {
      artifact_id: facts(copied).artifact_id,
      part: 'structured',
      chars: '1-20',
    });
    expect(textOf(page)).toContain('{"content":"line 1 o');
    const grepped = spawnSync(process.execPath, [PROGRAM, 'artifacts', 'grep', '^line 1 o'], {
      cwd: root,
      env: { ...process.env, HOME: root },
      encoding: 'utf8',
    });
    expect(grepped).toMatchObject({ stderr: '', stdout: expect.stringContaining(':1:line 1 o') });
  });

  it('keeps structured content that fits its schema where a bounded form is asked for', async () => {
    const gateway = through(await workspace(), ['--structured', 'bounded']);
    await gateway.initialize();
    const { result: list } = await gateway.request('tools/list');
    expect(list.tools.find(({ name }: { name: string }) => name === 'rows')).toHaveProperty('outputSchema');
    const answer = await gateway.call('rows', { rows: 2_000 });
    const { rows, total } = answer.result.structuredContent;
    expect(total).toBe(2_000);
    expect(rows[0]).toEqual({ id: 0, name: 'row 0' });
    const [{ path, items }] = facts(answer).structured.omitted;
    expect(path).toBe('$.rows');
    expect(items + rows.length).toBe(2_000);
    expect(JSON.stringify(answer.result.structuredContent).length).toBeLessThanOrEqual(8_000);
  });

  it('is held to its schema also for a client that never asked for one', async () => {
    const gateway = through(await workspace(), ['--structured', 'bounded']);
    await gateway.initialize();
    const { result } = await gateway.call('rows', { rows: 2_000 });
    expect(result.structuredContent.rows.every(({ id }: { id: unknown }) => Number.isInteger(id))).toBe(true);
    await gateway.call('rows', { rows: 2_001 });
    expect((await gateway.request('lists')).result).toEqual({ lists: 1 });
  });

  it('that is structured only is shown as JSON that stays JSON', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const answer = await gateway.call('only-structured');
    const [body, notice] = answer.result.content;
    expect(notice.text).toContain('get_artifact(artifact_id="art_');
    expect(JSON.parse(body.text).rows[0]).toEqual({ n: 0, name: 'row 0' });
    expect(sizes(answer)).toBeLessThanOrEqual(8_000);
    expect(answer.result).not.toHaveProperty('structuredContent');
  });

  it('has no link for clients of revisions that do not know links', async () => {
    const gateway = through(await workspace());
    await gateway.initialize('2025-03-26');
    const { result } = await gateway.call('emit', { chars: 9_000 });
    expect(result.content.map(({ type }: { type: string }) => type)).toEqual(['text']);
  });

  it('can be read through a server that has no resources itself', async () => {
    const gateway = through(await workspace(), [], ['--no-resources']);
    const { result } = await gateway.initialize();
    expect(result.capabilities).toEqual({ tools: {}, resources: {} });
    const cut = await gateway.call('emit', { chars: 9_000 });
    const uri = cut.result.content.at(-1).uri;
    const read = await gateway.request('resources/read', { uri });
    expect(read.result.contents[0].text).toHaveLength(9_000);
    expect((await gateway.request('resources/list')).result).toEqual({ resources: [] });
    const { result: templates } = await gateway.request('resources/templates/list');
    expect(templates.resourceTemplates[0].uriTemplate).toContain('artifact://{artifact_id}');
  });
});

describe('settings of one call', () => {
  it('come as an argument or in _meta, hold for that call, and do not reach the server', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const small = await gateway.call('emit', {
      chars: 3_000,
      truncation: { max_chars: 600, strategy: 'tail' },
    });
    expect(sizes(small)).toBeLessThanOrEqual(600);
    expect(facts(small).strategy_used).toBe('tail');
    const large = await gateway.call(
      'emit',
      { chars: 20_000 },
      { 'spillway/truncation': { max_chars: 30_000 } },
    );
    expect(sizes(large)).toBe(20_000);
    expect(sizes(await gateway.call('emit', { chars: 7_000 }))).toBe(7_000);
    const echoed = textOf(
      await gateway.call(
        'echo',
        { a: 1, truncation: { max_chars: 900 }, b: 2 },
        { 'spillway/truncation': {}, x: 1 },
      ),
    );
    expect(echoed).toContain('"arguments":{"a":1,"b":2},"_meta":{"x":1}');
    expect(echoed).not.toContain('truncation');
  });

  it('are left to a tool that declares such an argument itself', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    expect(textOf(await gateway.call('own', { truncation: 'mine' }))).toBe('got mine');
    // A schema may allow it in other ways than by name.
    for (const kind of ['extra', 'composed', 'referred', 'free'])
      expect(textOf(await gateway.call(`own-${kind}`, { truncation: 'mine' })), kind).toBe('got mine');
  });

  it.each([
    [{ max_chars: 299 }, 'max_chars must be a whole number of at least 300; it was 299.'],
    [
      { strategy: 'none' },
      'strategy none would pass on everything, which this gateway does not allow. Choose another strategy, or start it with --allow-unbounded.',
    ],
    [
      { inline_limit: 2_000_000_000 },
      'inline_limit (2000000000, from the client) must not be above max_inline_limit (100000) there. Set it in your own file, in the environment or on the command line.',
    ],
    [
      { max_chars: 100_001 },
      /^inline_limit \(100001, from the client\) must not be above max_inline_limit \(100000\)/,
    ],
    [{ page_limit: 100_001 }, /^page_limit \(100001, from the client\) must not be above max_inline_limit/],
    [
      { max_inline_limit: 900_000, max_chars: 900_000 },
      /^max_inline_limit \(from the client\) must not be set/,
    ],
    [{ on_over_max: 'reject' }, /^on_over_max \(from the client\) must not be reject there/],
    [{ max_artifact_size: 1 }, /^max_artifact_size \(from the client\) must not be set there/],
    [{ failing_factor: 9 }, 'failing_factor must not be set by a client: set inline_limit.'],
    [
      'much',
      'truncation must be an object of settings, such as {"max_chars": 20000} or {"strategy": "tail"}.',
    ],
  ])('that are wrong (%j) are an error for that call, which is not made', async (truncation, message) => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const { result } = await gateway.call('emit', { chars: 1, truncation });
    const text = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(result).toEqual({ content: [{ type: 'text', text }], isError: true });
    expect((await gateway.request('calls')).result).toEqual({ calls: 0 });
  });

  it('may be none where the gateway is told that it may', async () => {
    const gateway = through(await workspace(), ['--allow-unbounded']);
    await gateway.initialize();
    expect(sizes(await gateway.call('emit', { chars: 30_000, truncation: { strategy: 'none' } }))).toBe(
      30_000,
    );
  });
});

describe('settings of a tool', () => {
  it('are found by its own name, and by the name that hosts give it', async () => {
    const root = await workspace();
    await mkdir(join(root, '.acode'));
    const overrides =
      'overrides:\n      emit: { max_chars: 900 }\n      mcp__hosted__*: { max_chars: 500 }\n';
    await writeFile(join(root, '.acode', 'config.yml'), `tools:\n  truncation:\n    ${overrides}`);
    const own = through(root);
    await own.initialize();
    const byName = sizes(await own.call('emit', { chars: 5_000 }));
    const hosted = through(root, ['--name', 'hosted']);
    await hosted.initialize();
    const byHost = sizes(await hosted.call('emit', { chars: 5_000 }));
    expect([byName > 500, byName <= 900, byHost <= 500]).toEqual([true, true, true]);
  });
});

describe('settings of a session', () => {
  it('are given on the command line or by the client when it begins', async () => {
    const root = await workspace();
    const gateway = through(root, ['--set', 'max_chars=1000']);
    await gateway.initialize();
    expect(sizes(await gateway.call('emit', { chars: 5_000 }))).toBeLessThanOrEqual(1_000);
    const client = through(root);
    await client.initialize('2025-11-25', { _meta: { 'spillway/truncation': { max_chars: 700 } } });
    expect(sizes(await client.call('emit', { chars: 5_000 }))).toBeLessThanOrEqual(700);
    const greedy = await through(root).initialize('2025-11-25', {
      _meta: { 'spillway/truncation': { max_chars: 100_001 } },
    });
    expect(greedy.error?.message).toContain('must not be above max_inline_limit (100000)');
    const wrong = through(root);
    const { error } = await wrong.initialize('2025-11-25', {
      _meta: { 'spillway/truncation': { max_chars: 7 } },
    });
    expect(error).toEqual({
      code: -32602,
      message: 'max_chars must be a whole number of at least 300; it was 7.',
    });
  });
});

describe('a handle', () => {
  it('belongs to the workspace: it still resolves after a restart, and through another gateway of it, not in another workspace', async () => {
    const root = await workspace();
    const first = through(root);
    await first.initialize();
    const id = facts(await first.call('emit', { chars: 9_000 })).artifact_id;
    await first.close();
    const again = through(root);
    await again.initialize();
    expect((await again.call('get_artifact', { artifact_id: id })).result.isError).toBeUndefined();
    const other = through(root, ['--name', 'other']);
    await other.initialize();
    expect((await other.call('get_artifact', { artifact_id: id })).result.isError).toBeUndefined();
    const elsewhere = through(await workspace());
    await elsewhere.initialize();
    expect(textOf(await elsewhere.call('get_artifact', { artifact_id: id }))).toContain(
      'There is no artifact',
    );
  });
});

describe('a gateway that was started outside of any workspace', () => {
  it('keeps outputs in the data folder of the user, not where it happened to be', async () => {
    const root = await workspace();
    await rm(join(root, '.git'), { recursive: true });
    const data = join(root, 'data');
    const gateway = through(root, [], [], { XDG_DATA_HOME: data });
    await gateway.initialize();
    const cut = await gateway.call('emit', { chars: 9_000 });
    const again = await gateway.call('get_artifact', { artifact_id: facts(cut).artifact_id, lines: '1' });
    expect(textOf(again)).toContain('line 1 of what was said');
    expect(await readdir(join(data, 'spillway'))).toContain('store.db');
    expect(await readdir(root)).toEqual(['data']);
  });
});

describe('the environment of a server', () => {
  it('is that of the client, but for the token of the gateway', async () => {
    const env = { HTTPS_PROXY: 'http://proxy', KUBECONFIG: '/k', SPILLWAY_TOKEN: 'a-token-of-the-gateway' };
    const gateway = through(await workspace(), [], [], env);
    await gateway.initialize();
    const seen = JSON.parse(textOf(await gateway.call('environment')));
    expect(seen).toMatchObject({ HTTPS_PROXY: 'http://proxy', KUBECONFIG: '/k' });
    expect(Object.keys(seen)).not.toContain('SPILLWAY_TOKEN');
  });

  it('holds with --env what programs need and what was named, nothing else', async () => {
    const gateway = through(await workspace(), ['--env', 'GIVEN=here', '--env', 'TAKEN'], [], {
      SECRET: 'do not pass',
      TAKEN: 'from outside',
    });
    await gateway.initialize();
    const env = JSON.parse(textOf(await gateway.call('environment')));
    expect(env).toMatchObject({ GIVEN: 'here', TAKEN: 'from outside', PATH: process.env.PATH });
    expect(Object.keys(env)).not.toContain('SECRET');
  });
});
