/** Every view on a desk and on a phone, in light and in dark: no finding of axe, no sideways scroll. */
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

/** Address, and what is there once the view is complete. */
const VIEWS: readonly (readonly [name: string, path: () => string, ready: string])[] = [
  ['sessions', () => '/sessions', '.list-row'],
  ['a session', () => '/sessions/widen-resize', '.call'],
  ['outputs', () => '/outputs', '.output-row'],
  ['a search', () => '/outputs?q=error', '.hit-line'],
  ['a result, folded', () => `/o/${recorded.build}`, '.log .t:not(:empty)'],
  ['a result, beside', () => `/o/${recorded.build}?view=beside`, '.log .t:not(:empty)'],
  ['a result, whole', () => `/o/${recorded.build}?view=whole`, '.log .t:not(:empty)'],
  ['preview', () => '/preview', '.empty'],
  ['settings', () => '/settings', '.levels tbody tr'],
  ['settings of a tool', () => '/settings/execute_command', '.levels tbody tr'],
  ['analytics', () => '/analytics', '.chart svg'],
  ['discover', () => '/discover', '.empty'],
  ['the store', () => '/store', '.findings li'],
  ['a preview', () => `/preview?o=${recorded.build}`, '.variant .log .t:not(:empty)'],
];

/** The contrast of each pair of colours is held by tokens.test.ts. */
const LOOKS = [
  { width: 1440, scheme: 'light' },
  { width: 375, scheme: 'dark' },
] as const;

describe.skipIf(browserPath === undefined).each(LOOKS)('$width px wide in $scheme', (looks) => {
  it.each(VIEWS)('%s', async (_name, path, ready) => {
    const { page, isSound, isAccessible } = await inspector.open(path(), looks);
    await page.locator(ready).first().waitFor();
    await isAccessible();
    await isSound();
  });
});

describe.skipIf(browserPath === undefined)('the frame', () => {
  it('changes its theme by a button, and keeps it', async () => {
    const { page } = await inspector.open('/sessions', { scheme: 'light' });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.locator('.list-row').first().waitFor();
    expect(await ground()).toBe('rgb(255, 255, 255)');
    await page.getByRole('button', { name: 'Theme: follows the system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await expect.poll(ground).toBe('rgb(14, 17, 22)');
    await page.reload();
    await expect.poll(ground).toBe('rgb(14, 17, 22)');
  });

  it('leads through all views by keys, and puts the focus on their content', async () => {
    const { page, isSound } = await inspector.open('/sessions');
    await page.locator('.list-row').first().waitFor();
    for (const [key, path] of [
      ['o', '/outputs'],
      ['p', '/preview'],
      ['t', '/settings'],
      ['a', '/analytics'],
      ['d', '/discover'],
      ['h', '/store'],
      ['s', '/sessions'],
    ]) {
      await page.keyboard.press('g');
      await page.keyboard.press(key as string);
      await expect.poll(() => new URL(page.url()).pathname).toBe(path);
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    }
    await isSound();
  });

  it('has a link past the navigation as its first stop', async () => {
    const { page } = await inspector.open('/sessions');
    await page.locator('.list-row').first().waitFor();
    // Where the first Tab begins differs between versions of Chromium, so the order is asked for.
    const stop = page.locator('a[href], button, input, select, [tabindex="0"]').first();
    expect(await stop.textContent()).toBe('Skip to the content');
    await stop.focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  });

  it('tells on a phone what fills the context window, each with its explanation', async () => {
    const { page, isSound, isAccessible } = await inspector.open('/sessions/widen-resize', { width: 390 });
    await page.getByRole('button', { name: 'What fills the context window' }).click();
    const words = await page.locator('.ctx').innerText();
    expect(words).toMatch(/Tool results [\d,]+\s+What the model reads of tool results/);
    expect(words).toMatch(/hard limit at \d+ %\s+A larger request is not sent/);
    await isAccessible();
    await isSound();
  });

  it('has its menu on a phone', async () => {
    const { page, isSound, isAccessible } = await inspector.open('/sessions', { width: 390 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await isAccessible();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Outputs' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/outputs');
    await expect.poll(() => page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false);
    await isSound();
  });
});
