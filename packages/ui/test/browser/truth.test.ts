/** The page says only what is known: of imported sessions, long messages, foreign stores. */
import { chown, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceWith } from '../../../spillway/test/program.ts';
import { browserPath, openInspector } from './browsing.ts';
import { executed } from './recorded.ts';

const LONG = `${'word '.repeat(1_000)}the very end`;
const PATH = `${'packages/somewhere/'.repeat(8)}src/far.c`;
const MESSAGES = JSON.stringify([
  { role: 'system', content: 'A rule of the house.\n'.repeat(12).concat('The last rule.') },
  { role: 'user', content: LONG },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        id: 'c1',
        type: 'function',
        function: { name: 'read_file', arguments: JSON.stringify({ path: PATH }) },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'int main(void);\n' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        id: 'c2',
        type: 'function',
        function: { name: 'write', arguments: JSON.stringify({ path: 'a/b', text: LONG }) },
      },
    ],
  },
]);

describe.skipIf(browserPath === undefined)('the page says what is known', () => {
  it('of an imported session: its calls with their arguments, and that nobody knows what was shown', async () => {
    const workspace = await workspaceWith({ 'messages.json': MESSAGES });
    const imported = await workspace.run([
      'sessions',
      'import',
      'messages.json',
      '--session',
      'old',
      '--as',
      'openai_chat',
    ]);
    expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)]);
    const { open } = await openInspector({ workspace });
    const { page, isSound } = await open('/sessions/old');
    const call = page.locator('.call').first();
    await call.waitFor();
    expect(await call.innerText()).toContain('src/far.c');
    // The end of a path is what tells it from others, so it is what is seen.
    const isEndSeen = await call.locator('code').evaluate((code) => {
      const range = document.createRange();
      range.selectNodeContents(code);
      return range.getBoundingClientRect().right <= code.getBoundingClientRect().right + 1;
    });
    expect(isEndSeen).toBe(true);
    expect(await call.innerText()).toContain('unknown what was shown');
    const head = await page.locator('.session-head').innerText();
    expect(head).toMatch(/1 call · unknown what was shown of 1/);
    const rule = page.getByText('The last rule.');
    expect(await rule.evaluate((one) => one.scrollHeight <= one.clientHeight + 1)).toBe(true);
    const whole = page.getByRole('button', { name: /Show all 5,\d+ chars/ });
    await expect.poll(() => whole.count()).toBe(2);
    await whole.first().click();
    await expect.poll(() => page.locator('.say.user').innerText()).toContain('the very end');
    // The arguments of a call whose result is not there, too.
    await whole.click();
    await expect.poll(() => page.locator('.call').last().innerText()).toContain('the very end"}');
    await call.locator('a').click();
    await expect.poll(() => page.locator('.main').innerText()).toContain('unknown what a model was shown');
    expect(await page.locator('h1').innerText()).toContain('src/far.c');
    await page.getByPlaceholder('Search everything').fill('main');
    await expect.poll(() => page.locator('.hits').innerText()).toBe('1 match');
    const { page: outputs } = await open('/outputs?q=main');
    await outputs.locator('.hit-line').waitFor();
    expect(await outputs.locator('main').innerText()).not.toContain('left out');
    expect(await page.locator('main').innerText()).not.toContain('the model read all of it');
    await isSound();
  });

  it('of a session that was exported elsewhere: what the model was shown, the same in every view', async () => {
    const source = await workspaceWith({});
    await executed(source, ['--session', 'moved'], ['seq', '1', '9000']);
    const { stdout } = await source.run(['sessions', 'export', 'moved']);
    const workspace = await workspaceWith({ 'moved.jsonl': stdout });
    expect((await workspace.run(['sessions', 'import', 'moved.jsonl'])).code).toBe(0);
    const { open } = await openInspector({ workspace });
    const { page } = await open('/sessions/moved');
    await expect.poll(() => page.locator('.session-head').innerText()).toContain('1 call · 1 cut');
    expect(await page.locator('.call').innerText()).toMatch(/[\d.]+ KB of 44 KB/);
    await page.locator('a.call-box').click();
    await expect.poll(() => page.locator('.crumb').innerText()).toContain('call 1 of 1');
  });

  it('of lines of JSON: an error that was shown counts as shown, and only what is JSON has a tree', async () => {
    const script = `for (let i = 0; i < 4000; i++) console.log(JSON.stringify({ at: 'now', level: i === 2500 ? 'error' : 'info', msg: i === 2500 ? 'connection refused' : 'tick ' + i }))`;
    const workspace = await workspaceWith({});
    const lines = await executed(workspace, [], ['node', '-e', script]);
    const { open } = await openInspector({ workspace });
    const { page } = await open(`/o/${lines}`);
    await expect.poll(() => page.locator('.facts').innerText()).toMatch(/Error lines shown\s+1 of 1/);
    expect(await page.getByRole('button', { name: 'Tree' }).count()).toBe(0);
  });

  it('of a workspace that another account made: where its outputs are kept', async () => {
    const workspace = await workspaceWith({});
    await chown(join(workspace.root, '.git'), 1234, 1234);
    const { open } = await openInspector({ workspace });
    const { page, isSound } = await open('/outputs');
    await expect.poll(() => page.locator('main').innerText()).toContain('as a workspace by another account');
    await isSound();
  });

  it('of a foreign store: its path, and how to trust it', async () => {
    const first = await workspaceWith({});
    await first.run(['exec', '--', 'node', '--version']);
    const workspace = await workspaceWith({});
    await cp(join(first.root, '.acode'), join(workspace.root, '.acode'), { recursive: true });
    const { open } = await openInspector({ workspace });
    const { page, isSound, isAccessible } = await open('/sessions');
    await expect.poll(() => page.locator('main').innerText()).toContain('spillway store trust');
    expect(await page.locator('main').innerText()).toContain('store.db');
    await isSound();
    await isAccessible();
  });
});
