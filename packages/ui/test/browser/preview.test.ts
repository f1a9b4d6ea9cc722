/** The preview: one text under two settings, what only one of them keeps, and saving what was found. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Inspector, openInspector } from './browsing.ts';
import { type Recorded, recordedWorkspace } from './recorded.ts';

let recorded: Recorded;
let inspector: Inspector;
beforeAll(async () => {
  if (browserPath === undefined) return;
  recorded = await recordedWorkspace();
  inspector = await openInspector(recorded);
});

describe.skipIf(browserPath === undefined)('the preview', () => {
  it('shows a stored output under two settings side by side, and follows what is typed', async () => {
    const { page, isSound } = await inspector.open(
      `/preview?o=${recorded.build}&b=strategy:tail,inline_limit:3000`,
    );
    const numbers = (name: string) => page.locator(`.is-${name} .variant-numbers`).innerText();
    await expect
      .poll(() => numbers('A'))
      .toMatch(
        /^[\d,]+ chars, \d+ % · [\d,]+ tokens.* · keeps [\d,]+ of 2,402 lines, 2 of 2 errors, \d+ of 60 warnings/,
      );
    await expect.poll(() => numbers('B')).toMatch(/^[12],\d\d\d chars/);
    await page.getByLabel('inline_limit of B').fill('2000');
    const work = page.getByRole('button', { name: 'Calculate' });
    // Asked for by a click where the machine is too slow to follow what is typed.
    await expect
      .poll(async () => (await work.count()) > 0 || /^1,\d\d\d chars/.test(await numbers('B')))
      .toBe(true);
    if ((await work.count()) > 0) await work.click();
    await expect.poll(() => numbers('B')).toMatch(/^1,\d\d\d chars/);
    expect(page.url()).toContain('inline_limit%3A2000');
    await isSound();
  });

  it('tells what only one of them keeps, and leads to the lines', async () => {
    const { page, isSound } = await inspector.open(`/preview?o=${recorded.build}&b=strategy:tail`);
    const only = page.locator('.only', { hasText: 'Only A keeps' });
    await only.locator('summary').click();
    const range = only.locator('button').first();
    const line = (await range.innerText()).split('–')[0]?.replaceAll(',', '');
    await range.click();
    await expect.poll(() => page.locator('.is-B .r.cur').getAttribute('data-line')).toBe(line);
    await isSound();
  });

  it('takes a pasted text, and a file', async () => {
    const { page, isSound } = await inspector.open('/preview');
    await page.getByRole('button', { name: 'Paste' }).click();
    const text = Array.from({ length: 500 }, (_, i) => `pasted line ${i + 1}`).join('\n');
    await page.getByLabel('The text').fill(text);
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await expect.poll(() => page.locator('.is-A .log').innerText()).toContain('pasted line 1');
    await expect.poll(() => page.locator('.is-A .variant-numbers').innerText()).toMatch(/[\d,]+ chars/);
    const before = page.url();
    await page
      .getByLabel('A file to preview')
      .setInputFiles({ name: 'a.log', mimeType: 'text/plain', buffer: Buffer.from('from a file\n') });
    await expect.poll(() => page.url()).not.toBe(before);
    await expect.poll(() => page.locator('.is-A .log').innerText()).toContain('from a file');
    await isSound();
  });

  it('writes a setting for the tool after showing the change, and keeps the comments', async () => {
    const { page, isSound } = await inspector.open(`/preview?o=${recorded.build}&b=strategy:tail`);
    await page.getByRole('button', { name: 'Save B for execute_command…' }).click();
    await expect
      .poll(() =>
        page
          .locator('dialog .diff .added')
          .allInnerTexts()
          .then((lines) => lines.join()),
      )
      .toContain('tail');
    const file = join(recorded.workspace.root, '.acode', 'config.yml');
    expect(await readFile(file, 'utf8')).not.toContain('tail');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => readFile(file, 'utf8')).toContain('tail');
    expect(await readFile(file, 'utf8')).toMatch(/# Ours\.[\s\S]*# enough/);
    await isSound();
  });
});
