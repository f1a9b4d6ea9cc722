// Whether a test that docs/requirements.json cites fails without its feature. A row names the feature
// as `file#symbol`; for a sample of such rows the symbol is broken (a function gives back what it was
// given, a value is another one), and the row's tests are run. Ends with 1 if all of them pass.
//   npm run mutate -- requirements [--seed N] [--count N] [ID …]
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomOf } from './campaign/content.mjs';
import { reportCounts } from './counts.mjs';
import { root } from './toolchain.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '60' } },
});
const rows = JSON.parse(readFileSync(join(root, 'docs/requirements.json'), 'utf8'));
const named = rows.filter(({ feature }) => feature !== undefined);
const random = randomOf(Number(values.seed));
const sample =
  positionals.length > 0
    ? named.filter(({ id }) => positionals.includes(id))
    : named
        .map((row) => ({ row, at: random() }))
        .sort((a, b) => a.at - b.at)
        .slice(0, Number(values.count))
        .map(({ row }) => row);

/** Tests that run sources, and those that run the program, which is bundled anew for them. */
const runsSources = (test) =>
  /^packages\/core\/test\/(?!proof|agents|adapters|history\/frameworks)/.test(test);
const runsProgram = (test) => /^packages\/spillway\/test\/(?!proof|postgres|browser)/.test(test);

const survivors = [];
try {
  for (const { id, feature, tests } of sample) {
    const isKilled =
      tests.filter(runsSources).some((test) => fails(test, feature)) ||
      (tests.some(runsProgram) &&
        isBundled(feature) &&
        tests.filter(runsProgram).some((test) => fails(test, feature)));
    console.log(`${isKilled ? '✓' : '✗'} ${id} ${feature}`);
    if (!isKilled) survivors.push(`${id}: no test fails without ${feature}`);
  }
} finally {
  if (sample.some(({ tests }) => tests.some(runsProgram))) isBundled(undefined);
}
reportCounts({ passed: sample.length - survivors.length, failed: survivors.length, failures: survivors });
process.exitCode = survivors.length > 0 ? 1 : 0;

/** Bundles the program, with a feature broken or whole; false if it cannot be bundled so. */
function isBundled(feature) {
  const { SPILLWAY_BROKEN: _, ...env } = process.env;
  const given = feature === undefined ? env : { ...env, SPILLWAY_BROKEN: feature };
  return spawnSync(process.execPath, [join('scripts', 'bundle.mjs')], { cwd: root, env: given }).status === 0;
}

/** Whether a test fails once its feature is broken. */
function fails(test, feature) {
  const [file, ...names] = test.split(' › ');
  // What a test fills in stands for anything.
  const title = names
    .join('%s')
    .split(/%[sjdifoOp]|\$\{[^}]*\}|\$\w+/)
    .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const config = join('scripts', 'mutation', 'requirements.config.mjs');
  const args = [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', config, file, '-t', title];
  const env = { ...process.env, SPILLWAY_BROKEN: feature, SPILLWAY_SEED: '1' };
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, env, timeout: 120_000 });
  if (status === 0 && /^0 passed/m.test(stdout.toString())) throw new Error(`No test is called ${test}.`);
  return status !== 0;
}
