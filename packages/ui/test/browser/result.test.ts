/** One result: what the model read, what it did not, why, and every key and button that leads there. */
import type { Page } from 'playwright-core';
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

/** The log has its lines. */
const shown = (page: Page) => page.locator('.log .r .t:not(:empty)').first().waitFor();
const visibleLines = (page: Page) =>
  page
    .locator('.log')
    .last()
    .evaluate((log) => {
      const frame = log.getBoundingClientRect();
      return [...log.querySelectorAll<HTMLElement>('.r')]
        .filter(
          (row) =>
            row.getBoundingClientRect().top >= frame.top - 1 &&
            row.getBoundingClientRect().bottom <= frame.bottom + 1,
        )
        .map((row) => Number(row.dataset.line));
    });

describe.skipIf(browserPath === undefined)('a result that was cut', () => {
  it('says how much the model read, how many errors it was shown, and what was left out', async () => {
    const { page, isSound } = await inspector.open(`/o/${recorded.build}`);
    await shown(page);
    await expect
      .poll(() => page.locator('.facts').innerText())
      .toMatch(/The model read\s+[\d,]+ of [\d,]+ chars · \d+ %/);
    await expect.poll(() => page.locator('.facts').innerText()).toMatch(/Error lines shown\s+\d+ of [1-9]/);
    expect(await page.locator('.facts').innerText()).toMatch(
      /Left out\s+[\d,]+ lines, [\d,]+ chars, in \d+ gaps?/,
    );
    expect(await page.locator('h1').innerText()).toBe('node build.mjs');
    expect(await page.locator('.pill.error').innerText()).toBe('Exit 2');
    await isSound();
  });

  it('folds its gaps in place, with their warnings; a click unfolds one, z all of them', async () => {
    const { page, isSound } = await inspector.open(`/o/${recorded.build}`);
    await shown(page);
    await expect.poll(() => page.locator('.facts').innerText()).toMatch(/Warnings shown\s+\d+ of 60/);
    // Only what is on the screen is in the page, so from gap to gap until one holds warnings.
    const gap = page.locator('.gap.cur', { hasText: /warning/ });
    for (let i = 0; i < 30 && (await gap.count()) === 0; i += 1) {
      await page.keyboard.press(']');
      await page.locator('.gap.cur').waitFor();
    }
    expect(await gap.innerText()).toMatch(/\d+ lines?\s+left out\s+[\d,–]+ · [\d.]+ K?B/);
    await gap.click();
    await expect.poll(() => page.locator('.gap[aria-expanded="true"]').count()).toBe(1);
    await expect.poll(() => page.locator('.r.out .t:not(:empty)').count()).toBeGreaterThan(0);
    await page.keyboard.press('z');
    await expect.poll(() => page.locator('.gap[aria-expanded="true"]').count()).toBe(0);
    await page.keyboard.press('z');
    await expect.poll(() => page.locator('.gap[aria-expanded="false"]').count()).toBe(0);
    await isSound();
  });

  it('finds a text that was left out, on the server, and goes from match to match', async () => {
    const { page, isSound } = await inspector.open(`/o/${recorded.build}`);
    await shown(page);
    await page.keyboard.press('/');
    await page.keyboard.type('module_413.c');
    await expect.poll(() => page.locator('.hits').innerText()).toBe('1 match, 1 left out');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.r.cur mark').innerText()).toBe('module_413.c');
    await expect.poll(() => page.url()).toContain('q=module_413.c');
    await page.locator('.sf input').fill('/module_70\\d\\.c/');
    await expect.poll(() => page.locator('.hits').innerText()).toMatch(/^1[0-9] matches, \d+ left out$/);
    await page.locator('.sf input').press('Escape');
    await page.keyboard.press('n');
    const first = await page.locator('.r.cur').getAttribute('data-line');
    await page.keyboard.press('n');
    await expect.poll(() => page.locator('.r.cur').getAttribute('data-line')).not.toBe(first);
    await page.keyboard.press('N');
    await expect.poll(() => page.locator('.r.cur').getAttribute('data-line')).toBe(first);
    await isSound();
  });

  it('says why a block is kept, what other settings show, which settings were in force, and what happened', async () => {
    const { page } = await inspector.open(`/o/${recorded.build}`);
    await shown(page);
    const panel = page.locator('.panel');
    await expect.poll(() => panel.innerText()).toMatch(/Why lines? [\d,–]+ (is|are) kept/);
    const cause = panel.locator('.cause').first();
    expect(await cause.locator('p').isVisible()).toBe(false);
    await cause.locator('summary').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => cause.locator('p').innerText()).toMatch(/^Its? .*\.$/);
    await expect.poll(() => panel.locator('.wi tbody tr').count()).toBe(5);
    await expect
      .poll(() => panel.locator('.wi tr.now').innerText())
      .toMatch(/6,000\s+[\d,]+\s+\d+\/\d+\s+\d+\/\d+/);
    expect(await panel.innerText()).toMatch(/inline_limit\s+6,000\s+user/);
    expect(await panel.innerText()).toContain('.acode/config.yml:4');
    expect(await panel.innerText()).toMatch(/Stored whole[\s\S]*Shown to the model/);
  });

  it('goes to errors by e, to gaps by ], to a line by its number', async () => {
    const { page, isSound } = await inspector.open(`/o/${recorded.build}`);
    await shown(page);
    await expect.poll(() => page.locator('.facts').innerText()).toMatch(/Error lines shown\s+\d+ of [1-9]/);
    await page.keyboard.press('E');
    await expect.poll(() => page.locator('.r.err.cur').count()).toBe(1);
    await page.keyboard.press('e');
    await expect.poll(() => page.locator('.r.err.cur .t').innerText()).toContain('too few arguments');
    await page.keyboard.press('[');
    await expect.poll(() => page.locator('.gap.cur').count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.gap[aria-expanded="true"]').count()).toBe(1);
    await page.keyboard.press(':');
    await page.locator('dialog input').waitFor();
    await page.keyboard.type('1500');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.r.cur').getAttribute('data-line')).toBe('1500');
    await expect.poll(() => visibleLines(page)).toContain(1_500);
    await isSound();
  });

  it('is shown beside the literal text that the model read, and the two scroll together', async () => {
    const { page, isSound } = await inspector.open(`/o/${recorded.build}?view=beside`);
    await shown(page);
    const left = page.locator('.log').first();
    expect(await left.innerText()).toContain(recorded.build);
    await page
      .locator('.log')
      .last()
      .evaluate((log) => log.scrollTo(0, log.scrollHeight));
    await expect.poll(() => left.innerText()).toContain('make: *** [Makefile:12: all] Error 1');
    // Each line of the model's text is numbered as the stored one that it is.
    // Numbers come behind the text.
    const numbered = () =>
      left
        .locator('.r.kept')
        .evaluateAll((rows) =>
          rows.map((row) => [row.querySelector('.n')?.textContent, row.querySelector('.t')?.textContent]),
        );
    await expect
      .poll(async () => (await numbered()).at(-1))
      .toEqual(['2,402', 'make: *** [Makefile:12: all] Error 1']);
    await page.keyboard.press('3');
    await expect.poll(() => page.url()).toContain('view=whole');
    await page.keyboard.press('1');
    await expect.poll(() => page.url()).not.toContain('view=');
    await isSound();
  });

  it('scrolls the stored text with the one that the model read', async () => {
    const { page, isSound } = await inspector.open(`/o/${recorded.read}?view=beside`);
    await shown(page);
    const left = page.locator('.log').first();
    await left.locator('.r.kept .n', { hasText: '2' }).first().waitFor();
    await left.hover();
    await page.mouse.wheel(0, 4_000);
    await expect.poll(async () => (await visibleLines(page))[0]).toBeGreaterThan(100);
    await page.mouse.wheel(0, -4_000);
    await expect.poll(() => visibleLines(page)).toContain(2);
    await isSound();
  });

  it('has links to lines: the number sets it, c copies it, and it opens at the line', async () => {
    const { page } = await inspector.open(`/o/${recorded.build}?view=whole`);
    await shown(page);
    await page.locator('.log [data-line="7"] .n').click();
    expect(new URL(page.url()).hash).toBe('#L7');
    await page.locator('.log [data-line="9"] .n').click({ modifiers: ['Shift'] });
    expect(new URL(page.url()).hash).toBe('#L7-9');
    expect(await page.locator('.r.picked').count()).toBe(3);
    await page.keyboard.press('c');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/view=whole#L7-9$/);
    const { page: linked } = await inspector.open(`/o/${recorded.build}#L1401-1403`);
    await expect.poll(() => linked.locator('.r.picked').count()).toBe(3);
    expect(await visibleLines(linked)).toContain(1_402);
  });

  it('gives its handle and its exact bytes away', async () => {
    const { page } = await inspector.open(`/o/${recorded.build}`);
    await shown(page);
    await page.keyboard.press('y');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(recorded.build);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Raw' }).click(),
    ]);
    const stream = await download.createReadStream();
    let bytes = '';
    for await (const chunk of stream) bytes += chunk;
    expect(bytes.split('\n')).toHaveLength(2_403);
    expect(bytes).toContain('\x1b[1;31merror:\x1b[0m too few arguments');
  });

  it('wraps long lines by w, hides its panel by \\, and tells its keys by ?', async () => {
    const { page, isSound } = await inspector.open(`/o/${recorded.hostile}?view=whole`);
    await shown(page);
    await page.keyboard.press('w');
    await expect
      .poll(() => page.locator('[data-line="4"]').evaluate((row) => row.clientHeight))
      .toBeGreaterThan(100);
    await page.keyboard.press('\\');
    await expect.poll(() => page.locator('.panel').count()).toBe(0);
    await page.keyboard.press('?');
    await expect.poll(() => page.locator('dialog[open]').innerText()).toMatch(/Unfold or fold all gaps/);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    await isSound();
  });

  it('opens our search by Ctrl+F in the log, and leaves the second one to the browser', async () => {
    const { page } = await inspector.open(`/o/${recorded.build}`);
    await shown(page);
    await page.locator('.log').focus();
    await page.keyboard.press('Control+f');
    expect(await page.evaluate(() => document.activeElement?.matches('.sf input'))).toBe(true);
    const wasTaken = await page.evaluate(() => {
      const event = new KeyboardEvent('keydown', {
        key: 'f',
        ctrlKey: true,
        bubbles: true,
        cancelable: true,
      });
      return !document.activeElement?.dispatchEvent(event);
    });
    expect(wasTaken).toBe(false);
  });

  it('marks what the model read later', async () => {
    const { page, isSound } = await inspector.open(`/o/${recorded.read}`);
    await shown(page);
    await page.keyboard.press(']');
    await expect.poll(() => page.locator('.gap.was .chip.fetched').count()).toBe(1);
    expect(await page.locator('.panel .ev .fetched').innerText()).toMatch(/Read later, lines 900–950/);
    expect(await page.locator('.side').innerText()).toContain('read later: lines 900–950');
    await isSound();
  });
});

describe.skipIf(browserPath === undefined)('an output that means harm', () => {
  it('stays text: nothing of it runs, and what would be hidden is seen', async () => {
    const { page, isSound } = await inspector.open(`/o/${recorded.hostile}?view=whole`);
    await shown(page);
    const log = await page.locator('.log').innerText();
    expect(log).toContain('<script>window.wasRun = true</script><img src=x');
    expect(log).toContain('U+202E');
    expect(log).toContain('click me and ^@ and ^G');
    expect(log).toContain('50,005 chars in this line');
    expect(await page.evaluate(() => 'wasRun' in window)).toBe(false);
    expect(await page.locator('.log :is(script, img, a[href^="http"])').count()).toBe(0);
    await isSound();
  });

  it('shows colours that go over the ends of lines, also when it is opened in their middle', async () => {
    const { page } = await inspector.open(`/o/${recorded.hostile}?view=whole#L1500`);
    await shown(page);
    const coloured = page.locator('[data-line="1500"] .a-cyan');
    await expect.poll(() => coloured.innerText()).toBe('filler 1494');
    await page.keyboard.press(':');
    await page.locator('dialog input').waitFor();
    await page.keyboard.type('2006');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('[data-line="2006"] .t').innerText()).toBe('plain again');
    expect(await page.locator('[data-line="2006"] .a-cyan').count()).toBe(0);
  });

  it('that is not there, or that has no such address, is said so', async () => {
    const { page } = await inspector.open('/o/art_1_nothing');
    await expect.poll(() => page.locator('main').innerText()).toMatch(/Not found|did not work/);
    const { page: lost } = await inspector.open('/nowhere');
    await expect.poll(() => lost.locator('main').innerText()).toContain('There is no such page');
  });
});
