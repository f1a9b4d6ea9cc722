/**
 * An output of 1.5 million lines on a HiDPI screen: it opens at once, its last line can be read, and the
 * inspector reads and searches all of it in memory that its size does not matter for.
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { workspaceWith } from '../../../spillway/test/program.ts';
import { browserPath, openInspector } from './browsing.ts';

const LINES = 1_500_000;
/** 100 MB. */
const BIG = `
import { once } from 'node:events';
let text = '';
for (let i = 1; i <= ${LINES}; i++) {
  text += 'line ' + i + ' of a log that no browser can be tall enough for, part ' + (i % 97) + '\\n';
  if (text.length > 1e6) { if (!process.stdout.write(text)) await once(process.stdout, 'drain'); text = ''; }
}
process.stdout.write(text);
`;

const lastVisible = (page: Page) =>
  page.locator('.log').evaluate((log) => {
    const bottom = log.getBoundingClientRect().bottom;
    const rows = [...log.querySelectorAll<HTMLElement>('.r')].filter(
      (row) => row.getBoundingClientRect().bottom <= bottom + 1,
    );
    return rows.at(-1)?.innerText.replace(/\s+/g, ' ');
  });
const END = '1,500,000 line 1500000 of a log that no browser can be tall enough for, part 89';

describe.skipIf(browserPath === undefined)('1.5 million lines on a HiDPI screen', () => {
  it('are scrolled to the last one by keys, by the bar and by the wheel', async () => {
    const workspace = await workspaceWith({ 'big.mjs': BIG });
    const { stdout } = await workspace.run(['exec', '--json', '--', 'node', 'big.mjs']);
    const { artifact } = JSON.parse(stdout) as { artifact: { id: string } };
    const inspector = await openInspector({
      workspace,
      args: ['--force-device-scale-factor=2', '--window-size=1440,900'],
    });
    const { page, isSound } = await inspector.open(`/o/${artifact.id}?view=whole`);
    await page.locator('.log .t:not(:empty)').first().waitFor();
    expect(await page.evaluate(() => devicePixelRatio)).toBe(2);
    expect(await page.locator('.log').evaluate((log) => log.scrollHeight)).toBeLessThanOrEqual(8_000_000);
    await page.locator('.log').focus();
    await page.keyboard.press('End');
    await expect.poll(() => lastVisible(page)).toBe(END);
    await page.keyboard.press('Home');
    await expect.poll(() => page.locator('.log .r').first().innerText()).toContain('line 1 of a log');
    await page.locator('.log').evaluate((log) => log.scrollTo(0, log.scrollHeight));
    await expect.poll(() => lastVisible(page)).toBe(END);
    await page.locator('.log').hover();
    await page.mouse.wheel(0, -180);
    await expect.poll(() => lastVisible(page)).toContain('line 1499990 of');
    await page.mouse.wheel(0, 500);
    await expect.poll(() => lastVisible(page)).toBe(END);
    await page.keyboard.press('Home');
    await expect.poll(() => page.locator('.log .r').first().innerText()).toContain('line 1 of a log');
    expect(await page.locator('.log').evaluate(framesWithText)).toBeGreaterThan(0);
    await expect.poll(() => page.locator('.facts').innerText()).toMatch(/Error lines shown\s+0 of 0/);
    await page.getByPlaceholder('Search everything').fill('LINE 1499999 of');
    await expect.poll(() => page.locator('.hits').innerText()).toMatch(/^1 match, \d left out$/);
    await expect.poll(() => page.locator('.r.cur .n').innerText()).toBe('1,499,999');
    const status = readFileSync(`/proc/${inspector.pid}/status`, 'utf8');
    expect(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])).toBeLessThan(400_000);
    // What takes seconds waits for a click, says how far it is, and is stopped by another.
    const why = page.locator('.panel section', { hasText: 'Compare two of them' });
    await why.getByRole('button', { name: 'Calculate' }).click();
    await expect.poll(() => why.locator('progress').count()).toBe(1);
    await why.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => why.getByRole('button', { name: 'Calculate' }).count()).toBe(1);
    await isSound();
  });
});

/**
 * Runs in the page: scrolls without a pause, far beyond what was loaded; in how many frames the first
 * row had its text.
 */
async function framesWithText(log: Element): Promise<number> {
  let frames = 0;
  for (let frame = 0; frame < 300; frame++) {
    log.scrollBy(0, 90);
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const rows = [...log.querySelectorAll<HTMLElement>('.r')];
    const top = rows.find((row) => row.getBoundingClientRect().top >= log.getBoundingClientRect().top);
    if (Number(top?.dataset.line) > 400 && top?.querySelector('.t')?.textContent) frames += 1;
  }
  return frames;
}
