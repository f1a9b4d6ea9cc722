/**
 * What people stumbled over: commands that run, many windows, binary data, outputs of Spillway's own,
 * sessions that nobody ended, and the histories that agents keep.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { numberedLines, type Workspace, workspaceWith } from '../../../spillway/test/program.ts';
import { browserPath, type Inspector, openInspector } from './browsing.ts';
import { executed } from './recorded.ts';

let workspace: Workspace;
let inspector: Inspector;
let binary: string;
beforeAll(async () => {
  if (browserPath === undefined) return;
  workspace = await workspaceWith({ 'bytes.bin': '' });
  await writeFile(
    join(workspace.root, 'bytes.bin'),
    Buffer.concat([
      Buffer.from('ELF?'),
      Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7) % 256)),
    ]),
  );
  await executed(workspace, ['--session', 'week-old'], ['seq', '1', '9000']);
  await executed(workspace, ['--tool', 'spillway_messages'], ['echo', 'what was said']);
  binary = await executed(workspace, [], ['cat', 'bytes.bin']);
  await writeHistory(workspace.root);
  inspector = await openInspector({ workspace });
});

const ERROR = 'ERROR: connection refused at src/db.ts:77';

/** A session of Claude Code in which the error of a long output was cut away. */
async function writeHistory(home: string): Promise<void> {
  const file = join(home, '.claude/projects/-work/s1/tool-results/b1.txt');
  const whole = `${numberedLines(2_000, 'step')}\u001b[31m${ERROR}\u001b[0m <img src=x onerror="window.wasRun=1">\n${numberedLines(2_000, 'step')}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, whole);
  const timestamp = new Date().toISOString();
  const shown = `<persisted-output>\nOutput too large. Full output saved to: ${file}\n\n${whole.slice(0, 2_000)}\n</persisted-output>`;
  const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } };
  const result = { type: 'tool_result', tool_use_id: 't1', content: shown };
  const lines = [call, result].map((block) => JSON.stringify({ timestamp, message: { content: [block] } }));
  await writeFile(join(home, '.claude/projects/-work/s1.jsonl'), `${lines.join('\n')}\n`);
}

describe.skipIf(browserPath === undefined)('a command that runs', () => {
  it('is listed with its age and size until it has ended, in its session too', async () => {
    const { page, isSound, isAccessible } = await inspector.open('/outputs');
    const script = 'seq 1 20000; while [ ! -e go ]; do sleep 0.1; done';
    const ended = workspace.run(['exec', '--session', 'week-old', '--', 'sh', '-c', script]);
    const row = page.locator('.running .output-row');
    await expect
      .poll(() => row.innerText(), { timeout: 10_000 })
      .toMatch(/execute_command\s+week-old[\s\S]*running for \d.* · \d+ KB so far/);
    expect(await page.locator('.live').innerText()).toBe('Live, 1 running');
    await isAccessible();
    const { page: session } = await inspector.open('/sessions/week-old');
    await expect.poll(() => session.locator('.running').innerText()).toContain('so far');
    await writeFile(join(workspace.root, 'go'), '');
    await ended;
    await expect.poll(() => page.locator('.output-link', { hasText: 'seq 1 20000' }).count()).toBe(1);
    await expect.poll(() => row.count()).toBe(0);
    await isSound();
  });
});

describe.skipIf(browserPath === undefined)('eight windows', () => {
  it('are live together, and all are told what happens', async () => {
    const { page } = await inspector.open('/outputs');
    const pages = [page];
    for (let i = 1; i < 8; i++) {
      const other = await page.context().newPage();
      await other.goto(`${inspector.base}/outputs`);
      pages.push(other);
    }
    for (const each of pages) await expect.poll(() => each.locator('.live').innerText()).toMatch(/^Live/);
    await executed(workspace, ['--session', 'eight'], ['echo', 'to all of them']);
    for (const each of pages)
      await expect.poll(() => each.locator('.output-row', { hasText: 'to all of them' }).count()).toBe(1);
    // The one that reads the stream goes; another takes its place.
    await page.close();
    await executed(workspace, ['--session', 'eight'], ['echo', 'to the others']);
    for (const each of pages.slice(1))
      await expect.poll(() => each.locator('.output-row', { hasText: 'to the others' }).count()).toBe(1);
  });
});

describe.skipIf(browserPath === undefined)('binary data', () => {
  it('is told by its size and its first bytes, and nothing of it stays open', async () => {
    const { page, isSound, isAccessible } = await inspector.open(`/o/${binary}`);
    await expect.poll(() => page.locator('.main').innerText()).toContain('Binary data, 200 KB');
    expect(await page.locator('.hex').innerText()).toMatch(
      /^0000 {2}45 4c 46 3f 00 07 0e .* {2}ELF\?\..*\n0010/,
    );
    expect(await page.locator('.facts').innerText()).toMatch(/Stored\s+200 KB of binary data/);
    expect(await page.locator('main').innerText()).not.toContain('…');
    await isAccessible();
    await isSound();
  });
});

describe.skipIf(browserPath === undefined)('outputs of Spillway itself', () => {
  it('are left out of lists and numbers, and shown by choice', async () => {
    const { page } = await inspector.open('/outputs');
    await page.locator('.output-row').first().waitFor();
    expect(await page.locator('.output-row', { hasText: 'what was said' }).count()).toBe(0);
    const { page: session } = await inspector.open('/sessions/cli');
    await expect.poll(() => session.locator('.session-head').innerText()).toContain('1 call');
    await page.getByLabel('Tool', { exact: true }).selectOption('Kept by Spillway');
    await expect.poll(() => page.locator('.output-link').allInnerTexts()).toHaveLength(1);
    await page.locator('.output-link').click();
    await expect.poll(() => page.locator('.crumb').innerText()).toContain('kept by Spillway');
  });
});

describe.skipIf(browserPath === undefined)('a session that nobody ended', () => {
  it('is idle after a day, and the clean-up takes it without being told', async () => {
    const weekAgo = Date.now() - 7 * 86_400_000;
    const database = new DatabaseSync(join(workspace.artifacts, 'store.db'));
    database.prepare("UPDATE session SET seen_at = ? WHERE id = 'week-old'").run(weekAgo);
    database.close();
    const { page, isSound } = await inspector.open('/store');
    const row = page.locator('.sizes tr', { hasText: 'week-old' });
    await expect.poll(() => row.innerText()).toContain('idle');
    expect(await page.locator('.sizes tr', { hasText: 'cli' }).innerText()).toContain('in use');
    await page.getByRole('button', { name: 'Clean up…', exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('.dialog-foot .pri').click();
    await expect
      .poll(() => dialog.locator('.goes li').allInnerTexts())
      .toEqual([expect.stringContaining('seq 1 9000'), expect.stringContaining('seq 1 20000')]);
    await dialog.getByLabel('to confirm').fill('2');
    await dialog.locator('.dialog-foot .danger').click();
    await expect.poll(() => row.count()).toBe(0);
    await isSound();
  });
});

describe.skipIf(browserPath === undefined)('discover', () => {
  it('reads the histories when it is asked to, and shows which errors an agent never saw', async () => {
    const { page, isSound, isAccessible } = await inspector.open('/discover');
    await expect.poll(() => page.locator('main').innerText()).toContain('nothing leaves this machine');
    await isAccessible();
    await page.getByRole('button', { name: 'Read the histories' }).click();
    await expect
      .poll(() => page.locator('.facts').innerText(), { timeout: 20_000 })
      .toMatch(/Errors never shown\s+1 of which Spillway shows 1/);
    const missed = await page.locator('.section', { hasText: 'Errors that an agent' }).innerText();
    expect(missed).toMatch(
      /npm test[\s\S]*ERROR: connection refused at src\/db\.ts:77 <img[\s\S]*line 2,001/,
    );
    expect(missed).toMatch(/claude-code[\s\S]*s1[\s\S]*shows it/);
    await page.getByRole('button', { name: 'Copy the sentence' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(/^In 1 session with 1 tool result .* Spillway's default shows 1 of them/);
    expect(await page.evaluate(() => 'wasRun' in window)).toBe(false);
    await isAccessible();
    await isSound();
  });
});

describe.skipIf(browserPath === undefined)('a result', () => {
  it('of 150,000 lines shows their numbers whole, on a phone too, and is found by what is typed', async () => {
    const script =
      'for (let i = 1; i <= 150000; i++) console.log(`line ${i}`); console.log("\\x1b[41mred ground\\x1b[0m \\x1b[7minverse"); for (let i = 0; i < 3000; i++) console.log(`src/a.c:${i}:1: error: boom ${i}`); process.exitCode = 1';
    const id = await executed(workspace, ['--session', 'long'], ['node', '-e', script]);
    for (const width of [1440, 390] as const) {
      const { page } = await inspector.open(`/o/${id}?view=whole`, { width });
      await page.getByPlaceholder('Search everything').fill('line 149990');
      await expect.poll(() => page.locator('.r.cur .n').innerText()).toBe('149,990');
      const number = page.locator('.r.cur .n');
      const isWhole = await number.evaluate((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return range.getBoundingClientRect().left >= one.getBoundingClientRect().left;
      });
      expect([width, isWhole]).toEqual([width, true]);
      await page.getByPlaceholder('Search everything').fill('/line(/');
      await expect.poll(() => page.locator('.hits').getAttribute('title')).toBeTruthy();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    }
    const { page, isSound } = await inspector.open(`/o/${id}?view=whole#L150001`);
    await expect.poll(() => page.locator('.r.cur').innerText()).toContain('red ground');
    const styles = await page
      .locator('.r.cur .t span')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
    expect(new Set(styles).size).toBe(2);
    await expect.poll(() => page.locator('.panel').innerText()).toMatch(/auto chose \w+ because/);
    const table = page.locator('.table.wi');
    await expect.poll(() => table.innerText()).toMatch(/\/3,000\b/);
    const right = (one: Element) => one.getBoundingClientRect().right;
    expect(await table.evaluate(right)).toBeLessThanOrEqual(await page.locator('.panel').evaluate(right));
    // A handle that is revoked elsewhere is told without a reload.
    await workspace.run(['artifacts', 'clean', id]);
    await expect.poll(() => page.locator('.banner').last().innerText()).toContain('The handle was revoked');
    await isSound();
  });

  it('that timed out says so; a preview names a value that is not valid; beside starts aligned', async () => {
    const id = await executed(workspace, ['--timeout', '1'], ['sh', '-c', 'seq 1 3000; sleep 20']);
    const { page } = await inspector.open(`/o/${id}?view=beside#L2900`);
    await expect.poll(() => page.locator('.title .pill').innerText()).toBe('Timed out');
    const top = (pane: number) =>
      page
        .locator('.body .log')
        .nth(pane)
        .evaluate((log) => {
          const { top: edge } = log.getBoundingClientRect();
          const rows = [...log.querySelectorAll('.r')].filter(
            (row) => row.getBoundingClientRect().bottom > edge + 2,
          );
          const numbers = rows.map((row) =>
            Number(row.querySelector('.n')?.textContent?.replaceAll(',', '')),
          );
          return numbers.find((number) => number > 0) ?? 0;
        });
    await expect.poll(async () => Math.abs((await top(0)) - (await top(1)))).toBeLessThan(30);
    const { page: preview } = await inspector.open(`/preview?o=${id}`);
    await preview.getByLabel('inline_limit of B').fill('20');
    await expect.poll(() => preview.locator('.is-B .variant-numbers.error').innerText()).toContain('300');
  });
});
