/**
 * Sessions and outputs: the lists, the thread, the context window, live, and the search through
 * everything.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { freshWorkspace } from '../../../spillway/test/program.ts';
import { browserPath, type Inspector, openInspector } from './browsing.ts';
import { type Recorded, recordedWorkspace } from './recorded.ts';

let recorded: Recorded;
let inspector: Inspector;
beforeAll(async () => {
  if (browserPath === undefined) return;
  recorded = await recordedWorkspace();
  inspector = await openInspector(recorded);
});

describe.skipIf(browserPath === undefined)('the sessions', () => {
  it('are listed with their calls, and the one in the address is a thread of messages, calls and results', async () => {
    const { page, isSound } = await inspector.open('/sessions/widen-resize');
    await expect.poll(() => page.locator('.list').innerText()).toMatch(/widen-resize[\s\S]*2 calls/);
    await expect.poll(() => page.locator('.thread').innerText()).toContain('Widen resize to size_t');
    const calls = page.locator('.call');
    await expect.poll(() => calls.count()).toBe(2);
    expect(await calls.nth(0).innerText()).toMatch(/search_files[\s\S]*whole/);
    expect(await calls.nth(1).innerText()).toMatch(/read_file[\s\S]*[\d.]+ KB of [\d.]+ KB/);
    await calls.nth(1).locator('a').click();
    await expect.poll(() => page.url()).toContain(`/o/${recorded.read}`);
    await isSound();
  });

  it('show what fills the context window, with thresholds in words and a tooltip for each', async () => {
    const { page } = await inspector.open('/sessions/widen-resize');
    const row = page.locator('.ctx');
    await expect.poll(() => row.innerText()).toMatch(/\d+ %\s+[\d,]+ of 32,000 tokens/);
    expect(await row.innerText()).toMatch(
      /Tool results [\d,]+[\s\S]*Messages [\d,]+[\s\S]*System [\d,]+[\s\S]*Reserved [\d,]+/,
    );
    expect(await row.innerText()).toMatch(
      /warning at \d+ %[\s\S]*compaction at \d+ %[\s\S]*hard limit at \d+ %/,
    );
    for (const tip of await row.locator('.tip').all()) {
      await tip.hover();
      const words = tip.locator('[role="tooltip"]');
      expect(await words.isVisible()).toBe(true);
      const { left, right } = await words.evaluate((element) => element.getBoundingClientRect().toJSON());
      expect([left >= 0, right <= 1_440]).toEqual([true, true]);
    }
    const { page: other } = await inspector.open('/outputs');
    await expect.poll(() => other.locator('.ctx').innerText()).toContain('of 32,000 tokens');
    // It says whose window it is, and leads there.
    await other.locator('.ctx').getByRole('link', { name: 'widen-resize' }).click();
    await expect.poll(() => new URL(other.url()).pathname).toBe('/sessions/widen-resize');
  });

  it('without messages have outputs only, and the page says what that means', async () => {
    const { page } = await inspector.open('/sessions/cli');
    await expect.poll(() => page.locator('.thread').innerText()).toContain('node build.mjs');
    expect(await page.locator('.item-pane').innerText()).toContain('does not send its messages to Spillway');
  });

  it('are filtered by name, gone through with j and k, and ended after a question', async () => {
    const { page, isSound } = await inspector.open('/sessions');
    await page.locator('.list-row').first().waitFor();
    const before = await page.locator('.list-row').count();
    await page.keyboard.press('j');
    await expect.poll(() => page.locator('.list-row').nth(1).getAttribute('aria-current')).toBe('true');
    await page.keyboard.press('f');
    await page.keyboard.type('widen');
    await expect.poll(() => page.locator('.list-row').count()).toBe(1);
    expect(before).toBeGreaterThan(1);
    await page.locator('.list-row').click();
    await page.getByRole('button', { name: 'End…' }).click();
    await expect.poll(() => page.locator('dialog').innerText()).toMatch(/read its 2 outputs/);
    await page.locator('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    await isSound();
  });

  it('show a new output of another process as it comes', async () => {
    const { page } = await inspector.open('/sessions/cli');
    await expect.poll(() => page.locator('.live').innerText()).toBe('Live');
    const calls = page.locator('.thread.full .call');
    await calls.first().waitFor();
    const before = await calls.count();
    await recorded.workspace.run(['exec', '--', 'node', '-e', 'console.log("just now")']);
    await expect.poll(() => calls.count()).toBe(before + 1);
  });
});

describe.skipIf(browserPath === undefined)('the outputs', () => {
  it('are listed newest first, and by what happened to them', async () => {
    const { page, isSound } = await inspector.open('/outputs');
    await page.locator('.output-row').first().waitFor();
    expect(await page.locator('.output-row').count()).toBeGreaterThanOrEqual(7);
    await page.getByRole('button', { name: 'Failed' }).click();
    await expect.poll(() => page.locator('.output-row').count()).toBe(1);
    await page.getByRole('button', { name: 'Read later' }).click();
    await expect.poll(() => page.locator('.output-link').innerText()).toContain('table.c');
    await isSound();
  });

  it('are searched through, with the lines that match and whether the model was shown them', async () => {
    const { page, isSound } = await inspector.open('/outputs');
    await page.locator('.output-row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('module_413.c');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.hit-line.out').innerText()).toContain('module_413.c');
    expect(await page.locator('.hit-line mark').innerText()).toBe('module_413.c');
    await page.locator('.hit-line').click();
    await expect.poll(() => page.locator('.r.cur mark').innerText()).toBe('module_413.c');
    await isSound();
  });
});

describe.skipIf(browserPath === undefined)('a workspace without a store', () => {
  it('says how to begin, on every view that lists', async () => {
    const { open } = await openInspector({ workspace: await freshWorkspace() });
    for (const path of ['/sessions', '/outputs', '/analytics', '/store']) {
      const { page, isSound, isAccessible } = await open(path);
      await expect
        .poll(() => page.locator('main').innerText())
        .toContain('Nothing is stored in this workspace yet');
      expect(await page.locator('main').innerText()).toContain('spillway exec -- npm test');
      expect(await page.locator('main').innerText()).toContain('spillway hook install');
      await page.getByRole('button', { name: 'Copy: spillway exec -- npm test' }).click();
      await expect
        .poll(() => page.evaluate(() => navigator.clipboard.readText()))
        .toBe('spillway exec -- npm test');
      await isSound();
      await isAccessible();
    }
  });
});

describe.skipIf(browserPath === undefined)('a browser without a key', () => {
  it('is shown nothing but how to get one', async () => {
    const { page } = await inspector.open('/sessions');
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await expect.poll(() => page.locator('main').innerText()).toContain('This page needs a start address');
    await page.getByRole('button', { name: 'Print a new address' }).click();
    await expect.poll(() => page.locator('main').innerText()).toContain('was printed in the terminal');
  });
});
