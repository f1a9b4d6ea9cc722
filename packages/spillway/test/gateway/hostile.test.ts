/**
 * Messages that no well-behaved peer sends: what can be passed on passes, what is large stays
 * bounded, and nothing ends the gateway.
 */
import { open, originalMessage } from 'spillway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, direct, Peer, PROGRAM, textOf, through, workspace } from './peer.ts';

const LONG = 'a line that is long enough to count\\n'.repeat(400);
const result = (members: string) => `{"jsonrpc":"2.0","id":ID,"result":{${members}}}`;
const block = (text: string) => `{"type":"text","text":"${text}"}`;

describe('what a server says', () => {
  let gateway: Peer;
  let plain: Peer;
  beforeAll(async () => {
    const root = await workspace();
    [gateway, plain] = [through(root), direct(root)];
    await Promise.all([gateway.initialize(), plain.initialize()]);
  });
  afterAll(async () => {
    await gateway.call('emit', { chars: 4 });
    expect(gateway.child.exitCode).toBeNull();
  });
  const words = (...lines: string[]) => gateway.line('tools/call', { name: 'say', arguments: { lines } });

  it.each([
    [
      'two texts in a block',
      result(`"content":[{"type":"text","text":"one ${LONG}","text":"two ${LONG}","x":1}]`),
    ],
    [
      'two texts in an embedded resource',
      result(
        `"content":[{"type":"resource","resource":{"uri":"a:b","text":"one ${LONG}","text":"two ${LONG}"}}]`,
      ),
    ],
    [
      'two lists of content',
      result(`"content":[${block(`one ${LONG}`)}],"content":[${block(`two ${LONG}`)}]`),
    ],
    ['a batch', `[${result(`"content":[${block(`one ${LONG}`)},${block(`two ${LONG}`)}]`)}]`],
    [
      'a batch of many megabytes',
      `[${result(`"content":[${block(`one ${LONG.repeat(60)}`)},${block(`two ${LONG.repeat(60)}`)}]`)}]`,
    ],
  ])('twice is bounded all the same, and shown both: %s', async (_what, line) => {
    const answer = await words(line);
    expect(answer.length).toBeLessThan(11_000);
    expect(textOf(JSON.parse(answer))).toMatch(/one a line[\s\S]*two a line/);
  });

  it.each([
    ['erased lines', '\\u001b[2K\\u001b[1G'],
    ['strings without an end', '\\u001b]'],
    ['bare time stamps', '2026-01-01 10:00:00 \\n'],
  ])('as terminal output of nothing but %s is bounded, with its handle', async (_what, unit) => {
    const answer = JSON.parse(await words(result(`"content":[${block(unit.repeat(60_000))}]`)));
    expect(answer.error).toBeUndefined();
    expect(answer.result.isError ?? false).toBe(false);
    const text = textOf(answer);
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(text).toMatch(/\bart_\d+_[0-9a-z]{16,}/);
    expect(text).not.toContain('failed (');
  });

  it('as strings in place of blocks is bounded like text, and can be read back', async () => {
    const line = result(`"content":["one ${LONG}",{"type":"text","text":"two"},"three"]`);
    const answer = await words(line);
    expect(answer.length).toBeLessThan(9_500);
    const { content } = JSON.parse(answer).result;
    expect(content.slice(0, 3)).toMatchObject([
      expect.stringContaining('one a line'),
      { text: 'two' },
      'three',
    ]);
  });

  it('as structured content twice is left out twice', async () => {
    const twice = result(
      `"structuredContent":{"a":1},"content":[${block(LONG)}],"structuredContent":{"b":2}`,
    );
    const answer = await words(twice);
    expect(answer).not.toContain('structuredContent');
    expect(Object.keys(JSON.parse(answer).result).sort()).toEqual(['_meta', 'content']);
  });

  it.each([
    ['is nothing', ''],
    ['is null', '"content":null,"structuredContent":null'],
    ['has blocks that are none', '"content":[1,null,"text",[],{}]'],
    ['is of a kind that is not known', '"future":[1.0,12345678901234567890]'],
    ['has keys in escapes', '"c\\u006fntent":[{"type":"text","te\\u0078t":"small"}]'],
  ])('passes byte for byte where its result %s', async (_what, members) => {
    const lines = [result(members)];
    const passed = await gateway.line('tools/call', { name: 'say', arguments: { lines } }, 'same');
    expect(passed).toBe(await plain.line('tools/call', { name: 'say', arguments: { lines } }, 'same'));
  });

  it('with wrong escapes, in halves or as no message at all is left out, and the rest arrives', async () => {
    const wrong = ['{"jsonrpc":"2.0","method":"\\x"}', '{"method":', '"text"', '{"a":1}', '\u0001', 'null'];
    const answer = await words(...wrong, `${result(`"content":[${block('after all that')}]`)}\r`);
    expect(textOf(JSON.parse(answer))).toBe('after all that');
    await gateway.untilStderr('The server printed 31 bytes that are no message; they were left out.');
    expect(gateway.lines.filter((line) => wrong.includes(line))).toEqual([]);
  });

  it('by itself, at length and with its method at the end, is not taken for the result that is waited for', async () => {
    const note = `{"jsonrpc":"2.0","params":{"level":"info","data":"${'n'.repeat(1_500_000)}"},"method":"notifications/message"}`;
    const answer = await words(note, result(`"content":[${block('the result')}]`));
    expect(textOf(JSON.parse(answer))).toBe('the result');
    expect(gateway.lines.filter((line) => line === note)).toHaveLength(1);
  });

  it.each([20_000, 300_000])('nested %i levels deep is passed on', async (levels) => {
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(await words(result(`"content":[],"deep":${deep}`))).toContain(deep);
    const answer = await words(result(`"content":[${block(LONG)}],"structuredContent":{"deep":${deep}}`));
    expect(answer.length).toBeLessThan(11_000);
    const objects = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(await words(result(`"content":[],"deep":${objects}`))).toContain(objects);
  });

  it.each([
    ['digits', '9'.repeat(20_000)],
    ['digits behind the point', `-0.${'1'.repeat(20_000)}e+${'7'.repeat(12_000)}`],
  ])('with a number of twenty thousand %s is passed on', async (_what, number) => {
    expect(await words(result(`"content":[],"number":${number}`))).toContain(number);
    const answer = await words(result(`"content":[${block(LONG)}],"number":${number}`));
    expect(answer).toContain(number);
    const wrong = `{"jsonrpc":"2.0","method":"x","params":{"number":0${number}}}`;
    expect(textOf(JSON.parse(await words(wrong, result(`"content":[${block('after')}]`))))).toBe('after');
    expect(gateway.lines).not.toContain(wrong);
  });
});

describe.concurrent('what a client asks', () => {
  it.each([
    ['an id that is written otherwise', '7.0', 7],
    ['an id that is a string', '"a\\u0062"', 'ab'],
    ['an id of twenty digits as a string', '"12345678901234567890"', '12345678901234567890'],
  ])('under %s is bounded like any other', async (_what, written, id) => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const call = '"method":"tools/call","params":{"name":"emit","arguments":{"chars":9000}}';
    gateway.write(`{"jsonrpc":"2.0","id":${written},${call}}`);
    const line = await gateway.until((one) => (JSON.parse(one) as Answer).id === id);
    expect(JSON.parse(line).result._meta['spillway/projection'].original_size).toBe(9_000);
  });

  it('twice under one id, and as number and string, is answered each time, each bounded', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    for (const id of ['50', '50', '"50"'])
      gateway.write(
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"emit","arguments":{"chars":9000}}}`,
      );
    const answers = () => gateway.lines.filter((line) => /"id":"?50"?[,}]/.test(line));
    await gateway.until(() => answers().length === 3);
    expect(answers().map((line) => JSON.parse(line).id)).toEqual(expect.arrayContaining([50, '50']));
    for (const line of answers()) expect(line.length).toBeLessThan(10_000);
  });

  it('in a batch is answered message by message', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const call = (id: string, chars: number) =>
      `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"emit","arguments":{"chars":${chars}}}}`;
    gateway.write(`[${call('small', 5)}, ${call('large', 9_000)}]`);
    const line = await gateway.until((one) => one.includes('"id":"large"'));
    expect(JSON.parse(line).result._meta['spillway/projection'].was_truncated).toBe(true);
    expect(gateway.lines.some((one) => one.includes('"id":"small"'))).toBe(true);
  });

  it('without params, name or a sensible form reaches the server as it is', async () => {
    const root = await workspace();
    const peers = [through(root), direct(root)];
    const odd = [
      '"params":{}',
      '"params":{"name":5}',
      '"params":{"name":"echo","arguments":[1],"_meta":null}',
    ];
    for (const peer of peers) {
      await peer.initialize();
      for (const [i, params] of odd.entries()) {
        peer.write(`{"jsonrpc":"2.0","id":"odd ${i}","method":"tools/call",${params}}`);
        await peer.until((line) => line.includes(`"id":"odd ${i}"`));
      }
    }
    expect(peers[0]?.lines).toEqual(peers[1]?.lines);
  });

  it('with settings twice, or under a key in escapes, keeps none of them for the server', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const settings = '"truncation":{"max_chars":900},"a":1,"trunc\\u0061tion":{"max_chars":800}';
    const meta = '"spillway/truncation":{},"x":1,"spillway/truncation":{"max_chars":700}';
    gateway.write(
      `{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"echo","arguments":{${settings}},"_meta":{${meta}}}}`,
    );
    const line = await gateway.until((one) => one.includes('"id":"s"'));
    const heard = textOf(JSON.parse(line));
    expect(heard).toContain('"arguments":{"a":1},"_meta":{"x":1}');
    expect(heard).not.toMatch(/trunc/);
  });
});

describe('a gateway in front of a gateway', () => {
  it('passes on what it is asked, under ids that do not meet', async () => {
    const root = await workspace();
    const inner = [process.execPath, PROGRAM, 'mcp', '--name', 'inner', '--set', 'max_chars=2000', '--'];
    const raw = new URL('raw-server.mjs', import.meta.url).pathname;
    const outer = new Peer(
      process.execPath,
      [PROGRAM, 'mcp', '--name', 'outer', '--', ...inner, process.execPath, raw],
      root,
    );
    await outer.initialize();
    const answers = await Promise.all([
      outer.call('emit', { chars: 9_000, truncation: { max_chars: 500 } }),
      outer.call('emit', { chars: 9_001 }),
    ]);
    expect(answers.map((answer) => textOf(answer).length <= 2_000)).toEqual([true, true]);
    const { result: list } = await outer.request('tools/list');
    const names = list.tools.map(({ name }: { name: string }) => name);
    expect(names.slice(-2)).toEqual(['get_artifact', 'spillway_get_artifact']);
    const artifact_id = /art_\d+_\w+/.exec(textOf(answers[1] as Answer))?.[0];
    const page = await outer.call('get_artifact', { artifact_id, lines: '2' });
    expect(textOf(page)).toContain('line 2 of what was said');
  });
});

describe('a result in a shape that the protocol does not know', () => {
  const long = 'a line of what a server said\\n'.repeat(3_000);
  const items = `[${Array.from({ length: 9_000 }, (_, i) => `{"n":${i}}`).join(',')}]`;

  it.each([
    ['text as its content', `"result":{"content":"${long}"}`],
    ['an object as its content', `"result":{"content":{"items":${items}},"_meta":{"x":1}}`],
    ['a list of texts as the result', `"result":["${long}","${long}"]`],
    ['text as the result', `"result":"${long}"`],
    ['the former member toolResult', `"result":{"toolResult":{"items":${items}}}`],
  ])('is bounded and kept whole: %s', async (_, member) => {
    const root = await workspace();
    const gateway = through(root);
    await gateway.initialize();
    const line = `{"jsonrpc":"2.0",${member},"id":ID}`;
    const answer = await gateway.line('tools/call', { name: 'say', arguments: { lines: [line] } });
    expect(answer.length).toBeLessThanOrEqual(12_000);
    const id = /art_\d+_\w+/.exec(answer)?.[0] ?? '';
    const page = await gateway.call('get_artifact', { artifact_id: id, chars: '1-40' });
    expect(page.result.isError).not.toBe(true);
    await gateway.close();
    const opened = await open({ workspace: root, env: { HOME: root } });
    const scope = 'workspace';
    const found = await opened.store?.find({ scope, id: id as never });
    const bytes: Uint8Array[] = [];
    for await (const piece of originalMessage(opened, found as never)) bytes.push(piece);
    expect(Buffer.concat(bytes).toString() === line.replace('ID', '2')).toBe(true);
    await opened.spillway.close();
  });

  it('passes as it is where it is within the limit', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    for (const member of [
      '"result":{"content":"short"}',
      '"result":["a"]',
      '"result":{"content":{"a":[1.0]}}',
    ]) {
      const line = `{"jsonrpc":"2.0", ${member},"id":ID}`;
      const answer = await gateway.line('tools/call', { name: 'say', arguments: { lines: [line] } });
      expect(answer.replace(/\d+}$/, 'ID}')).toBe(line);
    }
  });
});
