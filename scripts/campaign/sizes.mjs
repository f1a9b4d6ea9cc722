// Scenarios on size: memory that does not grow with the input, and costs that do not grow with the
// store.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from './processes.mjs';

/**
 * Each strategy that bounds what is shown, on lines; then what is hard on memory: one line, and one
 * JSON document.
 */
const STRATEGIES = ['head', 'tail', 'head_tail', 'lines', 'size_limit', 'smart_summary', 'element'];
const LINES = { ending: '\n', form: 'lines' };
const ONE_LINE = { ending: ' ', form: 'one line' };
const JSON_ARRAY = { ending: '\n', form: 'JSON' };
// A small nursery too: else V8 lets the strings of the generator pile up to what the whole capture
// takes.
const SMALL_HEAP = { nodeFlags: ['--max-old-space-size=40', '--max-semi-space-size=2'] };
const MOST_CHARS = 8_000;
/** Node itself (70 MB with SQLite), its cache and two windows; far below any of the inputs. */
const MOST_MB = 150;
const MOST_RATIO = 2;
/** A hundred times the outputs make every index a level deeper, and less of it fits the cache. */
const MOST_GROWTH = 4;

export async function size({ folder, smoke, check, tell }) {
  const bytes = smoke ? 120_000_000 : 2_000_000_000;
  const runs = [
    ...(smoke ? ['head_tail'] : STRATEGIES).map((strategy) => ({ strategy, ...LINES })),
    { strategy: 'head_tail', ...ONE_LINE },
    { strategy: 'element', ...JSON_ARRAY },
  ];
  const rows = [];
  for (const [i, { strategy, ending, form }] of runs.entries()) {
    const file = join(folder, `size-${i}.db`);
    const job = { name: 'size', bytes, strategy, file, ending, form };
    const done = await ask('capture', job, SMALL_HEAP);
    check(done.storedBytes === bytes, `${strategy}: ${done.storedBytes} of ${bytes} bytes stored`);
    check(done.originalSize === bytes && done.truncated, `${strategy}: the projection tells another size`);
    check(done.chars <= MOST_CHARS, `${strategy}: a projection of ${done.chars} chars`);
    check(done.peakMb <= MOST_MB, `${strategy}: ${done.peakMb.toFixed(0)} MB of memory`);
    if (form === 'JSON') check(done.parses && done.by === 'element', `${strategy}: not JSON any more`);
    rows.push(
      `${strategy}, ${form}: ${done.peakMb.toFixed(0)} MB, ${done.seconds.toFixed(0)} s (${(bytes / 1e6 / done.seconds).toFixed(0)} MB/s), ${done.chars} chars`,
    );
    tell(rows.at(-1));
    if (strategy !== 'head_tail' || form !== 'lines') rmSync(file);
    else rows.kept = { file, id: done.id, bytes, name: 'size' };
  }
  const parts = smoke ? 10_000 : 1_000_000;
  for (const file of [null, join(folder, 'parts.db')]) {
    const done = await ask('parts', { count: parts, file }, SMALL_HEAP);
    check(done.chars <= MOST_CHARS && done.first && done.last, `${parts} parts: the ends are not shown`);
    check(done.lines === parts, `${parts} parts: ${done.lines} lines told`);
    check(
      file === null || done.storedBytes === done.charsInAll,
      `${parts} parts: ${done.storedBytes} bytes stored`,
    );
    check(
      file === null || done.middle === `block ${parts / 2}\n`,
      `${parts} parts: the middle one is another`,
    );
    check(done.peakMb <= MOST_MB, `${parts} parts: ${done.peakMb.toFixed(0)} MB of memory`);
    const where = file === null ? 'not stored' : 'into SQLite';
    rows.push(
      `${parts.toLocaleString('en')} parts ${where}: ${done.peakMb.toFixed(0)} MB, ${done.seconds.toFixed(0)} s`,
    );
    tell(rows.at(-1));
  }
  return { rounds: runs.length + 2, numbers: rows, kept: rows.kept };
}

/** Uses what `size` stored. */
export async function ranges({ smoke, check, kept }) {
  const rounds = smoke ? 100 : 300;
  const { start, middle, end, wrong } = await ask('ranges', { ...kept, rounds });
  check(wrong === 0, `${wrong} ranges were not the text that is there`);
  const ratio = Math.max(start, middle, end) / Math.min(start, middle, end);
  check(
    ratio <= (smoke ? 2 : 1) * MOST_RATIO,
    `the slowest place takes ${ratio.toFixed(1)} times the fastest`,
  );
  rmSync(kept.file, { force: true });
  const ms = [start, middle, end].map((time) => time.toFixed(2)).join(' / ');
  return { rounds: rounds * 6, numbers: [`${ms} ms at start / middle / end, ratio ${ratio.toFixed(2)}`] };
}

export async function manyOutputs({ folder, smoke, check, tell }) {
  const [few, many] = smoke ? [200, 1_500] : [1_000, 100_000];
  const small = await ask('outputs', { count: few, file: join(folder, 'few.db') });
  tell(`${few} outputs written and used`);
  const large = await ask('outputs', { count: many, file: join(folder, 'many.db') });
  const numbers = ['seal', 'find', 'range', 'list'].map((use) => {
    const ratio = large[use] / small[use];
    check(
      ratio <= MOST_GROWTH,
      `${use} takes ${ratio.toFixed(1)} times as long among ${many} outputs as among ${few}`,
    );
    return `${use} ${large[use].toFixed(2)} ms (× ${ratio.toFixed(2)})`;
  });
  return {
    rounds: 1_600,
    numbers: [`${many.toLocaleString('en')} outputs beside ${few}: ${numbers.join(', ')}`],
  };
}
