// Runs one task of this repository: node scripts/dev.mjs <task> [arguments], usually as
// `npm run <task>`. First it makes sure of Node >= 22.13 and of the dependencies; then it runs the
// steps of the task (see `tasks`) one after another, from the checkout's root. Plain JavaScript for
// Node 18 and newer.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countsLine } from './counts.mjs';
import { samples, suiteArgs, suites } from './suites.mjs';
import { installSystemPackages } from './system-packages.mjs';
import { root, runNpm, useDevelopmentNode } from './toolchain.mjs';

const packages = ['packages/core', 'packages/spillway'];
/** What a task may take on two quiet cores, once it is set up. */
const MINUTES = { test: 3, verify: 25 };
/** Properties are tried with the same inputs in every such run (scripts/seeded.mjs). */
const SEEDED = { SPILLWAY_SEED: process.env.SPILLWAY_SEED ?? '1' };

// A step is a name and a command line for Node (`run`) or a function (`call`). A failing step does
// not stop the others, so that one run shows everything that is wrong; only a `vital` one does.
const clean = { name: 'clean', call: removeBuild, vital: true };
const build = { name: 'build', run: () => [tool('@typescript/native', 'tsc'), '-b'], vital: true };
const bundle = { name: 'bundle', run: () => ['scripts/bundle.mjs'], vital: true };
const page = { name: 'page', run: () => ['scripts/bundle-page.mjs'], vital: true };
const systemPackages = { name: 'system packages', call: installSystemPackages };
const benchPeers = { name: 'bench peers', call: () => installDependencies('bench'), vital: true };
const siteTools = { name: 'site tools', call: () => installDependencies('site'), vital: true };
const packed = { name: 'packages', minutes: 3, run: () => ['scripts/check-packages.mjs'] };
const frameworks = { name: 'former frameworks', minutes: 1, run: () => ['scripts/packed-frameworks.mjs'] };
const bundlers = { name: 'bundlers', minutes: 2.5, run: () => ['scripts/packed-bundlers.mjs'] };
const agents = { name: 'agents', minutes: 1.5, run: () => ['scripts/agent-matrix.mjs', '--sample'] };
const packedHere = { name: 'packages, this Node', run: () => ['scripts/check-packages.mjs', '--this-node'] };

const tasks = {
  build: () => [build, bundle, page],
  check: (args) => [build, bundle, page, ...checks(args)],
  // With arguments, those tests. Without, the fast suite, some tests of every other one and the packed
  // packages; `npm run verify` runs all of them.
  test: (args) =>
    args.length > 0
      ? [build, tests({ name: 'test', args })]
      : [systemPackages, build, bundle, page, ...[suites[0], samples].map(seededTests), packedHere],
  proof: () => [build, bundle, page, tests({ name: 'proof', args: suiteArgs('proof') })],
  // Packages that tests need from the system (a database server, a browser) are installed here,
  // before `clean`. `--after-test` leaves out the suite that `npm test` ran in full.
  verify: (args) => [
    systemPackages,
    clean,
    build,
    bundle,
    page,
    ...checks([]),
    ...suites.slice(args.includes('--after-test') ? 1 : 0).map(seededTests),
    agents,
    ...examples(),
    packed,
    frameworks,
    bundlers,
    ...site([]),
  ],
  demo: (args) => [build, bundle, page, { name: 'demo', run: () => ['examples/demo.mjs', ...args] }],
  bench: (args) => [
    build,
    bundle,
    page,
    benchPeers,
    { name: 'bench', run: () => ['bench/run.mjs', ...args] },
  ],
  site,
  release: (args) => [
    clean,
    build,
    bundle,
    page,
    { name: 'release', run: () => ['scripts/release.mjs', ...args] },
  ],
  mutate: ([first, ...args]) =>
    first === 'requirements'
      ? [{ name: 'mutate requirements', run: () => ['scripts/mutate-requirements.mjs', ...args] }]
      : [{ name: 'mutate', run: () => ['scripts/mutate.mjs', ...(first ? [first] : []), ...args] }],
  campaign: (args) => [
    build,
    bundle,
    page,
    { name: 'campaign', run: () => ['scripts/campaign.mjs', ...args] },
    ...(args.length === 0 ? [{ ...bundlers, run: () => ['scripts/packed-bundlers.mjs', '--all'] }] : []),
  ],
};

/** The documentation as a site; fails on a link that leads nowhere. */
function site(args) {
  return [siteTools, { name: 'site', run: () => ['site/build.mjs', ...args] }];
}

function checks(biomeArgs) {
  return [
    { name: 'format and lint', run: () => [tool('@biomejs/biome', 'biome'), 'check', ...biomeArgs] },
    {
      name: 'types of the tests',
      run: () => [tool('@typescript/native', 'tsc'), '-p', 'tsconfig.test.json'],
    },
    {
      name: 'types of the page',
      run: () => [tool('@typescript/native', 'tsc'), '-p', 'packages/ui'],
    },
    {
      name: 'import arrows',
      run: () => [tool('dependency-cruiser', 'depcruise'), 'packages/*/{bin,src,test}'],
    },
    { name: 'unused code', run: () => [tool('knip', 'knip')] },
    ...packages.flatMap((folder) => [
      { name: `publint ${folder}`, run: () => [tool('publint', 'publint'), folder, '--strict'] },
      {
        name: `attw ${folder}`,
        run: () => [tool('@arethetypeswrong/cli', 'attw'), '--pack', folder, '--profile', 'esm-only'],
      },
    ]),
    ...ownChecks().map((script) => ({ name: script, run: () => [script] })),
  ];
}

function tests({ name, minutes, args }) {
  return { name, minutes, run: () => [tool('vitest', 'vitest'), 'run', ...args] };
}

function seededTests(suite) {
  return { ...tests(suite), env: SEEDED };
}

/** Every example checks its own result. */
function examples() {
  return readdirSync('examples')
    .filter((file) => /^\d.*\.mjs$/.test(file))
    .map((file) => {
      // Each has a store of its own: several open a session of the same name.
      const store = join(root, '.cache', 'examples', file);
      const run = () => {
        rmSync(store, { recursive: true, force: true });
        return [`examples/${file}`];
      };
      return { name: `examples/${file}`, run, env: { SPILLWAY_STORE: store } };
    });
}

/** Every scripts/check-*.mjs but the one that needs minutes. */
function ownChecks() {
  return readdirSync('scripts')
    .filter((file) => /^check-.*\.mjs$/.test(file) && file !== 'check-packages.mjs')
    .map((file) => `scripts/${file}`);
}

function removeBuild() {
  const bundled = ['packages/spillway/program', 'packages/spillway/inspector'];
  const built = packages.flatMap((name) => [join(name, 'dist'), join(name, 'lib')]);
  for (const folder of [...built, ...bundled]) rmSync(folder, { recursive: true, force: true });
}

/** The file of a package's program, so that it can be run with our Node on every platform. */
function tool(packageName, program) {
  const folder = join('node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[program]);
}

/** `npm ci` when the lock file is not the one that node_modules was installed from. */
function installDependencies(folder) {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules', '.installed-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.log(
    `Installing the dependencies of ${folder === '.' ? 'this checkout' : folder} (under a minute).`,
  );
  const { status } = runNpm(node, ['ci', '--include=dev', '--ignore-scripts', '--prefix', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('npm ci failed, see above.');
  writeFileSync(stamp, lock);
}

/** Runs a step; the counts are those the step reported, or one for the step itself. */
function runStep(step, countsFile) {
  console.log(`\n— ${step.name}`);
  rmSync(countsFile, { force: true });
  const startedAt = Date.now();
  const failure = attempt(step, countsFile);
  if (failure) console.error(`✗ ${step.name}: ${failure}`);
  const counts = existsSync(countsFile)
    ? JSON.parse(readFileSync(countsFile, 'utf8'))
    : { passed: failure ? 0 : 1, failed: 0, skipped: 0 };
  const failed = failure ? Math.max(counts.failed, 1) : counts.failed;
  return { ...counts, failed, name: step.name, minutes: step.minutes, usedMs: Date.now() - startedAt };
}

/** What went wrong, in a few words; undefined when nothing did. */
function attempt(step, countsFile) {
  try {
    return step.call ? step.call() : spawnStep(step, countsFile);
  } catch (error) {
    return error.message;
  }
}

function spawnStep(step, countsFile) {
  const env = { ...process.env, SPILLWAY_COUNTS_FILE: countsFile, ...step.env };
  const { status, signal, error } = spawnSync(node, step.run(), { stdio: 'inherit', env });
  if (status === 0) return undefined;
  return error?.message ?? (signal ? `ended by ${signal}` : `exit code ${status}`);
}

function runTask(steps) {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-dev-'));
  const results = [];
  for (const step of steps) {
    const result = runStep(step, join(folder, 'counts.json'));
    results.push(result);
    if (step.vital && result.failed > 0) break;
  }
  rmSync(folder, { recursive: true, force: true });
  return results;
}

function report(task, results) {
  const failed = results.filter((result) => result.failed > 0);
  if (failed.length > 0)
    console.error(`\n${task} failed at: ${failed.map((result) => result.name).join(', ')}`);
  if (MINUTES[task] !== undefined && results.length > 2) printMinutes(task, results);
  printNames('Failed:', results, 'failures');
  printNames('Passed only when tried again:', results, 'unsteady');
  if (task === 'check' || MINUTES[task] !== undefined) {
    const sum = (key) => results.reduce((total, result) => total + (result[key] ?? 0), 0);
    console.log(`\n${countsLine({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') })}`);
  }
  process.exitCode = failed.length > 0 ? 1 : 0;
}

function printNames(title, results, key) {
  const names = results.flatMap((result) => (result[key] ?? []).map((each) => `  ${result.name}: ${each}`));
  if (names.length > 0) console.log(`\n${title}\n${names.join('\n')}`);
}

/** Tells how long each suite took. A busy machine takes longer, so this fails nothing. */
function printMinutes(task, results) {
  console.log('\nMinutes used, of those that a suite may take on two quiet cores:');
  for (const { name, minutes, usedMs } of results)
    if (minutes !== undefined)
      console.log(`  ${name.padEnd(12)} ${(usedMs / 60_000).toFixed(1)} of ${minutes}`);
  const all = results.reduce((total, { usedMs }) => total + usedMs, 0);
  console.log(`  ${'everything'.padEnd(12)} ${(all / 60_000).toFixed(1)} of ${MINUTES[task]}`);
}

const [task, ...args] = process.argv.slice(2);
if (!Object.hasOwn(tasks, task ?? '')) {
  console.error(`Which task? One of: ${Object.keys(tasks).join(', ')}.`);
  process.exit(2);
}
process.chdir(root);
let node;
try {
  node = useDevelopmentNode();
  installDependencies('.');
  report(task, runTask(tasks[task](args)));
} catch (error) {
  console.error(`${task} could not start: ${error.message}`);
  process.exitCode = 1;
}
