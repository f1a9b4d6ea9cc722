// Makes the pictures of the documentation: records a real session (scripts/pictures/session.mjs) in a
// workspace of its own, starts `spillway inspect`, and takes docs/images/inspector-*.png in Chromium.
// node scripts/pictures.mjs [NAME …]; needs a build and a browser.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './toolchain.mjs';

const require = createRequire(join(root, 'packages', 'ui', 'package.json'));
const { chromium } = require('playwright-core');
const program = join(root, 'packages', 'spillway', 'bin', 'spillway.js');

/** Name, address, what must be there, width, theme, and first keys to press or elements to click. */
const PICTURES = [
  ['sessions', () => '/sessions/widen-breaks', '.call', 1440, 'light', []],
  ['timeline', () => '/sessions/widen-breaks', '.timeline', 1440, 'light', ['.timeline summary']],
  ['result', (id) => `/o/${id}?q=breaks`, '.r.err', 1440, 'dark', [']', ']', ']', 'E']],
  ['beside', (id) => `/o/${id}?view=beside`, '.log .t:not(:empty)', 1440, 'light', []],
  ['result-phone', (id) => `/o/${id}?q=breaks`, '.log .t:not(:empty)', 390, 'dark', []],
  ['preview', (id) => `/preview?o=${id}`, '.variant .log .t:not(:empty)', 1440, 'dark', []],
];

const folder = mkdtempSync(join(tmpdir(), 'spillway-pictures-'));
try {
  const workspace = join(folder, 'core');
  const build = record(workspace);
  await takePictures(workspace, build);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Records the session; the handle of the build. */
function record(workspace) {
  mkdirSync(join(workspace, '.git'), { recursive: true });
  mkdirSync(join(workspace, '.acode'));
  cpSync(join(root, 'packages', 'core', 'src'), join(workspace, 'src'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(workspace, 'node_modules'));
  writeFileSync(
    join(workspace, '.acode', 'config.yml'),
    'tools:\n  truncation:\n    # What our model reads best.\n    inline_limit: 8000\n',
  );
  writeFileSync(join(workspace, 'tsconfig.json'), JSON.stringify(tsconfig()));
  cpSync(join(root, 'scripts', 'pictures', 'session.mjs'), join(workspace, 'session.mjs'));
  const { stdout, stderr, status } = run(workspace, ['session.mjs']);
  if (status !== 0) throw new Error(`the session failed: ${stderr}`);
  run(workspace, [program, 'exec', '--', 'npx', 'tsc', '--pretty', '-p', '.']);
  return JSON.parse(stdout).build;
}

function run(workspace, args) {
  // The history of this repository, seen from the copy.
  const { stdout } = spawnSync('git', ['rev-parse', '--absolute-git-dir'], { cwd: root, encoding: 'utf8' });
  const env = { PATH: process.env.PATH, HOME: folder, GIT_DIR: stdout.trim() };
  return spawnSync(process.execPath, args, { cwd: workspace, env, encoding: 'utf8', maxBuffer: 1e8 });
}

async function takePictures(workspace, build) {
  const env = { PATH: process.env.PATH, HOME: folder };
  const server = spawn(process.execPath, [program, 'inspect', '--no-open', '--json', '--port', '0'], {
    cwd: workspace,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(server.stdout, 'data');
  const { url } = JSON.parse(String(line));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForURL('**/sessions');
  const storageState = await context.storageState();
  const base = new URL(url).origin;
  const wanted = process.argv.slice(2);
  const pictures = PICTURES.filter(([name]) => wanted.length === 0 || wanted.includes(name));
  try {
    for (const picture of pictures) await takePicture(browser, { storageState, base, build }, picture);
  } finally {
    await browser.close();
    server.kill();
    await once(server, 'exit');
  }
}

async function takePicture(
  browser,
  { storageState, base, build },
  [name, address, ready, width, theme, keys],
) {
  const isPhone = width < 500;
  const context = await browser.newContext({
    storageState,
    colorScheme: theme,
    viewport: { width, height: isPhone ? 844 : 900 },
    deviceScaleFactor: isPhone ? 2 : 1,
  });
  const page = await context.newPage();
  await page.goto(base + address(build));
  await page.locator(ready).first().waitFor();
  await page.waitForTimeout(1_500);
  for (const step of keys) await (step.startsWith('.') ? page.click(step) : page.keyboard.press(step));
  await page.waitForTimeout(1_500);
  const path = join(root, 'docs', 'images', `inspector-${name}.png`);
  await page.screenshot({ path });
  console.log(path);
  await context.close();
}

function tsconfig() {
  return {
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      lib: ['es2024', 'es2025.collection', 'es2025.iterator', 'esnext.disposable', 'esnext.intl'],
      types: ['node'],
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      allowImportingTsExtensions: true,
    },
    include: ['src'],
  };
}
