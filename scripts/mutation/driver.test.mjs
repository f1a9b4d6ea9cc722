// Runs every mutant against the tests that reach it, the quick ones first, until one fails. One pass without any mutant learns which test reaches which; a mutant
// that is reached while files are loaded gets them loaded anew. A line of JSON a verdict goes to the file that scripts/mutate.mjs watches.
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
const wanted = new Set(SPILLWAY_MUTATE_IDS.split(',').map(Number));
const TEST_MS = 20_000;

test('mutants', async () => {
  // The same cases each time, and a failing one is enough: no smaller one is looked for.
  fc.configureGlobal({ seed: 20_260_101, endOnFailure: true });
  const { reach, atLoad, loops } = await learn();
  globalThis.$mutants = new Uint8Array(mutants.at(-1).id + 1);
  globalThis.$loops = { n: 0, limit: loops * 10 + 1_000_000 };
  const tests = await load(testFiles);
  const costs = reach.map((each) => each.ms);
  for (const mutant of mutants.filter(({ id }) => wanted.has(id))) {
    say({ id: mutant.id, begun: true });
    const reaching = tests.map((_, i) => i).filter((i) => reach[i].hits.has(mutant.id));
    const fresh = atLoad.has(mutant.id);
    $mutants[mutant.id] = 1;
    const killer = fresh
      ? await firstFailureFresh(mutant)
      : await firstFailure(reaching.sort((a, b) => costs[a] - costs[b]).map((i) => tests[i]));
    $mutants[mutant.id] = 0;
    say({ id: mutant.id, killer, reached: fresh || reaching.length > 0 });
  }
});

function say(what) {
  appendFileSync(SPILLWAY_MUTATE_OUT, `${JSON.stringify(what)}\n`);
}

/** Which mutants each test reaches, which are reached while loading, and how often loops run in the longest test. */
async function learn() {
  let hits = new Set();
  const noteHit = (_, id) => {
    hits.add(Number(id));
    return 0;
  };
  globalThis.$mutants = new Proxy({}, { get: noteHit });
  globalThis.$loops = { n: 0, limit: Number.POSITIVE_INFINITY };
  const tests = await load(testFiles);
  const atLoad = hits;
  const reach = [];
  let loops = 0;
  for (const each of tests) {
    hits = new Set();
    $loops.n = 0;
    const begun = performance.now();
    await each.run();
    reach.push({ hits, ms: performance.now() - begun });
    loops = Math.max(loops, $loops.n);
  }
  vi.resetModules();
  return { reach, atLoad, loops };
}

async function load(which) {
  globalThis.$tests = { tests: [], hooks: [] };
  for (const file of which) {
    $tests.hooks = [];
    await import(/* @vite-ignore */ file);
  }
  return $tests.tests;
}

/** The test files of the mutant's own folder first: they are the likeliest to see it. */
async function firstFailureFresh(mutant) {
  const near = (file) =>
    basename(dirname(file)) === basename(dirname(mutant.file)) || file.includes(basename(mutant.file, '.ts'));
  for (const some of [testFiles.filter(near), testFiles.filter((file) => !near(file))]) {
    vi.resetModules();
    let tests;
    try {
      tests = await load(some);
    } catch (error) {
      return `loading: ${error.message}`.slice(0, 200);
    }
    const killer = await firstFailure(tests);
    if (killer !== null) return killer;
  }
  return null;
}

async function firstFailure(tests) {
  for (const { name, run } of tests) {
    $loops.n = 0;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('took too long')), TEST_MS);
    });
    try {
      await Promise.race([run(), late]);
    } catch {
      return name;
    } finally {
      clearTimeout(timer);
    }
  }
  return null;
}
