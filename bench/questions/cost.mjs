// What does a whole session cost under a cut, if the agent gets back what it needs of what was cut?
import { randomFrom } from '../inputs.mjs';
import { CORPORA } from '../labelled.mjs';
import { hasSessions, replayedCosts } from '../replay.mjs';
import { whole } from '../report.mjs';
import { CAN_FETCH, RULES } from '../rules.mjs';

export const question = 'What do tool results cost until the end of a session, fetches and reruns included?';

export const notes = [
  'Recorded sessions of agents, replayed: where a cut hides something that the agent used later, a scripted agent gets it back with the given chance. Where the cut names a place it fetches one page (8,000 chars and the call); otherwise it runs the call again and reads the whole result.',
  'Cost is in tokens (four chars) of fresh input: a result is written to the prompt cache once (1.25) and read from it on every later turn (0.1). Percent of what the whole results cost; in brackets the 95 % interval (bootstrap over sessions).',
  'Without Enough: the default goes on until its room is full. rtk and tokf are their rules for a command without a filter of its own (bench/rules.mjs says of which version); what is not the output of a command passes whole. Filters and agents have no limit to set.',
  'Used later is not all that was needed, and differences under 3 points are noise.',
];

const FIXED = ['rtk', 'tokf'];
const AGENTS = ['claude-code', 'codex', 'gemini', 'copilot', 'pi-agent'];
const WRITE = 1.25;
const READ = 0.1;
const PAGE_CHARS = 8_000;
const CALL_CHARS = 400;
const CHANCES = [0, 0.25, 0.5, 0.75, 1];
const RERUNS = [0, 0.1, 0.25, 0.5, 1];
const WITHOUT_ENOUGH = 'without-enough';

export async function run({ smoke }) {
  if (!hasSessions())
    return [
      { title: `skipped: no sessions in SPILLWAY_CORPORA or ${CORPORA}`, columns: [['', 'none']], rows: [] },
    ];
  const budgets = smoke ? [4_000] : [4_000, 8_000, 16_000];
  const fixed = [...FIXED, ...AGENTS];
  const plain = Object.keys(RULES).filter((name) => !fixed.includes(name) && name !== 'nothing');
  const measured = await replayedCosts(['default', ...plain, ...fixed], budgets, { smoke });
  const full = await replayedCosts(['default'], budgets, { smoke, withoutEnough: true });
  const rows = [...measured, ...full.map((row) => ({ ...row, method: WITHOUT_ENOUGH }))];
  const wanted = [
    ...budgets.flatMap((budget) =>
      ['default', WITHOUT_ENOUGH, ...plain].map((method) => ({ method, budget })),
    ),
    ...fixed.map((method) => ({ method, budget: budgets[0] })),
  ];
  const middle = budgets.at(budgets.length >> 1);
  return [
    {
      title: 'cost of a session, percent of showing everything, by the chance that the agent asks',
      columns: [
        ['', 'name'],
        ...CHANCES.map((chance) => [`${100 * chance} %`, `at ${chance}`, interval]),
        ['asked for', 'asked', whole],
        ['chars of a session', 'chars', whole],
      ],
      rows: wanted.map(({ method, budget }) => rowOf(method, budget, rows, smoke)),
    },
    {
      title: `the default at ${whole(middle)}: by the chance of a fetch and of a rerun although a page is offered`,
      columns: [
        ['a fetch', 'name'],
        ...RERUNS.map((chance) => [`a rerun, ${100 * chance} %`, `at ${chance}`, interval]),
      ],
      rows: CHANCES.map((fetch) => {
        const own = rows.filter(({ method, budget }) => method === 'default' && budget === middle);
        const cells = RERUNS.map((rerun) => [
          `at ${rerun}`,
          share(own, (row) => costOf(row, 'default', fetch) + rerunCost(row, rerun), smoke ? 20 : 1_000),
        ]);
        return { name: `${100 * fetch} %`, ...Object.fromEntries(cells) };
      }),
    },
  ];
}

function rowOf(method, budget, all, smoke) {
  const rows = all.filter((row) => row.method === method && row.budget === budget);
  const samples = smoke ? 20 : 1_000;
  const chances = CHANCES.map((chance) => [
    `at ${chance}`,
    share(rows, (row) => costOf(row, method, chance), samples),
  ]);
  return {
    name: nameOf(method, budget),
    ...Object.fromEntries(chances),
    asked: rows.reduce((sum, { lost }) => sum + lost.length, 0),
    chars: rows.reduce((sum, { once }) => sum + once, 0) / Math.max(1, rows.length),
  };
}

function nameOf(method, budget) {
  if (AGENTS.includes(method)) return `${method}'s own rule`;
  if (FIXED.includes(method)) return `${method} err (rule)`;
  const ours = { default: 'spillway default', [WITHOUT_ENOUGH]: 'spillway default, without Enough' };
  return `${ours[method] ?? `plain ${method}`}, ${whole(budget)}`;
}

/** The share of all sessions together, and the interval over samples of sessions. */
function share(rows, of, samples) {
  const costs = rows.map((row) => [of(row), cost(row.whole, row.wholeResent)]);
  const ratio = (some) => sum(some, 0) / sum(some, 1);
  const random = randomFrom(1);
  const drawn = Array.from({ length: samples }, () =>
    ratio(costs.map(() => costs[Math.floor(random() * costs.length)])),
  ).sort((a, b) => a - b);
  return [ratio(costs), drawn[Math.floor(samples * 0.025)], drawn[Math.floor(samples * 0.975)]];
}

function costOf({ once, resent, lost }, method, chance) {
  const canFetch = CAN_FETCH.has(method) || method === WITHOUT_ENOUGH;
  return cost(once, resent) + askedCost(lost, chance, canFetch ? PAGE_CHARS : Number.POSITIVE_INFINITY);
}

/** An agent that runs the call again, and reads all of it, although it could fetch a page. */
function rerunCost({ lost }, chance) {
  return askedCost(lost, chance, Number.POSITIVE_INFINITY);
}

function askedCost(lost, chance, most) {
  const again = lost.map(({ chars, turnsLeft }) => {
    const read = Math.min(chars, most) + CALL_CHARS;
    return cost(read, read * turnsLeft);
  });
  return chance * again.reduce((all, one) => all + one, 0);
}

/** `resent` counts the first turn as well. */
function cost(once, resent) {
  return (WRITE * once + READ * (resent - once)) / 4;
}

function sum(rows, column) {
  return rows.reduce((all, row) => all + row[column], 0);
}

/** `66.9 (61.0–72.1)`. */
function interval([value, low, high]) {
  const percent = (one) => (100 * one).toFixed(1);
  return `${percent(value)} (${percent(low)}–${percent(high)})`;
}
