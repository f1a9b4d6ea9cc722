/** The page says only what is known: of imported sessions, long messages, foreign stores. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceWith } from '../../../spillway/test/program.ts';
import { browserPath, openInspector } from './browsing.ts';

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
    expect(await page.locator('main').innerText()).not.toContain('the model read all of it');
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
