/** A session of 5,000 calls through a gateway: gone through, searched, and one of them opened. */
import { beforeAll, describe, expect, it } from 'vitest';
import { Peer, PROGRAM } from '../../../spillway/test/gateway/peer.ts';
import { program } from '../../../spillway/test/gateway/recorded.ts';
import { freshWorkspace } from '../../../spillway/test/program.ts';
import { browserPath, type Inspector, openInspector } from './browsing.ts';

const CALLS = 5_000;
const AT_ONCE = 100;
let inspector: Inspector;
let session: string;

beforeAll(async () => {
  if (browserPath === undefined) return;
  const workspace = await freshWorkspace();
  const server = [process.execPath, program('server-everything')];
  const args = [PROGRAM, 'mcp', '--name', 'many', '--', ...server];
  const peer = new Peer(process.execPath, args, workspace.root);
  await peer.initialize();
  for (let first = 1; first <= CALLS; first += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) => peer.call('echo', { message: `call ${first + i} of many` })),
    );
  await peer.close();
  const { stdout } = await workspace.run(['sessions', 'list', '--json']);
  session = (JSON.parse(stdout) as { sessions: { id: string }[] }).sessions[0]?.id ?? '';
  inspector = await openInspector({ workspace });
}, 240_000);

describe.skipIf(browserPath === undefined)('a session of 5,000 calls', () => {
  it('is opened at its end, and scrolled through page by page up to its beginning', async () => {
    const { page, isSound } = await inspector.open(`/sessions/${session}`);
    const calls = page.locator('.thread.full .call');
    await expect.poll(() => calls.count()).toBeGreaterThanOrEqual(200);
    expect(await page.locator('.session-head').innerText()).toContain('5,000 calls');
    const pane = page.locator('.item-pane');
    await pane.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect.poll(() => calls.last().isVisible()).toBe(true);
    const toTop = async () => {
      await pane.evaluate((element) => element.scrollTo(0, 0));
      return page.locator('.thread-more').count();
    };
    await expect.poll(toTop, { timeout: 60_000, interval: 50 }).toBe(0);
    expect(await calls.count()).toBe(CALLS);
    const addresses = await page
      .locator('.thread.full a.call-box')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(new Set(addresses).size).toBe(CALLS);
    await isSound();
  });

  it('is searched for one call, which is opened, and is found again in the column beside it', async () => {
    const { page, isSound, isAccessible } = await inspector.open(`/sessions/${session}`);
    await page.getByLabel('Find in this session').fill('call 2345 of');
    await expect.poll(() => page.locator('.thread-note.found').innerText()).toBe('1 entry contains it.');
    await expect.poll(() => page.locator('.thread.full .call').count()).toBe(1);
    await isAccessible();
    await page.locator('.thread.full .call a').click();
    await expect.poll(() => page.locator('.log').innerText()).toContain('Echo: call 2345 of many');
    const current = page.locator('.side [aria-current]');
    await expect.poll(() => current.innerText()).toContain('call 2345 of many');
    expect(await current.evaluate((call) => call.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
    await isSound();
  });

  it('says so where nothing in it holds a text', async () => {
    const { page } = await inspector.open(`/sessions/${session}`);
    await page.getByLabel('Find in this session').fill('nowhere to be found');
    await expect
      .poll(() => page.locator('.thread-note.found').innerText())
      .toBe('Nothing in this session contains it.');
  });
});
