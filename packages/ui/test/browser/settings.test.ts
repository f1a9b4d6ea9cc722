/** Settings: every level with its source, and a change that is shown before it is written. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Inspector, openInspector } from './browsing.ts';
import { CONFIG, type Measured, measuredWorkspace } from './measured.ts';

let measured: Measured;
let inspector: Inspector;
beforeAll(async () => {
  if (browserPath === undefined) return;
  measured = await measuredWorkspace();
  inspector = await openInspector(measured);
});

const file = () => readFile(join(measured.workspace.root, '.acode', 'config.yml'), 'utf8');

describe.skipIf(browserPath === undefined)('the settings', () => {
  it('have a row each and a column for each level, with the winner framed and its file and line', async () => {
    const { page, isSound } = await inspector.open('/settings/run_build');
    const row = (name: string) =>
      page.locator('.levels tbody tr').filter({ has: page.getByText(name, { exact: true }) });
    await row('preserve_errors').waitFor();
    expect(await page.locator('.levels thead th').allInnerTexts()).toEqual([
      'Setting',
      'System',
      'User',
      'Tool',
      'Task',
    ]);
    const winner = row('preserve_errors').locator('.wins');
    expect(await winner.innerText()).toMatch(/^false[\s\S]*\.acode\/config\.yml:7$/);
    expect(await winner.locator('xpath=..').getAttribute('data-label')).toBe('Tool');
    expect(await row('preserve_errors').locator('.given').first().innerText()).toMatch(/^true\s+built-in$/);
    expect(await row('inline_limit').locator('.wins').innerText()).toMatch(
      /^6,000[\s\S]*\.acode\/config\.yml:4$/,
    );
    await isSound();
  });

  it('are found by a word, by whether a file sets them, and tool by tool with j and k', async () => {
    const { page } = await inspector.open('/settings');
    await page.locator('.levels tbody tr').first().waitFor();
    expect(await page.locator('.levels tbody code').allInnerTexts()).toEqual([
      'inline_limit',
      'strategy',
      'preserve_errors',
      'redact',
      'page_limit',
    ]);
    await page.keyboard.press('f');
    await page.keyboard.type('threshold');
    await expect.poll(() => page.locator('.levels tbody tr').count()).toBe(1);
    await page.getByLabel('Filter settings by name or meaning').fill('');
    await page.getByRole('button', { name: 'Changed' }).click();
    await expect.poll(() => page.locator('.levels tbody code').allInnerTexts()).toEqual(['inline_limit']);
    await page.getByLabel('Filter settings by name or meaning').blur();
    await page.keyboard.press('j');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/settings/run_search');
    await expect
      .poll(() => page.locator('.list-row[aria-current]').innerText())
      .toContain('6 outputs · 6 cut');
  });

  it('change after bounds, effect and diff were shown; comments stay; undo puts the file back', async () => {
    const { page, isSound, isAccessible } = await inspector.open('/settings/run_search');
    await page.getByRole('button', { name: 'Change inline_limit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel('inline_limit', { exact: true });
    expect(await dialog.innerText()).toContain('A whole number, at least 300. The default is 8,000.');
    await field.fill('20');
    await expect.poll(() => dialog.locator('[role="alert"]').innerText()).toContain('300');
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await field.fill('3000');
    await expect
      .poll(() => dialog.locator('.effect').innerText(), { timeout: 20_000 })
      .toMatch(/^This would have changed 6 of the last 6 results: [\d,]+ chars fewer in all\./);
    await expect
      .poll(() => dialog.locator('.diff .added').allInnerTexts())
      .toEqual([expect.stringContaining('run_search:'), expect.stringContaining('inline_limit: 3000')]);
    expect(await file()).toBe(CONFIG);
    await isAccessible();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(file).toBe(`${CONFIG}      run_search:\n        inline_limit: 3000\n`);
    await expect
      .poll(() => page.locator('.wins.tool').innerText(), { timeout: 20_000 })
      .toMatch(/^3,000[\s\S]*config\.yml:9$/);
    await page.getByRole('button', { name: 'All (advanced)' }).click();
    await expect.poll(() => page.locator('.levels tbody tr').count()).toBeGreaterThan(30);
    const undo = page.getByRole('button', { name: 'Undo inline_limit' });
    expect((await undo.boundingBox())?.y).toBeLessThan(400);
    await undo.click();
    await expect.poll(file).toBe(CONFIG);
    await expect.poll(() => page.locator('.written').innerText()).toContain('undone');
    await isSound();
  });

  it('are taken out of a file, so that a weaker level counts', async () => {
    const { page } = await inspector.open('/settings/run_build');
    await page.getByRole('button', { name: 'Change preserve_errors', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Remove it from').check();
    await expect.poll(() => dialog.locator('.diff .removed').count()).toBeGreaterThan(0);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(file).not.toContain('preserve_errors');
    await page.getByRole('button', { name: 'Undo preserve_errors' }).first().click();
    await expect.poll(file).toBe(CONFIG);
  });
});
