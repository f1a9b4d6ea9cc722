// What does the inspector cost the browser of a person who opens a large output and scrolls in it?
// The program, the page and a Chromium are real. Script time is what the browser itself counts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUDGET_KB, pageSizes } from '../../scripts/page-sizes.mjs';
import { summary } from '../repeat.mjs';
import { digits, spread, times, whole } from '../report.mjs';
import { scratchFolder } from '../scratch.mjs';

export const question =
  'How soon are the first rows of an output of 100 MB on the screen, how much script runs in a frame while somebody scrolls, how long does a search take, and how large is the page?';
export const notes = [
  'limit of first rows: an output of 400 lines; limit of a frame: the same number of lines as plain text, without any script.',
  'Without a Chromium on PATH only the sizes are told.',
];

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = join(root, 'packages', 'spillway', 'bin', 'spillway.js');
const LARGE = 'large';
const SMALL = 'limit: 400 lines';

export async function run({ smoke }) {
  const sizes = sizeTable();
  const browserPath = browserProgram();
  if (browserPath === undefined) return [sizes];
  const { chromium } = createRequire(join(root, 'packages', 'ui', 'package.json'))('playwright-core');
  const workspace = scratchFolder();
  mkdirSync(join(workspace, '.git'));
  const outputs = {
    [LARGE]: await recorded(workspace, smoke ? 60_000 : 1_500_000),
    [SMALL]: await recorded(workspace, 400),
  };
  const server = spawn(process.execPath, [program, 'inspect', '--no-open', '--json', '--port', '0'], {
    cwd: workspace,
    env: { PATH: process.env.PATH, HOME: workspace },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(server.stdout, 'data');
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const person = await enter(browser, JSON.parse(String(line)).url);
    const rounds = smoke ? 1 : 7;
    return [
      await firstRows(person, outputs, rounds),
      await frames(person, outputs[LARGE], smoke ? 20 : 240),
      await searches(person, outputs[LARGE], rounds),
      sizes,
    ];
  } finally {
    await browser.close();
    server.kill();
    await once(server, 'exit');
  }
}

function browserProgram() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** The handle and the bytes of an output of so many lines, of which every 5,000th is a warning. */
async function recorded(workspace, lines) {
  const file = join(workspace, 'build.mjs');
  writeFileSync(
    file,
    `import { once } from 'node:events';
    let text = '';
    for (let i = 1; i <= ${lines}; i++) {
      text += i % 5000 === 0 ? 'src/' + i + '.c:8:3: warning: unused variable\\n' : '[' + i + '] compile src/module_' + i + '.c, done in ' + (i % 13) + ' ms\\n';
      if (text.length > 1e6) { if (!process.stdout.write(text)) await once(process.stdout, 'drain'); text = ''; }
    }
    process.stdout.write(text);`,
  );
  const child = spawn(process.execPath, [program, 'exec', '--json', '--', process.execPath, file], {
    cwd: workspace,
    env: { PATH: process.env.PATH, HOME: workspace },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  const { artifact } = JSON.parse(text);
  return { id: artifact.id, lines };
}

/** Goes through the start address; then opens addresses, each in a page of its own. */
async function enter(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForURL('**/sessions');
  await page.close();
  const base = new URL(url).origin;
  return {
    base,
    async open(address) {
      const opened = await context.newPage();
      const devtools = await context.newCDPSession(opened);
      await devtools.send('Performance.enable');
      await opened.goto(address);
      return { page: opened, metrics: () => metricsOf(devtools) };
    },
  };
}

async function metricsOf(devtools) {
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (wanted) => metrics.find(({ name }) => name === wanted)?.value ?? 0;
  return {
    scriptMs: of('ScriptDuration') * 1000,
    taskMs: of('TaskDuration') * 1000,
    heapMB: of('JSHeapUsedSize') / 1e6,
  };
}

async function firstRows({ base, open }, outputs, rounds) {
  const taken = Object.fromEntries(Object.keys(outputs).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, { id }] of Object.entries(outputs)) {
      const { page, metrics } = await open(`${base}/o/${id}?view=whole`);
      await page.locator('.log .t:not(:empty)').first().waitFor();
      const ms = await page.evaluate(() => performance.now());
      taken[name].push({ ms, ...(await metrics()) });
      await page.close();
    }
  const medians = Object.fromEntries(
    Object.entries(taken).map(([name, all]) => [name, summary(all.map(({ ms }) => ms))]),
  );
  return {
    title: 'until the first rows can be read',
    columns: [
      ['', 'name'],
      ['lines', 'lines', whole],
      ['ms from the address (min–max)', 'ms', spread],
      ['time ÷ limit', 'ofLimit', times],
      ['of it script, ms', 'script', digits],
      ['heap, MB', 'heap', digits],
    ],
    rows: Object.entries(taken).map(([name, all]) => ({
      name,
      lines: outputs[name].lines,
      ms: medians[name],
      ofLimit: medians[name].median / medians[SMALL].median,
      script: summary(all.map(({ scriptMs }) => scriptMs)).median,
      heap: summary(all.map(({ heapMB }) => heapMB)).median,
    })),
  };
}

/** The wheel, frame after frame, in our log and in plain text. */
async function frames({ base, open }, { id }, count) {
  const plain = Array.from({ length: 3_000 }, (_, i) => `[${i}] compile src/module_${i}.c, done`).join('\n');
  const logs = [
    { name: 'whole', address: `${base}/o/${id}?view=whole`, ready: '.log .t:not(:empty)', scroller: '.log' },
    { name: 'folded', address: `${base}/o/${id}`, ready: '.log .t:not(:empty)', scroller: '.log' },
    { name: 'limit: plain text, no script', address: 'about:blank', ready: 'pre', scroller: 'pre' },
  ];
  const rows = [];
  for (const { name, address, ready, scroller } of logs) {
    const { page, metrics } = await open(address);
    if (name.startsWith('limit'))
      await page.setContent(`<pre style="height:700px;overflow:auto">${plain}</pre>`);
    await page.locator(ready).first().waitFor();
    // What the view asks for after its first rows is no part of scrolling.
    await page.waitForTimeout(count < 100 ? 200 : 4_000);
    const before = await metrics();
    const shown = await page.locator(scroller).first().evaluate(scrolled, count);
    const after = await metrics();
    rows.push({
      name,
      frames: shown,
      script: (after.scriptMs - before.scriptMs) / shown,
      task: (after.taskMs - before.taskMs) / shown,
    });
    await page.close();
  }
  return {
    title: 'a frame of scrolling, 90 px each',
    columns: [
      ['', 'name'],
      ['frames', 'frames', whole],
      ['script, ms', 'script', digits],
      ['all work of the page, ms', 'task', digits],
    ],
    rows,
  };
}

/** Runs in the page: scrolls by five rows a frame. */
async function scrolled(element, count) {
  for (let i = 0; i < count; i++) {
    element.scrollBy(0, 90);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return count;
}

async function searches({ base, open }, { id, lines }, rounds) {
  const asked = [
    ['a text that is not there', 'q=nowhere+to+be+found'],
    ['a text in one line', `q=module_${lines - 1}.c`],
    ['a pattern that matches few', 'pattern=module_7777%5Cd%2B'],
  ];
  const { page } = await open(`${base}/outputs`);
  const rows = [];
  for (const [name, query] of asked) {
    const taken = [];
    for (let round = 0; round < rounds; round++)
      taken.push(await page.evaluate(timeOf, `/api/outputs/${id}/search?${query}`));
    rows.push({ name, ms: summary(taken) });
  }
  const read = await page.evaluate(timeOf, `/api/outputs/${id}/lines?part=1&ranges=1`);
  await page.close();
  return {
    title: `a search through ${whole(lines)} lines, as the page waits for it`,
    columns: [
      ['', 'name'],
      ['ms (min–max)', 'ms', spread],
    ],
    rows: [...rows, { name: 'limit: one line', ms: summary([read]) }],
  };
}

/** Runs in the page, with its key. */
async function timeOf(path) {
  const began = performance.now();
  const headers = { 'x-spillway-key': localStorage.getItem('spillway-key') ?? '' };
  const response = await fetch(path, { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  await response.text();
  return performance.now() - began;
}

function sizeTable() {
  const used = pageSizes();
  return {
    title: 'what the browser loads',
    columns: [
      ['', 'name'],
      ['KB as sent', 'kb', digits],
      ['budget, KB', 'budget', whole],
      ['size ÷ budget', 'share', times],
    ],
    rows: Object.entries(BUDGET_KB).map(([name, budget]) => ({
      name,
      kb: used[name] / 1000,
      budget,
      share: used[name] / 1000 / budget,
    })),
  };
}
