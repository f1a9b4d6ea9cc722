// Mutation testing: makes one small wrong change after another to the arithmetic, the markers and
// the merging of settings of packages/core, and tells which of them no test notices.
// `npm run mutate` runs all files, `npm run mutate -- text/cut.ts` some; `--quick` leaves out slow
// tests, `--survivors` runs only those that survived the last run. Verdicts go to
// .cache/mutation.json. A full run writes .cache/mutation.md. Ends with 1 if a mutant survived that
// scripts/mutation/argued.json does not argue; `--report` only writes the page from the verdicts of
// the last run.
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { planOf } from './mutation/plan.mjs';
import { judged, page } from './mutation/report.mjs';
import { root } from './toolchain.mjs';

const sources = join(root, 'packages', 'core', 'src');
const tests = join(root, 'packages', 'core', 'test');
const targets = [
  'text/{utf8,pieces,sequence,cut,allocate,glob,numbers,lines,tokens,ruler}.ts',
  'strategies/*.ts',
  'projection/{fit,price,notice-facts,section,gathering,views}.ts',
  'wording/{markers,notice-lines,outcome,template,parse-projection}.ts',
  'wording/dialects/*.ts',
  'policy/{resolve,levels,settings,adaptive,profiles}.ts',
];
const testFiles = [
  '{text,projection,policy,wording}/*.test.ts',
  'strategies/{positional,selections,plugged}.test.ts',
  'strategies/failures/salience.test.ts',
  '{engine,processor,retrieval/retrieve}.test.ts',
];
/** Loads its module anew, which the driver cannot do; nothing of it is mutated. */
const leftOut = ['text/digest.test.ts'];
const verdictsFile = join(root, '.cache', 'mutation.json');
/** A worker that says nothing for so long is stuck in its mutant. */
const SILENCE_MS = 120_000;

const asked = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const files = targets
  .flatMap((pattern) => globSync(pattern, { cwd: sources }))
  .filter((file) => asked.length === 0 || asked.some((each) => each.endsWith(file) || file.includes(each)))
  .map((file) => join(sources, file))
  .sort();
const mutants = [...planOf(files).values()].flatMap((made) => made.mutants);
const former = existsSync(verdictsFile) ? JSON.parse(readFileSync(verdictsFile, 'utf8')) : {};
const keyOf = ({ file, line, column, what }) => `${relative(sources, file)}:${line}:${column} ${what}`;
const chosen = process.argv.includes('--survivors')
  ? mutants.filter((mutant) => former[keyOf(mutant)]?.killer === null)
  : mutants;

const began = Date.now();
if (process.argv.includes('--report')) {
  report((mutant) => former[keyOf(mutant)]);
  process.exit();
}

// So that the workers are ended too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const folder = mkdtempSync(join(tmpdir(), 'spillway-mutate-'));
const verdicts = new Map();
try {
  const jobs = Math.max(
    1,
    Math.min(Number(process.env.SPILLWAY_MUTATE_JOBS ?? availableParallelism()), chosen.length),
  );
  console.log(`${chosen.length} mutants in ${files.length} files, ${jobs} at a time.`);
  await Promise.all(
    Array.from({ length: jobs }, (_, job) => {
      return work(
        job,
        chosen.filter((_, i) => i % jobs === job).map(({ id }) => id),
      );
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
report(({ id }) => verdicts.get(id));

/**
 * Runs mutants in one worker after another: each goes on behind the mutant in which the former was
 * stuck.
 */
async function work(job, ids) {
  for (let left = ids, turn = 0; left.length > 0; turn++) {
    const out = join(folder, `${job}-${turn}.jsonl`);
    writeFileSync(out, '');
    const before = left.length;
    const stuck = await runWorker(left, out);
    if (stuck !== undefined) verdicts.set(stuck, { killer: 'ran for ever', reached: true });
    left = left.filter((id) => !verdicts.has(id));
    if (left.length === before)
      throw new Error(
        'The tests fail without any mutant: run `npm test`, or this with SPILLWAY_MUTATE_DEBUG=1.',
      );
  }
}

/** Returns the mutant in which the worker had to be ended, if it had to. */
async function runWorker(ids, out) {
  const worker = spawn(
    process.execPath,
    [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', 'scripts/mutation/vitest.config.mjs'],
    {
      cwd: root,
      detached: true,
      stdio: process.env.SPILLWAY_MUTATE_DEBUG ? 'inherit' : 'ignore',
      env: {
        ...process.env,
        SPILLWAY_PROPERTY_RUNS: process.env.SPILLWAY_PROPERTY_RUNS ?? '40',
        SPILLWAY_MUTATE_FILES: files.join(','),
        SPILLWAY_MUTATE_TESTS: testFiles
          .flatMap((each) => globSync(each, { cwd: tests }))
          .filter((file) => !leftOut.includes(file))
          .map((file) => join(tests, file))
          .sort()
          .join(','),
        SPILLWAY_MUTATE_IDS: ids.join(','),
        SPILLWAY_MUTATE_OUT: out,
        SPILLWAY_MUTATE_SLOWEST_MS: process.argv.includes('--quick') ? '150' : 'Infinity',
      },
    },
  );
  let ended = false;
  const gone = new Promise((resolve) => worker.on('exit', resolve)).then(() => {
    ended = true;
  });
  const stop = () => {
    // The whole group: the tests run in a child of the worker.
    if (!ended) process.kill(-worker.pid, 'SIGKILL');
  };
  process.once('exit', stop);
  let read = 0;
  let at;
  let heard = Date.now();
  while (!ended && Date.now() - heard < SILENCE_MS) {
    await Promise.race([gone, sleep(500)]);
    const lines = readFileSync(out, 'utf8').split('\n').slice(0, -1);
    if (lines.length > read) heard = Date.now();
    for (const line of lines.slice(read)) {
      const { id, begun, ...verdict } = JSON.parse(line);
      at = begun ? id : undefined;
      if (!begun) verdicts.set(id, verdict);
    }
    if (lines.length > read) remember();
    read = lines.length;
  }
  stop();
  await gone;
  process.removeListener('exit', stop);
  return at;
}

function remember() {
  const kept = Object.fromEntries(
    chosen.filter(({ id }) => verdicts.has(id)).map((mutant) => [keyOf(mutant), verdicts.get(mutant.id)]),
  );
  const names = files.map((file) => relative(sources, file));
  const others = Object.entries(former).filter(
    ([key]) => !names.some((name) => key.startsWith(`${name}:`)) || (chosen !== mutants && !(key in kept)),
  );
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(verdictsFile, JSON.stringify({ ...Object.fromEntries(others), ...kept }, null, 1));
}

function report(verdictOf) {
  const all = judged(chosen, verdictOf, sources);
  for (const file of new Set(all.map((mutant) => mutant.file))) {
    const own = all.filter((mutant) => mutant.file === file);
    const open = own.filter(({ end }) => end === 'open');
    const argued = own.filter(({ end }) => end === 'argued').length;
    console.log(`${file}: ${own.length} mutants, ${argued + open.length} survived, ${argued} of them argued`);
    for (const mutant of open) {
      const reached = verdictOf(chosen.find(({ id }) => id === mutant.id))?.reached;
      console.log(
        `  ${mutant.line}:${mutant.column} ${mutant.what}${reached ? '' : '  (no test gets there)'}`,
      );
    }
  }
  const survived = all.filter(({ end }) => end !== 'killed').length;
  const open = all.filter(({ end }) => end === 'open').length;
  const share = all.length === 0 ? 100 : (100 * (all.length - survived)) / all.length;
  console.log(
    `\n${all.length} mutants, ${all.length - survived} killed (${share.toFixed(1)} %), ${survived - open} argued, ${open} open`,
  );
  const full = asked.length === 0 && !process.argv.includes('--quick') && chosen === mutants;
  const minutes = process.argv.includes('--report')
    ? mutants.reduce((sum, mutant) => sum + (verdictOf(mutant)?.ms ?? 0), 0) / 60_000
    : (Date.now() - began) / 60_000;
  if (full) writeFileSync(join(root, '.cache', 'mutation.md'), page(all, { minutes, node: process.version }));
  process.exitCode = open === 0 ? 0 : 1;
}
