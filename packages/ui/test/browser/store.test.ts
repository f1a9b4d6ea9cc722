/** The store: what it holds, what would go, and what goes once its number was typed. */
import { beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Inspector, openInspector } from './browsing.ts';
import { type Measured, measuredWorkspace } from './measured.ts';

let measured: Measured;
let inspector: Inspector;
beforeAll(async () => {
  if (browserPath === undefined) return;
  measured = await measuredWorkspace();
  inspector = await openInspector(measured);
});

const show = (id: string) => measured.workspace.run(['artifacts', 'show', id]);

describe.skipIf(browserPath === undefined)('the store', () => {
  it('tells its size, its retention, its sessions by size and its health', async () => {
    const { page, isSound } = await inspector.open('/store');
    await expect.poll(() => page.locator('.facts').innerText()).toMatch(/Outputs\s+8 in 3 sessions/);
    expect(await page.locator('main').innerText()).toContain('Outputs stay when their session ends');
    const sessions = await page.locator('.sizes tbody th').allInnerTexts();
    expect(sessions).toEqual(['find-callers', 'nightly', 'old']);
    await page.getByRole('button', { name: 'Check every output' }).click();
    await expect
      .poll(() => page.locator('main').innerText(), { timeout: 20_000 })
      .toContain('Every output can be read.');
    await isSound();
  });

  it('is compressed without a change to what is read', async () => {
    const before = (await show(measured.build)).stdout;
    const { page } = await inspector.open('/store');
    await page.getByRole('button', { name: 'Archive…' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.innerText()).toMatch(/8 outputs, \d+ KB of content/);
    expect(await dialog.locator('.goes li').count()).toBe(8);
    await dialog.getByLabel('Session', { exact: true }).selectOption({ value: 'nightly' });
    await expect.poll(() => dialog.locator('.goes li').allInnerTexts()).toHaveLength(1);
    await dialog.getByLabel('Session', { exact: true }).selectOption({ value: '' });
    await expect.poll(() => dialog.locator('.goes li').count()).toBe(8);
    await page.getByRole('button', { name: 'Compress' }).click();
    await expect
      .poll(() => page.locator('.toast').innerText())
      .toMatch(/^\d outputs? compressed: .* became /);
    expect((await show(measured.build)).stdout).toBe(before);
  });

  it('ends handles of one session after what goes was shown', async () => {
    const { page, isSound, isAccessible } = await inspector.open('/store');
    await page.getByRole('button', { name: 'Clean up nightly' }).click();
    const dialog = page.getByRole('dialog');
    await isAccessible();
    await dialog.getByLabel('Revoke handles').check();
    await dialog.getByRole('button', { name: 'Show what will go' }).click();
    await expect.poll(() => dialog.locator('.goes li').allInnerTexts()).toHaveLength(1);
    await isAccessible();
    await dialog.getByLabel('to confirm').fill('1');
    await dialog.getByRole('button', { name: 'Revoke the handles' }).click();
    await expect.poll(() => page.locator('.toast').innerText()).toBe('The handles of 1 output were revoked');
    expect((await show(measured.build)).code).toBe(1);
    await isSound();
  });

  it('removes outputs only once their number was typed', async () => {
    const { page, isSound } = await inspector.open('/store');
    await page.getByRole('button', { name: 'Clean up find-callers' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Show what will go' }).click();
    await expect.poll(() => dialog.innerText()).toContain('6 outputs will be removed for good');
    expect(await dialog.locator('.goes li').count()).toBe(6);
    const remove = dialog.getByRole('button', { name: 'Remove for good' });
    await dialog.getByLabel('to confirm').fill('5');
    expect(await remove.isDisabled()).toBe(true);
    expect((await show(measured.searches[0] ?? '')).code).toBe(0);
    await dialog.getByLabel('to confirm').fill('6');
    await remove.click();
    await expect.poll(() => page.locator('.toast').innerText()).toMatch(/^6 outputs removed, .* freed$/);
    for (const id of measured.searches) expect((await show(id)).code).toBe(1);
    const gone = await inspector.open(`/o/${measured.searches[0]}`);
    await expect.poll(() => gone.page.locator('main').innerText()).toContain('This output was purged');
    await isSound();
  });

  it('takes nothing of a session that is open, unless that one is chosen', async () => {
    const { page } = await inspector.open('/store');
    await page.getByRole('button', { name: 'Clean up…', exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Age').selectOption('Older than a day');
    await dialog.getByRole('button', { name: 'Show what will go' }).click();
    await expect.poll(() => dialog.innerText()).toContain('Nothing to clean up');
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.getByLabel('Age').selectOption('Any age');
    await dialog.getByRole('button', { name: 'Show what will go' }).click();
    await expect
      .poll(() => dialog.locator('.goes li').allInnerTexts())
      .toEqual([expect.stringContaining('node search.mjs 9')]);
  });
});
