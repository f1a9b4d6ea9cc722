/** The timeline of a session: on its page, as a picture, and as a file that can be attached. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Workspace } from '../../../spillway/test/program.ts';
import { browserPath, findings, openInspector } from './browsing.ts';
import { withLibrary } from './recorded.ts';

const AGENT = `
import { openAgent } from 'spillway';
const agent = await openAgent({ session: 'long <b>run</b>', shape: 'openai_chat' });
agent.tool(() => 'SECRET line\\n'.repeat(4000), { name: '<img src=x onerror="window.wasRun=1">' });
await agent.say('Go on until it is done.');
for (let i = 0; i < 6; i++) {
  const message = { role: 'assistant', content: 'Step ' + i, tool_calls: [{ id: 'c' + i, type: 'function', function: { name: '<img src=x onerror="window.wasRun=1">', arguments: JSON.stringify({ step: i }) } }] };
  await agent.run((await agent.take(message)).calls);
  const { body } = await agent.request({ window: 64000 });
  if (i === 5) await agent.fetch({ artifact_id: JSON.stringify(body).match(/art_\\d+_\\w+/)[0], lines: '1-2' });
}
await agent.say('word '.repeat(1000) + 'The key is AKIAIOSFODNN7EXAMPLE.');
await agent.close();
`;

let workspace: Workspace;
beforeAll(async () => {
  if (browserPath === undefined) return;
  workspace = await withLibrary({ 'agent.mjs': AGENT });
  const { code, stderr } = await workspace.shell(`'${process.execPath}' agent.mjs`);
  expect([code, stderr]).toEqual([0, '']);
});

describe.skipIf(browserPath === undefined)('the timeline of a session', () => {
  it('shows how the window filled, with a table whose entries lead to the results', async () => {
    const { open } = await openInspector({ workspace });
    const { page, isSound, isAccessible } = await open(`/sessions/${encodeURIComponent('long <b>run</b>')}`);
    await page.locator('.timeline summary').click();
    const points = page.locator('.timeline svg a');
    await expect.poll(() => points.count()).toBe(13);
    expect(await page.locator('.timeline tbody tr').count()).toBe(7);
    // The parts of a turn are all of it.
    const cells = await page.locator('.timeline tbody tr').nth(5).locator('td').allInnerTexts();
    const [used = 0, ...parts] = cells.slice(1, 6).map((cell) => Number(cell.replace(',', '')));
    expect([used > 500, parts.reduce((sum, part) => sum + part)]).toEqual([true, used]);
    // What happened behind the last request is told too.
    expect(await page.locator('.timeline tbody tr').last().innerText()).toMatch(
      /^since then\s+[\d:\- ]+\s+Read later/,
    );
    await isSound();
    await isAccessible();
    const { page: phone, isSound: isPhoneSound } = await open(new URL(page.url()).pathname, { width: 390 });
    await phone.locator('.timeline summary').click();
    const words = phone.locator('.timeline svg text').nth(1);
    await expect
      .poll(() => words.evaluate((text) => text.getBoundingClientRect().height))
      .toBeGreaterThan(10);
    await isPhoneSound();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as PNG' }).click();
    expect((await saved).suggestedFilename()).toMatch(/\.png$/);
    // Dark in the dark theme, and saved as it looks.
    const ground = page.locator('.timeline svg > rect').first();
    const dark = 'rgb(14, 17, 22)';
    expect(await ground.evaluate((one) => getComputedStyle(one).fill)).toBe(dark);
    const drawn = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as SVG' }).click();
    const svg = await readFile(await (await drawn).path(), 'utf8');
    expect(svg).toContain(`fill="${dark}"`);
    expect(svg).not.toMatch(/light-dark|href/);
    await points.nth(1).click();
    await expect.poll(() => page.url()).toContain('/o/art_');
    await page.goBack();
    await page.locator('.timeline summary').click();
    // By keys: the third point is the second turn, whose place is the result that it sent last.
    await points.first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toMatch(/#at-\d+$/);
    await expect.poll(() => page.locator('.thread [aria-current]').innerText()).toContain('step');
  });

  it('is exported as one inert file for its owner, without content', async () => {
    const file = join(workspace.root, 'timeline.html');
    // Without a name it is the session that was used last.
    const { code, stdout } = await workspace.run(['inspect', '--export', file]);
    expect([code, stdout]).toEqual([0, `Wrote ${file}: long <b>run</b>, 6 turns.\n`]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const html = await readFile(file, 'utf8');
    expect(html).toMatch(/content="default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+';/);
    expect(html).not.toContain('SECRET');
    expect(html).not.toContain('Go on until');
    const browser = await chromium.launch({ executablePath: browserPath as string, args: ['--no-sandbox'] });
    const page = await browser.newPage();
    const wrong: string[] = [];
    page.on('console', (message) => wrong.push(message.text()));
    page.on('request', (request) => request.url().startsWith('file:') || wrong.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findings(page)).toEqual([]);
    }
    await page.locator('svg a[href="#t6"] rect').last().click();
    expect(await page.locator(':target').innerText()).toContain('<img src=x');
    await page.locator('svg a').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#t1');
    expect(await page.evaluate(() => 'wasRun' in window)).toBe(false);
    // By choice with what was said and shown, which is as inert, and without known secrets.
    await workspace.run(['inspect', 'long <b>run</b>', '--export', file, '--content']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await page.goto(pathToFileURL(file).href);
    const said = await page.locator('body').innerText();
    expect(said).toContain('Go on until it is done.');
    expect(said).toContain('SECRET line');
    expect(said).toContain('[redacted: aws_key]');
    expect(said).not.toContain('AKIAIOSFODNN7EXAMPLE');
    expect(await page.evaluate(() => 'wasRun' in window)).toBe(false);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
    expect(wrong).toEqual([]);
    await browser.close();
  });
});
