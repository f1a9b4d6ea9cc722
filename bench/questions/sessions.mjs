// How long does a session wait while many others talk at the same time, and does a large value keep
// everybody waiting?
import { askChild } from '../child.mjs';
import { summary } from '../repeat.mjs';
import { digits, spread, times } from '../report.mjs';
import { discard, scratchFolder } from '../scratch.mjs';

export const question =
  'How long does a step of a session take while 50 sessions talk at the same time, and how long does one large value keep them waiting?';

export const notes = [
  'A turn is a question, a call, a result of 12 KB and a request for a window of 60,000 tokens. All sessions begin at once, so the last one waits for the first 49.',
  'The limit is the same with nothing stored on a disk: sessions in memory.',
  'One large value: an array of 300,000 objects, recorded and projected. `longest pause` is that of the event loop (`monitorEventLoopDelay`); JSON.stringify does the same work in one go.',
];

const STORES = [
  { name: 'limit: memory', store: 'memory' },
  { name: 'sqlite', store: 'sqlite' },
  { name: 'sqlite, own thread', store: 'thread' },
];
const VALUES = [
  { name: 'spillway, memory', store: 'memory' },
  { name: 'spillway, sqlite', store: 'sqlite' },
  { name: 'JSON.stringify, fs.writeFileSync', store: 'stringify' },
];

export async function run({ smoke }) {
  const rounds = smoke ? 1 : 5;
  const amount = smoke
    ? { sessions: 10, turns: 1, elements: 3_000 }
    : { sessions: 50, turns: 6, elements: 300_000 };
  const turns = await asked(STORES, 'turns', rounds, amount);
  const values = await asked(VALUES, 'value', rounds, amount);
  const over = (answers, key) => summary(answers.map((answer) => answer[key]));
  const limit = over(turns[0], 'p99').median;
  return [
    {
      title: `${amount.sessions} sessions, ${amount.turns} turns each`,
      columns: [
        ['', 'name'],
        ['a step, p50, ms', 'p50', digits],
        ['p99, ms (min–max)', 'p99', spread],
        ['p99 ÷ limit', 'ofLimit', times],
        ['all, ms', 'ms', digits],
      ],
      rows: STORES.map(({ name }, i) => ({
        name,
        p50: over(turns[i], 'p50').median,
        p99: over(turns[i], 'p99'),
        ofLimit: over(turns[i], 'p99').median / limit,
        ms: over(turns[i], 'ms').median,
      })),
    },
    {
      title: `one value of ${amount.elements} elements`,
      columns: [
        ['', 'name'],
        ['longest pause, ms (min–max)', 'max', spread],
        ['all, ms', 'ms', digits],
      ],
      rows: VALUES.map(({ name }, i) => ({
        name,
        max: over(values[i], 'max'),
        ms: over(values[i], 'ms').median,
      })),
    },
  ];
}

/** Every contender in turn, each in a process of its own. */
async function asked(contenders, job, rounds, amount) {
  const seen = contenders.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, { store }] of contenders.entries()) {
      const folder = scratchFolder();
      const answer = await askChild('sessions', { job, store, folder, ...amount });
      if (answer.died !== undefined) throw new Error(`${job} ${store}: ${answer.died}`);
      seen[i].push(answer);
      discard(folder);
    }
  return seen;
}
