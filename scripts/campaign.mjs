// The campaign: load, faults and kills against the program as a user installs it, and against the
// built packages; every round is checked byte by byte. `npm run campaign` takes about half an hour
// and writes .cache/campaign.md; `--smoke` takes a sample of each scenario in a minute or two and
// writes nothing. `--seed N` repeats a run (what is killed when depends on the machine as well);
// `--before DIR` names a built checkout of another version, which then works beside this one;
// `--only a,b` and `--store sqlite|files|postgres` run some scenarios and write nothing unless
// `--out FILE` says so.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, platform, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomOf } from './campaign/content.mjs';
import { removeFolder } from './campaign/remove-folder.mjs';
import { SCENARIOS } from './campaign/scenarios.mjs';
import { endStores, missing, STORES } from './campaign/stores.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    smoke: { type: 'boolean', default: false },
    only: { type: 'string' },
    store: { type: 'string' },
    before: { type: 'string' },
    out: { type: 'string' },
  },
});
const { smoke, before } = values;
const seed = Number(values.seed);
const chosen = values.only?.split(',');
if (values.store !== undefined && !STORES.includes(values.store))
  throw new Error(`--store takes ${STORES.join(' or ')}.`);
const isPartial = smoke || chosen !== undefined || values.store !== undefined;
const out = values.out ?? (isPartial ? null : new URL('../.cache/campaign.md', import.meta.url));

const [load] = loadavg();
const folder = mkdtempSync(join(tmpdir(), 'spillway-campaign-'));
process.on('exit', () => removeFolder(folder));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const began = performance.now();
const results = [];
let kept;
for (const [i, scenario] of SCENARIOS.entries()) {
  const { name, stores = ['sqlite'], sampled = stores } = scenario;
  // Ranges are read from what `size` stored.
  if (chosen && !chosen.includes(name) && !(name === 'size' && chosen.includes('ranges'))) continue;
  for (const store of smoke ? sampled : stores)
    if ((values.store ?? store) === store)
      results.push(await result(scenario, store, seed * 1_000 + i + 500 * STORES.indexOf(store)));
}
await endStores();
const minutes = (performance.now() - began) / 60_000;
if (out !== null) writeFileSync(out, report());
process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0;

async function result({ name, run, checked }, store, randomSeed) {
  const failures = [];
  let checks = 0;
  const check = (holds, failure) => {
    checks++;
    if (!holds) failures.push(failure);
  };
  const started = performance.now();
  const tell = (line) =>
    console.log(`    … ${line} (${((performance.now() - started) / 1_000).toFixed(0)} s)`);
  console.log(`  ${name}, ${store}`);
  let done = { rounds: 0, numbers: [`not run: ${missing(store)}`] };
  try {
    const scene = { folder, smoke, store, before, random: randomOf(randomSeed), check, kept, tell };
    if (missing(store) === null) done = await run(scene);
  } catch (error) {
    failures.push(error.message);
  }
  kept = done.kept ?? kept;
  const seconds = (performance.now() - started) / 1_000;
  console.log(
    `${failures.length === 0 ? '✓' : '✗'} ${name}, ${store}: ${done.rounds} rounds, ${checks} checks, ${seconds.toFixed(0)} s`,
  );
  if (name !== 'size') for (const line of done.numbers) console.log(`    ${line}`);
  for (const failure of failures.slice(0, 20)) console.error(`    ✗ ${failure}`);
  return { name, store, checked, checks, failures, seconds, ...done };
}

function report() {
  const cell = (text) => text.replaceAll('|', '\\|');
  const rows = results.map(({ name, store, checked, rounds, checks, failures, numbers }) => {
    const result =
      failures.length === 0
        ? `held (${checks.toLocaleString('en')} checks)`
        : `**failed**: ${failures.slice(0, 3).join('; ')}`;
    return `| ${name} | ${store} | ${cell(checked)} | ${rounds.toLocaleString('en')} | ${cell(result)} | ${cell(numbers.join('<br>'))} |`;
  });
  const cpu = cpus()[0]?.model.trim() ?? 'unknown';
  const machine = `${availableParallelism()} cores (${cpu}), ${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.version}, ${platform()}; load ${load.toFixed(1)} at the start`;
  return `# Campaign

What Spillway promises, under load, faults and kills. Written by \`npm run campaign\`, which packs the packages and installs them in an empty folder first; \`npm run campaign -- --smoke\` runs a sample of it in
a minute or two. Memory is the peak of the whole process; times leave out the making of the text.

- ${new Date().toISOString().slice(0, 10)}, commit ${commit()}
- ${machine}
- seed ${seed}, ${minutes.toFixed(0)} minutes

| scenario | store | what was checked | rounds | result | numbers |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

function commit() {
  try {
    const changed = execFileSync('git', ['status', '--porcelain', 'packages'], { encoding: 'utf8' }) !== '';
    const id = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
    return changed ? `${id} with changes` : id;
  } catch {
    return 'unknown';
  }
}
