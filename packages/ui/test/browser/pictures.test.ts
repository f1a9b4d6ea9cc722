/**
 * The pictures of the documentation, taken of a real session in which an agent breaks a build. They
 * are taken and written to docs/images only on demand, with
 * `PICTURES=1 npx vitest run packages/ui/test/browser/pictures.test.ts`.
 */
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { workspaceWith } from '../../../spillway/test/program.ts';
import { browserPath, type Inspector, openInspector } from './browsing.ts';

const repository = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** Name, address, what must be there, width, theme, and keys to press or elements to click first. */
const PICTURES = [
  ['sessions', () => '/sessions/widen-breaks', '.call', 1440, 'light', []],
  ['timeline', () => '/sessions/widen-breaks', '.timeline', 1440, 'dark', ['.timeline summary']],
  ['result', () => `/o/${build}?q=breaks`, '.r.err', 1440, 'dark', [']', ']', ']', 'E']],
  ['beside', () => `/o/${build}?view=beside`, '.log .t:not(:empty)', 1440, 'light', []],
  ['result-phone', () => `/o/${build}?q=breaks`, '.log .t:not(:empty)', 390, 'dark', []],
  ['preview', () => `/preview?o=${build}`, '.variant .log .t:not(:empty)', 1440, 'dark', []],
] as const;

const COMPILER = {
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2024', 'es2025.collection', 'es2025.iterator', 'esnext.disposable', 'esnext.intl'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
};

const isWanted = browserPath !== undefined && process.env.PICTURES !== undefined;
let inspector: Inspector;
let build: string;
beforeAll(async () => {
  if (!isWanted) return;
  const workspace = await workspaceWith({
    'core/.acode/config.yml':
      'tools:\n  truncation:\n    # What our model reads best.\n    inline_limit: 8000\n',
    'core/tsconfig.json': JSON.stringify({ compilerOptions: COMPILER, include: ['src'] }),
  });
  const root = join(workspace.root, 'core');
  await mkdir(join(root, '.git'));
  await cp(repository('packages/core/src'), join(root, 'src'), { recursive: true });
  await cp(fileURLToPath(new URL('pictured-session.mjs', import.meta.url)), join(root, 'session.mjs'));
  await symlink(repository('node_modules'), join(root, 'node_modules'));
  // The history of this repository, seen from the copy.
  const { stdout } = await workspace.shell('git rev-parse --absolute-git-dir', { cwd: repository('') });
  const options = { cwd: root, env: { HOME: root, GIT_DIR: stdout.trim() } };
  const session = await workspace.shell(`'${process.execPath}' session.mjs`, options);
  expect([session.code, session.stderr]).toEqual([0, '']);
  build = (JSON.parse(session.stdout) as { build: string }).build;
  await workspace.run(['exec', '--', 'npx', 'tsc', '--pretty', '-p', '.'], options);
  inspector = await openInspector({ workspace: { ...workspace, root } });
});

describe('a picture of the documentation', () => {
  it.skipIf(!isWanted).each(PICTURES)(
    'shows the page as it is: %s',
    async (name, path, ready, width, scheme, steps) => {
      const { page, isSound, isAccessible } = await inspector.open(path(), { width, scheme });
      await page.locator(ready).first().waitFor();
      // What other settings show comes last.
      await page.waitForTimeout(1_500);
      for (const step of steps) await (step.startsWith('.') ? page.click(step) : page.keyboard.press(step));
      await page.waitForTimeout(1_000);
      const picture = await page.screenshot();
      await isSound();
      await isAccessible();
      await writeFile(repository(`docs/images/inspector-${name}.png`), picture);
    },
  );

  it('is one of those that are taken here', async () => {
    const images = (await readdir(repository('docs/images'))).filter((name) => name.startsWith('inspector-'));
    expect(images.sort()).toEqual(PICTURES.map(([name]) => `inspector-${name}.png`).sort());
  });
});
