// Runs every mutant against the tests that reach it, the quick ones first, until one fails. One
// pass without any mutant learns which test enters which function; a mutant outside of any function
// gets all files loaded anew. A line of JSON a verdict goes to the file that scripts/mutate.mjs
// watches.
import { appendFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import fc from 'fast-check';
import { test, vi } from 'vitest';
import { planOf } from './plan.mjs';

const { SPILLWAY_MUTATE_FILES, SPILLWAY_MUTATE_TESTS, SPILLWAY_MUTATE_IDS, SPILLWAY_MUTATE_OUT } =
  process.env;
const files = SPILLWAY_MUTATE_FILES.split(',');
const testFiles = SPILLWAY_MUTATE_TESTS.split(',');
const mutants = [...planOf(files).values()].flatMap((made) => made.mutants);
const slowest = Number(process.env.SPILLWAY_MUTATE_SLOWEST_MS);
const wanted = new Set(SPILLWAY_MUTATE_IDS.split(',').map(Number));

test('mutants', async () => {
  // The same cases each time, and a failing one is enough: no smaller one is looked for.
  fc.configureGlobal({ seed: 20_260_101, endOnFailure: true });
  const { tests, reach, atLoad } = await learn();
  for (const mutant of mutants.filter(({ id }) => wanted.has(id))) {
    say({ id: mutant.id, begun: true });
    const begun = performance.now();
    const reaching = tests.map((_, i) => i).filter((i) => reach[i].entered[mutant.within]);
    // What a file remembers from one test to the next would hide that it is not made.
    const fresh = atLoad[mutant.within] === 1 || mutant.what.includes('??=');
    $switches.on[mutant.id] = 1;
    const killer = fresh
      ? await firstFailureFresh(mutant, atLoad[mutant.within] ? tests.map((_, i) => i) : reaching, reach)
      : await firstFailure(mutant, reaching, tests, reach);
    $switches.on[mutant.id] = 0;
    say({
      id: mutant.id,
      killer,
      reached: fresh || reaching.length > 0,
      ms: Math.round(performance.now() - begun),
    });
  }
});

function say(what) {
  appendFileSync(SPILLWAY_MUTATE_OUT, `${JSON.stringify(what)}\n`);
}

/** Which functions each test enters, how long it takes and how often its loops run. */
async function learn() {
  const plan = [...planOf(files).values()];
  globalThis.$switches = {
    on: new Uint8Array(mutants.length + 1),
    entered: new Uint8Array(plan.reduce((sum, { functions }) => sum + functions, 1)),
    loops: 0,
    limit: Number.POSITIVE_INFINITY,
    loaded: 0,
  };
  const tests = await load(testFiles);
  // Functions that are only entered while files are loaded count as the files themselves do.
  const atLoad = $switches.entered.slice();
  atLoad[0] = 1;
  const reach = [];
  for (const each of tests) {
    $switches.entered.fill(0);
    $switches.loops = 0;
    const begun = performance.now();
    await each.run();
    reach.push({
      entered: $switches.entered.slice(),
      ms: performance.now() - begun,
      loops: $switches.loops,
    });
  }
  if (process.env.SPILLWAY_MUTATE_DEBUG)
    for (const [i, { ms }] of reach.entries())
      if (ms > 100) console.log(tests[i].file, tests[i].name, Math.round(ms));
  return { tests, reach, atLoad };
}

async function load(which) {
  globalThis.$tests = { tests: [], hooks: [] };
  for (const file of which) {
    $tests.hooks = [];
    const before = $tests.tests.length;
    await import(/* @vite-ignore */ file);
    for (const each of $tests.tests.slice(before)) each.file = file;
  }
  return $tests.tests;
}

/** The same with everything loaded anew. */
async function firstFailureFresh(mutant, which, reach) {
  vi.resetModules();
  Object.assign($switches, { loaded: 0, loops: 0, limit: Number.POSITIVE_INFINITY });
  let tests;
  try {
    tests = await load(testFiles);
  } catch (error) {
    return `loading: ${error.message}`.slice(0, 200);
  }
  if ($switches.loaded === 0) throw new Error('The sources were not loaded anew.');
  if (process.env.SPILLWAY_MUTATE_DEBUG) console.log('loaded', $switches.loaded);
  return firstFailure(mutant, which, tests, reach);
}

/**
 * The first test that fails; one that takes far longer than it should fails too. Tests of the
 * mutant's own file go first, then those of its folder, then the quick ones.
 */
async function firstFailure(mutant, which, tests, reach) {
  const [folder, name] = [basename(dirname(mutant.file)), basename(mutant.file, '.ts')];
  const distance = ({ file }) => {
    if (basename(file).startsWith(name)) return 0;
    return basename(dirname(file)) === folder ? 1 : 2;
  };
  const likeliestFirst = which
    .filter((i) => reach[i].ms <= slowest)
    .toSorted((a, b) => distance(tests[a]) - distance(tests[b]) || reach[a].ms - reach[b].ms);
  for (const { name, run, usual } of likeliestFirst.map((i) => ({ ...tests[i], usual: reach[i] }))) {
    $switches.loops = 0;
    $switches.limit = usual.loops * 5 + 100_000;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('took too long')), usual.ms * 10 + 3_000);
    });
    try {
      await Promise.race([run(), late]);
    } catch (error) {
      return `${name}: ${error.message}`.slice(0, 300);
    } finally {
      clearTimeout(timer);
    }
  }
  return null;
}
