/** Analytics: numbers, charts with their tables, losses with links, recommendations that are applied. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { workspaceWith } from '../../../spillway/test/program.ts';
import { browserPath, type Inspector, openInspector } from './browsing.ts';
import { CONFIG, type Measured, measuredWorkspace } from './measured.ts';

let measured: Measured;
let inspector: Inspector;
beforeAll(async () => {
  if (browserPath === undefined) return;
  measured = await measuredWorkspace();
  inspector = await openInspector(measured);
});

describe.skipIf(browserPath === undefined)('the analytics', () => {
  it('count what was cut, saved, fetched again, not followed and perhaps lost, and say that tokens are estimates', async () => {
    const { page, isSound } = await inspector.open('/analytics');
    await expect.poll(() => page.locator('.facts').innerText()).toMatch(/Cut\s+8 of 8 results/);
    const facts = await page.locator('.facts').innerText();
    expect(facts).toMatch(/Saved, net of fetches\s+≈ [\d,]+(?: k)? tokens/);
    expect(facts).toMatch(/Read later\s+6 of 8 cuts\s+Not read later\s+2 of 8 cuts\s+Suspected losses\s+1/);
    expect(await page.locator('.page-head').innerText()).toContain('Tokens are estimates');
    await isSound();
  });

  it('draw charts, each with its table', async () => {
    const { page, isSound } = await inspector.open('/analytics?since=24h');
    await expect.poll(() => page.locator('.chart-box').count()).toBe(2);
    for (const summary of await page.locator('.chart summary').all()) await summary.click();
    const sums = await page
      .locator('.chart')
      .first()
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows
          .map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent)))
          .reduce((sum, cells) => sum.map((value, at) => value + (cells[at] ?? 0))),
      );
    expect(sums).toEqual([8, 8, 6]);
    const bars = page.locator('.chart-box').first().locator('rect');
    const heights = await bars.evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeGreaterThan(50);
    const scale = await page.locator('.chart').first().locator('svg text.end').allTextContents();
    expect([scale[0], scale.at(-1)]).toEqual(['0', '8']);
    await isSound();
  });

  it('link each suspected loss to the line, with the reason', async () => {
    const { page } = await inspector.open('/analytics');
    const row = page.locator('tr', { hasText: 'node build.mjs' });
    await expect
      .poll(() => row.innerText())
      .toContain('A line that reports a failure was left out: line 901');
    await row.getByRole('link').first().click();
    await expect.poll(() => page.url()).toContain(`/o/${measured.build}/stdout#L901`);
    await expect.poll(() => page.locator('.r.cur').innerText()).toContain('resize is not a function');
  });

  it('are narrowed by tool and by time, in the address', async () => {
    const { page } = await inspector.open('/analytics');
    await page.getByLabel('Tool', { exact: true }).selectOption('run_build');
    await expect.poll(() => page.locator('.facts').innerText()).toMatch(/Cut\s+1 of 1 result\b/);
    await page.getByLabel('Since when').selectOption('all');
    await expect.poll(() => page.url()).toMatch(/tool=run_build&since=all$/);
    await expect
      .poll(() => page.locator('main').innerText())
      .toContain('Fewer than five results were cut, which is too few to tell.');
  });

  it('recommend with evidence, and the recommendation is applied after its diff was shown', async () => {
    const { page, isSound, isAccessible } = await inspector.open('/analytics');
    const advice = page.locator('.advice', { hasText: 'run_search' });
    await expect.poll(() => advice.innerText()).toMatch(/inline_limit 6,000 → 9,500/);
    await advice.locator('summary').click();
    await expect.poll(() => advice.locator('.output-row').count()).toBe(6);
    const compared = await advice.getByRole('link', { name: 'Preview' }).getAttribute('href');
    const { page: preview } = await inspector.open(compared ?? '');
    await expect
      .poll(() => preview.locator('.is-B .variant-numbers').innerText(), { timeout: 10_000 })
      .toMatch(/tokens \(\+[\d,]+\) · keeps 160 of 160 lines/);
    await advice.getByRole('button', { name: 'Apply…' }).click();
    const dialog = page.getByRole('dialog');
    await expect
      .poll(() => dialog.locator('.effect').innerText(), { timeout: 20_000 })
      .toMatch(/^This would have changed 6 of the last 6 results/);
    await isAccessible();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const file = join(measured.workspace.root, '.acode', 'config.yml');
    await expect
      .poll(() => readFile(file, 'utf8'))
      .toMatch(/^[\s\S]*# too chatty\n {6}run_search:\n {8}inline_limit: 9500\n$/);
    expect(await readFile(file, 'utf8')).toContain(CONFIG);
    // What was applied is no longer recommended.
    await expect.poll(() => advice.count(), { timeout: 20_000 }).toBe(0);
    await isSound();
  });

  it('drop a suspected loss that a person says is none, and so does its result', async () => {
    const { page, isSound } = await inspector.open('/analytics?since=all');
    const rows = page.locator('.section', { hasText: 'Suspected losses' }).locator('tbody tr');
    await rows.first().waitFor();
    const before = await rows.count();
    const link = (await rows.first().locator('a').first().getAttribute('href')) ?? '';
    await rows.first().getByRole('button', { name: 'Not a loss' }).click();
    await expect.poll(() => rows.count()).toBe(before - 1);
    await page.goto(inspector.base + link);
    await page.locator('.log .t:not(:empty)').first().waitFor();
    expect(await page.locator('.banner').count()).toBe(0);
    await isSound();
  });

  it('say so where every result was passed on whole', async () => {
    const workspace = await workspaceWith({});
    await workspace.run(['exec', '--', 'node', '--version']);
    const { open } = await openInspector({ workspace });
    const { page, isSound } = await open('/analytics');
    await expect.poll(() => page.locator('main').innerText()).toContain('The one result was shown whole.');
    await isSound();
  });
});
