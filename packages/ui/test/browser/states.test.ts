/**
 * What becomes of outputs and sessions, as the page shows it: images, handles that were ended,
 * outputs that were purged, sessions that end, a window that nobody told, several writers at once,
 * and the page that `spillway serve` carries.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { Peer, PROGRAM } from '../../../spillway/test/gateway/peer.ts';
import { program } from '../../../spillway/test/gateway/recorded.ts';
import { freshWorkspace, type Workspace } from '../../../spillway/test/program.ts';
import { browserPath, type Inspector, openInspector } from './browsing.ts';
import { executed, withLibrary } from './recorded.ts';

const EVERYTHING = [process.execPath, program('server-everything')];

/** An agent that keeps its messages here and never says how large its window is. */
const AGENT = `
import { openAgent } from 'spillway';
const agent = await openAgent({ session: 'unmeasured', shape: 'openai_chat' });
agent.tool(() => 'nothing to see\\n'.repeat(40), { name: 'read_file' });
await agent.say('Read the notes, please.');
const call = { id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"notes"}' } };
await agent.run((await agent.take({ role: 'assistant', content: 'I read them.', tool_calls: [call] })).calls);
await agent.close();
`;

let workspace: Workspace;
let inspector: Inspector;
let image: string;
const outputs = { retired: '', purged: '', kept: '' };

beforeAll(async () => {
  if (browserPath === undefined) return;
  workspace = await withLibrary({ 'agent.mjs': AGENT });
  image = await throughServer(workspace);
  for (const name of ['retired', 'purged', 'kept'] as const)
    outputs[name] = await executed(workspace, ['--session', 'run'], ['seq', '1', `${name.length}000`]);
  expect((await workspace.run(['artifacts', 'clean', outputs.retired])).code).toBe(0);
  expect((await workspace.run(['artifacts', 'clean', '--purge', outputs.purged])).code).toBe(0);
  expect((await workspace.shell(`'${process.execPath}' agent.mjs`)).code).toBe(0);
  inspector = await openInspector({ workspace });
});

/** A tool that returns an image; the handle of its output. */
async function throughServer({ root, ids }: Workspace): Promise<string> {
  const peer = new Peer(process.execPath, [PROGRAM, 'mcp', '--name', 'pictures', '--', ...EVERYTHING], root);
  await peer.initialize();
  const { result } = await peer.call('get-tiny-image');
  expect(result.content.map(({ type }: { type: string }) => type)).toContain('image');
  await peer.close();
  const [id = ''] = await ids('--all');
  return id;
}

describe.skipIf(browserPath === undefined)('an output', () => {
  it('that holds an image shows it, beside its texts', async () => {
    const { page, isSound, isAccessible } = await inspector.open(`/o/${image}`);
    await page.locator('.log .t:not(:empty)').first().waitFor();
    await page
      .locator('.parts a', { hasText: /image|KB/ })
      .first()
      .click();
    const shown = page.locator('.media img');
    await shown.waitFor();
    expect(await shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(8);
    expect(await shown.getAttribute('alt')).toMatch(/image\/png, [\d.]+ K?B/);
    await isAccessible();
    await isSound();
  });

  it('whose handle was ended says so, and can still be read here', async () => {
    const { page, isSound } = await inspector.open(`/o/${outputs.retired}?view=whole`);
    await expect.poll(() => page.locator('.log').innerText()).toContain('1\n');
    expect(await page.locator('.banner').innerText()).toMatch(
      /^The handle was revoked on .*\. Models can no longer read this output; you can\.$/,
    );
    const { page: list } = await inspector.open('/outputs');
    await expect.poll(() => list.locator('.output-row', { hasText: 'handle revoked' }).count()).toBe(1);
    await isSound();
  });

  it('that was purged has a tombstone with its date, in its place in the session too', async () => {
    const { page, isAccessible } = await inspector.open(`/o/${outputs.purged}`);
    await expect
      .poll(() => page.locator('main').innerText())
      .toMatch(/purged[\s\S]*removed on \d+ \w+ \d{4}/);
    await isAccessible();
    const { page: session, isSound } = await inspector.open('/sessions/run');
    await expect.poll(() => session.locator('.call').count()).toBe(3);
    expect(await session.locator('.call', { hasText: 'its result was purged' }).count()).toBe(1);
    await isSound();
  });
});

describe.skipIf(browserPath === undefined)('a session', () => {
  it('with messages and no window asks which one, and keeps the answer', async () => {
    const { page, isSound, isAccessible } = await inspector.open('/sessions/unmeasured');
    const row = page.locator('.ctx');
    await expect.poll(() => row.innerText()).toMatch(/[\d,]+ tokens/);
    await isAccessible();
    await page.getByLabel('Size of the window').selectOption('8,000');
    await expect.poll(() => row.innerText()).toMatch(/\d+ %\s+[\d,]+ of 8,000 tokens/);
    await page.reload();
    await expect.poll(() => row.innerText()).toMatch(/of 8,000 tokens/);
    await isSound();
  });

  it('is ended from the page, and its handles with it', async () => {
    const { page, isSound } = await inspector.open('/sessions/run');
    expect((await workspace.run(['artifacts', 'show', outputs.kept])).code).toBe(0);
    await page.getByRole('button', { name: 'End…' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.innerText()).toMatch(/Models can no longer read its 1 output\./);
    await dialog.getByRole('button', { name: 'End the session' }).click();
    await expect.poll(() => page.locator('.session-head').innerText()).toMatch(/· ended \d\d:\d\d/);
    expect(await page.getByRole('button', { name: 'End…' }).count()).toBe(0);
    expect((await workspace.run(['artifacts', 'show', outputs.kept])).code).toBe(1);
    await page.getByLabel('Which sessions').selectOption('Open');
    await expect.poll(() => page.locator('.list').innerText()).not.toMatch(/^run$/m);
    await isSound();
  });
});

describe.skipIf(browserPath === undefined)('a live page', () => {
  it('shows what two others write at the same time, each output once, in the order of its time', async () => {
    const { page, isSound } = await inspector.open('/outputs');
    await expect.poll(() => page.locator('.live').innerText()).toBe('Live');
    // The rows come after the page.
    await expect.poll(() => page.locator('.output-row').count()).toBeGreaterThan(0);
    const before = await page.locator('.output-row').count();
    const { page: sessions } = await inspector.open('/sessions');
    await expect.poll(() => sessions.locator('.live').innerText()).toBe('Live');
    const writer = (name: string) =>
      workspace.shell(`for i in 1 2 3 4 5; do spillway exec --session ${name} -- seq 1 $i >/dev/null; done`);
    const names = ['left', 'right'].map((name) => `${name}-${before}`);
    await Promise.all(names.map(writer));
    await expect.poll(() => page.locator('.output-row').count()).toBe(before + 10);
    const links = await page
      .locator('.output-link')
      .evaluateAll((all) => all.slice(0, 10).map((link) => link.getAttribute('href')));
    expect(new Set(links).size).toBe(10);
    for (const name of names) {
      expect(await page.locator('.output-facts a', { hasText: new RegExp(`^${name}$`) }).count()).toBe(5);
      const row = sessions.locator('.list-row', { hasText: name });
      await expect.poll(() => row.innerText()).toMatch(/5 calls/);
    }
    await isSound();
  });
});

describe.skipIf(browserPath === undefined)('the page that serve carries', () => {
  it('shows what came through the gateway beside it, as it comes', async () => {
    const token = 'a-token-for-the-tests-only';
    const served = await openInspector({
      workspace: await freshWorkspace(),
      command: ['serve', '--port', '0', '--', ...EVERYTHING],
      env: { SPILLWAY_TOKEN: token },
    });
    const { page, isSound, isAccessible } = await served.open('/outputs');
    await expect.poll(() => page.locator('main').innerText()).toContain('Nothing is stored');
    const client = new Client({ name: 'c', version: '1' });
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', served.base), { requestInit: { headers } }),
    );
    await client.callTool({ name: 'echo', arguments: { message: 'through the gateway' } });
    await expect.poll(() => page.locator('.output-row').count(), { timeout: 10_000 }).toBe(1);
    await page.locator('.output-link').click();
    await expect.poll(() => page.locator('.log').innerText()).toContain('Echo: through the gateway');
    await isAccessible();
    await client.close();
    await isSound();
  });
});
