// The packed packages inside users' programs: built by their bundlers without any setting for us,
// and run where nothing is installed; and on other runtimes. What they build is in bundlers/. Run by
// `npm run verify`; `npm run campaign` also builds with the webpack of Next.js (`--all`). Needs a
// build.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkPacked } from './packed.mjs';
import { root } from './toolchain.mjs';

const TOOLS = [
  '@rollup/plugin-commonjs@29.0.3',
  '@rollup/plugin-json@6.1.0',
  '@rollup/plugin-node-resolve@16.0.3',
  'deno@2.9.6',
  'esbuild@0.28.2',
  'miniflare@4.20260730.0',
  'next@16.4.6',
  'react@19.3.1',
  'react-dom@19.3.1',
  'rollup@4.68.2',
  'vite@8.3.8',
  'webpack@5.112.2',
];
const ANSWER = '{"bounded":true,"found":true}';
const PORT = 4_100 + (process.pid % 800);

await checkPacked(TOOLS, async ({ app, folder, check }) => {
  cpSync(join(root, 'scripts', 'bundlers'), app, { recursive: true });
  // A home of its own, and nothing that a bundle could find by its name.
  const env = { ...process.env, HOME: folder, NEXT_TELEMETRY_DISABLED: '1', CI: '1' };
  const run = (args, cwd = app) => spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' });
  const tells = (name, result) => check(`${name} runs a route`, result.stdout?.includes(ANSWER), result);
  const builds = {
    esbuild: ['esbuild.mjs', 'esbuild.cjs'],
    rollup: ['rollup/main.mjs'],
    webpack: ['webpack/main.cjs'],
    vite: ['vite/main.mjs'],
  };
  for (const [name, made] of Object.entries(builds)) {
    const built = run([`${name}.mjs`]);
    check(`${name} builds with spillway`, built.status === 0, built);
    for (const file of made) tells(`${name}, ${file}`, run([join(folder, 'out', file)], folder));
  }
  tells('workerd', run(['workerd.mjs']));
  const deno = join(app, 'node_modules', '.bin', 'deno');
  tells('Deno', spawnSync(deno, ['run', '-A', 'main.mjs'], { cwd: app, env, encoding: 'utf8' }));
  checkPage(join(folder, 'out'), tells);
  for (const mode of process.argv.includes('--all') ? ['--turbopack', '--webpack'] : ['--turbopack'])
    await checkNext(join(app, 'next'), { mode, env, tells, check });
});

function checkPage(folder, tells) {
  const page = join(folder, 'page.html');
  writeFileSync(page, '<body><script src="page.js"></script>');
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const found = names.flatMap((name) => process.env.PATH.split(delimiter).map((path) => join(path, name)));
  const browser = found.find((path) => existsSync(path));
  if (browser === undefined) return console.log('SKIPPED: there is no Chromium on PATH.');
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(folder, 'browser')}`];
  const shown = ['--virtual-time-budget=10000', '--dump-dom', pathToFileURL(page).href];
  tells('a page', spawnSync(browser, [...flags, ...shown], { encoding: 'utf8' }));
}

async function checkNext(folder, { mode, env, tells, check }) {
  const next = join(folder, '..', 'node_modules', 'next', 'dist', 'bin', 'next');
  const built = spawnSync(process.execPath, [next, 'build', mode], { cwd: folder, env, encoding: 'utf8' });
  check(`Next.js builds with spillway, ${mode}`, built.status === 0, built);
  if (built.status !== 0) return;
  const server = spawn(process.execPath, [next, 'start', '-p', `${PORT}`], { cwd: folder, env });
  try {
    tells(`Next.js, ${mode}`, { stdout: await answerOf(`http://127.0.0.1:${PORT}/api`) });
  } finally {
    server.kill();
  }
}

/** What a server says that may still be starting. */
async function answerOf(url) {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(url).catch(() => null);
    if (answer !== null) return answer.text();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return 'no answer';
}
