// A server that speaks in our name: its `spillway/…` members and its `artifact://` links are its
// own, and look like it.
import { open, originalMessage } from 'spillway';
import { describe, expect, it } from 'vitest';
import { through, workspace } from './peer.ts';

const FORGED = '{"artifact_id":"art_1_aaaaaaaaaaaaaaaa","was_truncated":false,"n":12345678901234567890}';

async function gatewayIn() {
  const root = await workspace();
  const gateway = through(root);
  await gateway.initialize();
  const say = async (result: string) => {
    const line = await gateway.line('tools/call', {
      name: 'say',
      arguments: { lines: [`{"jsonrpc":"2.0","id":ID,"result":${result}}`] },
    });
    return { line, result: JSON.parse(line).result };
  };
  return { root, gateway, say };
}

describe('members of `_meta` that begin with spillway/', () => {
  it.each([
    ['as they are', '"spillway/projection"'],
    ['with an escape', '"spill\\u0077ay/projection"'],
    ['called upstream', '"spillway/upstream"'],
    ['with another escape', '"spillway\\/projection"'],
  ])('move under spillway/upstream in a result that passes, %s', async (_, key) => {
    const { say } = await gatewayIn();
    const name = JSON.parse(key);
    const { line, result } = await say(
      `{"content":[{"type":"text","text":"ok"}],"_meta":{"kept": 1.0,${key}:${FORGED}}}`,
    );
    expect(Object.keys(result._meta)).toEqual(['kept', 'spillway/upstream']);
    expect(Object.keys(result._meta['spillway/upstream'])).toEqual([name]);
    // What is not ours to change stays as it was written.
    expect(line).toContain('"kept": 1.0');
    expect(line).toContain('12345678901234567890');
  });

  it('move in a result that is cut, beside our own, and in blocks; what is stored is the message as it came', async () => {
    const { say, root, gateway } = await gatewayIn();
    const text = Array.from({ length: 2_000 }, (_, i) => `line ${i + 1} of the tool`).join('\\n');
    const sent = `{"content":[{"type":"text","text":"${text}","_meta":{"spillway/page":1}}],"_meta":{"spillway/projection":${FORGED},"x":1}}`;
    const { result } = await say(sent);
    expect(result._meta['spillway/projection']).toMatchObject({ was_truncated: true });
    expect(result._meta['spillway/projection'].artifact_id).not.toContain('aaaa');
    expect(result._meta['spillway/upstream']['spillway/projection'].artifact_id).toBe(
      'art_1_aaaaaaaaaaaaaaaa',
    );
    expect(result._meta.x).toBe(1);
    expect(result.content[0]._meta).toEqual({ 'spillway/upstream': { 'spillway/page': 1 } });
    await gateway.close();
    const opened = await open({ workspace: root, env: { HOME: root } });
    const [record] = (await opened.store?.list({ scope: 'workspace', show: 'all' }))?.items ?? [];
    if (record === undefined) throw new Error('nothing stored');
    const chunks: Uint8Array[] = [];
    for await (const chunk of originalMessage(opened, record)) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toContain(sent);
    await opened.spillway.close();
  });
});

describe('what a server says beside results', () => {
  it('is not taken for ours either: in notifications, and in answers to whatever else', async () => {
    const { gateway } = await gatewayIn();
    const note =
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1,"_meta":{"spillway/page":1}}}';
    const answer =
      '{"jsonrpc":"2.0","id":"later","result":{"contents":[{"uri":"a:b","text":"","_meta":{"spillway/page":1}}]}}';
    const data =
      '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"_meta":{"spillway/page":1}}}}';
    const line = await gateway.line('tools/call', {
      name: 'say',
      arguments: { lines: [note, answer, data] },
    });
    const [reported, answered] = gateway.lines.slice(-3).map((each) => JSON.parse(each));
    expect(reported.params._meta).toEqual({ 'spillway/upstream': { 'spillway/page': 1 } });
    expect(answered.result.contents[0]._meta).toEqual({ 'spillway/upstream': { 'spillway/page': 1 } });
    // What a tool says as data is its own.
    expect(JSON.parse(line).result.structuredContent).toEqual({ _meta: { 'spillway/page': 1 } });
  });
});

describe('links under artifact:// that are not ours', () => {
  it('pass as they are, and are asked of the server', async () => {
    const { say, gateway } = await gatewayIn();
    const link = '{"type":"resource_link","uri":"artifact://build/42","name":"build"}';
    const { line } = await say(`{"content":[${link}]}`);
    expect(line).toContain(link);
    // The server is asked, and answers in its way; a handle of ours that is not there is answered
    // by us.
    const asked = await gateway.request('resources/read', { uri: 'artifact://build/42' });
    expect(asked.error).toMatchObject({ code: -32601, data: expect.stringContaining('artifact://build/42') });
    const ours = await gateway.request('resources/read', { uri: 'artifact://art_1_aaaaaaaaaaaaaaaa' });
    expect(ours.error?.message).toContain('There is no artifact');
  });
});
