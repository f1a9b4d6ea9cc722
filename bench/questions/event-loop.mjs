// How long does a caller's event loop stand still while outputs are stored?
import { once } from 'node:events';
import { join } from 'node:path';
import { hasBefore } from '../before.mjs';
import { askChild, startChild } from '../child.mjs';
import { summary } from '../repeat.mjs';
import { digits, spread, times } from '../report.mjs';
import { discard, scratchFolder } from '../scratch.mjs';

export const question = "How long does the caller's event loop stand still while outputs are stored?";

export const notes = [
  '`monitorEventLoopDelay` with a resolution of 1 ms: an idle loop shows a little over 1 ms. Every job runs in a process of its own.',
  'Chunks and results arrive one a turn of the loop; ten results are under way at the same time. Everything ends flushed to the disk (`power`).',
  'SQLite runs on the thread of the caller, where a flush is a pause, or with `thread: true` on its own, as asynchronous `fs` does.',
  'The limit is a process that waits for half a second.',
];

export async function run({ smoke }) {
  const rounds = smoke ? 1 : 5;
  const megabytes = smoke ? 5 : 200;
  const count = smoke ? 50 : 2_000;
  return [
    await table(`one stream of ${megabytes} MB`, jobsOf('stream'), rounds, { bytes: megabytes * 1e6 }),
    await table(`${count} results of 2 KB`, jobsOf('results'), rounds, { count, chars: 2_000 }),
  ];
}

function jobsOf(what) {
  return [
    { name: 'limit: an idle loop', job: 'idle' },
    { name: 'spillway sqlite', job: `spillway ${what}` },
    { name: 'spillway sqlite, a second process writing', job: `spillway ${what}`, second: true },
    { name: 'spillway sqlite, own thread', job: `spillway ${what}`, thread: true },
    {
      name: 'spillway sqlite, own thread, a second process writing',
      job: `spillway ${what}`,
      thread: true,
      second: true,
    },
    ...(hasBefore ? [{ name: 'before: spillway sqlite', job: `spillway ${what}`, before: true }] : []),
    { name: 'fs.writeSync, fsyncSync', job: `writeSync ${what}` },
    { name: 'fs/promises', job: `async ${what}` },
  ];
}

async function table(title, jobs, rounds, amount) {
  const seen = jobs.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, { job, second = false, thread = false, before = false }] of jobs.entries()) {
      const folder = scratchFolder();
      const ask = () => askChild('loop-delay', { job, thread, before, folder, file: 'store.db', ...amount });
      const answer = await (second ? besideSecondWriter(join(folder, 'store.db'), ask) : ask());
      if (answer.died !== undefined) throw new Error(`${job}: ${answer.died}`);
      seen[i].push(answer);
      discard(folder);
    }
  }
  const overRounds = (answers, key) => summary(answers.map((answer) => answer[key]));
  const limit = overRounds(seen[0], 'p99').median;
  return {
    title,
    columns: [
      ['', 'name'],
      ['p50, ms', 'p50', digits],
      ['p99, ms (min–max)', 'p99', spread],
      ['p99 ÷ limit', 'ofLimit', times],
      ['longest, ms (min–max)', 'max', spread],
      ['whole job, ms', 'ms', digits],
    ],
    rows: jobs.map(({ name }, i) => ({
      name,
      p50: overRounds(seen[i], 'p50').median,
      p99: overRounds(seen[i], 'p99'),
      ofLimit: overRounds(seen[i], 'p99').median / limit,
      max: overRounds(seen[i], 'max'),
      ms: overRounds(seen[i], 'ms').median,
    })),
  };
}

async function besideSecondWriter(file, ask) {
  const second = startChild('second-writer', { file });
  second.stderr.pipe(process.stderr);
  const ended = once(second, 'close');
  await Promise.race([
    once(second.stdout, 'data'),
    ended.then(() => {
      throw new Error('the second writer could not start');
    }),
  ]);
  const answer = await ask();
  second.stdin.end();
  await ended;
  return answer;
}
