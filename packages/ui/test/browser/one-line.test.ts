/**
 * Outputs of one line, such as compact JSON: what was kept and left out of it is told by char, in
 * the log, the map, the search, the preview and the tree.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Inspector, openInspector } from './browsing.ts';
import { executed, withLibrary } from './recorded.ts';

/** 3,000 records of some 60 chars in one line. */
const RECORDS = `
const items = Array.from({ length: 3000 }, (_, i) => ({ id: i, name: 'item-' + i, note: 'plain note' }));
const [last] = items.slice(-1);
last.note = '🙂'.repeat(400);
process.stdout.write(JSON.stringify({ total: 3000, items, end: 'last' }));
`;

/** 2,000 results of tests, as XML. */
const REPORT = `
const cases = Array.from({ length: 2000 }, (_, i) => '<testcase name="case ' + i + '" time="0.1"><!-- ' + i + ' --></testcase>');
process.stdout.write('<?xml version="1.0"?>\\n<testsuite tests="2000">' + cases.join('') + '</testsuite>');
`;

let inspector: Inspector;
let id = '';
let report = '';
beforeAll(async () => {
  if (browserPath === undefined) return;
  const workspace = await withLibrary({ 'records.mjs': RECORDS, 'report.mjs': REPORT });
  id = await executed(workspace, [], ['node', 'records.mjs']);
  report = await executed(workspace, [], ['node', 'report.mjs']);
  inspector = await openInspector({ workspace });
});

describe.skipIf(browserPath === undefined)('an output of one line', () => {
  it('shows what was kept and left out by char, and never as kept whole', async () => {
    const { page, isSound, isAccessible } = await inspector.open(`/o/${id}`);
    await page.locator('.gap').first().waitFor();
    expect(await page.locator('.gap').first().innerText()).toMatch(/[\d,]+ chars\s+left out/);
    await expect
      .poll(() => page.locator('.facts').innerText())
      .toMatch(/Left out\s+[\d,]{6,} chars in \d+ gap/);
    expect(await page.locator('.mini canvas').getAttribute('aria-label')).toMatch(/[1-9]\d* gap/);
    await expect.poll(() => page.locator('.r.kept').first().innerText()).toContain('"total":3000');
    expect(await page.locator('.log .lo').count()).toBeGreaterThan(0);
    await isSound();
    await isAccessible();
  });

  it('is searched by position: every match counts, with those that were left out', async () => {
    const { page, isSound } = await inspector.open(`/o/${id}`);
    await page.locator('.gap').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('item-');
    await expect.poll(() => page.locator('.hits').innerText()).toMatch(/^3,000 matches, 2,[\d]{3} left out$/);
    await page.locator('.sf input').fill('item-1234');
    await expect.poll(() => page.locator('.hits').innerText()).toBe('1 match, 1 left out');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.r.out.cur mark').innerText()).toBe('item-1234');
    await isSound();
  });

  it('can be read to its end in rows of chars', async () => {
    const { page } = await inspector.open(`/o/${id}?view=whole`);
    await page.locator('.r').first().waitFor();
    await page.locator('.log').focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('.log').innerText()).toContain('"last"}');
    // No row ends inside of a character.
    expect(await page.locator('.log').innerText()).not.toContain('\ufffd');
  });

  it('has the rows of both sides numbered alike in Beside, and they scroll together', async () => {
    const { page, isSound } = await inspector.open(`/o/${id}?view=beside`);
    const [read, stored] = [page.locator('.body .log').first(), page.locator('.body .log').last()];
    const rowsOf = (side: typeof read) => side.locator('.r').allInnerTexts();
    const words = (row: string) => row.replace(/\s+/g, ' ');
    await expect.poll(async () => (await rowsOf(read)).some((row) => /^1[45]\d,\d01/.test(row))).toBe(true);
    const [shown, all] = [(await rowsOf(read)).map(words), (await rowsOf(stored)).map(words)];
    // Whole rows of 200 chars, the same on both sides; between them what Spillway wrote.
    const whole = shown.findIndex((row) => row.startsWith('·')) - 1;
    expect(whole).toBeGreaterThan(5);
    expect(shown.slice(0, whole)).toEqual(all.slice(0, whole));
    expect(shown.find((row) => row.startsWith('·'))).toMatch(/^· .*items omitted/);
    await stored.focus();
    await page.keyboard.press('End');
    await expect.poll(async () => (await rowsOf(stored)).at(-1)).toContain('"last"}');
    await expect.poll(async () => (await rowsOf(read)).some((row) => row.includes('"last"}'))).toBe(true);
    await isSound();
  });

  it('is a tree, in which each value says whether it was shown', async () => {
    const { page, isSound, isAccessible } = await inspector.open(`/o/${id}?view=tree`);
    const rows = page.locator('.tree-row');
    await expect.poll(() => rows.count()).toBe(3);
    expect(await rows.nth(1).innerText()).toMatch(/items[\s\S]*partly shown/);
    await rows.nth(1).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(200);
    await page.getByRole('button', { name: /Show more after the first 200/ }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(400);
    expect(await page.locator('.tree-node.out').count()).toBeGreaterThan(0);
    // Errors are counted by line, and it has none.
    expect(await page.locator('.facts').innerText()).not.toContain('Error lines');
    await expect.poll(() => page.locator('.table.wi').innerText()).toMatch(/auto 8,000\s+[\d,]+\s+—\s+—/);
    await isSound();
    await isAccessible();
  });

  it('of XML is a tree as well, with its attributes', async () => {
    const { page, isSound } = await inspector.open(`/o/${report}?view=tree`);
    const rows = page.locator('.tree-row');
    await expect.poll(() => rows.count()).toBe(2);
    await rows.nth(1).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(200);
    expect(await rows.nth(1).innerText()).toMatch(/testsuite[\s\S]*partly shown/);
    expect(await rows.nth(2).innerText()).toMatch(/@tests\s+2000/);
    await rows.nth(3).click();
    await expect.poll(() => rows.nth(4).innerText()).toMatch(/@name\s+case 0/);
    expect(await page.locator('.tree-node.out').count()).toBeGreaterThan(0);
    await isSound();
  });

  it('is compared by char in the preview', async () => {
    const { page, isSound } = await inspector.open(`/preview?o=${id}&a=strategy:head&b=strategy:tail`);
    await expect
      .poll(() => page.locator('.preview-foot').innerText(), { timeout: 15_000 })
      .toMatch(/Only A keeps: [\d,]+ chars[\s\S]*Only B keeps: [\d,]+ chars/);
    const numbers = await page.locator('.variant-numbers').allInnerTexts();
    expect(numbers[0]).toMatch(/keeps 7,\d{3} of 1\d\d,\d{3} chars · head$/);
    expect(numbers.join()).not.toMatch(/of 1 line|errors/);
    await isSound();
  });
});
