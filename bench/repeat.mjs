// Measures contenders in turns (us, peer, us, peer …), so that whatever disturbs the machine
// disturbs everybody. Times are milliseconds.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

/**
 * Each contender is { name, run, prepare?, finish? }. `prepare` makes what one run needs, `finish`
 * clears it away: neither is timed. What the last run returns is kept as `result`. The first
 * `warmUp` rounds do not count.
 */
export async function inTurns(contenders, { rounds, warmUp = 1, tidy = true }) {
  const taken = contenders.map(() => []);
  const results = [];
  for (let round = -warmUp; round < rounds; round++) {
    for (const [i, { run, prepare, finish }] of contenders.entries()) {
      const prepared = await prepare?.();
      // So that nobody pays for what another one left behind.
      if (tidy) collectGarbage();
      const startedAt = performance.now();
      const result = await run(prepared);
      const ms = performance.now() - startedAt;
      await finish?.(prepared);
      if (round >= 0) taken[i].push(ms);
      results[i] = result;
    }
  }
  return contenders.map(({ name }, i) => ({ name, ms: summary(taken[i]), result: results[i] }));
}

export function summary(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: percentile(sorted, 50), min: sorted[0], max: sorted.at(-1) };
}

/** The clock of processor time ticks every few of them. */
const LEAST_MS = 20;

/** Milliseconds of the main thread for one; as many are done as its clock needs. */
export async function processorMs(work) {
  const from = process.threadCpuUsage();
  let ms = 0;
  let done = 0;
  while (ms < LEAST_MS) {
    await work();
    done++;
    const { user, system } = process.threadCpuUsage(from);
    ms = (user + system) / 1_000;
  }
  return ms / done;
}

/** The same in several rounds, as a summary. */
export async function inRounds(rounds, work) {
  const taken = [];
  for (let round = 0; round < rounds; round++) taken.push(await processorMs(work));
  return summary(taken);
}

/** Of numbers in ascending order. */
export function percentile(sorted, percent) {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];
}
