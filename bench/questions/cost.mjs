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
  'Used later is not all that was needed, and differences under 3 points are noise. Agents have limits of their own, whatever the budget says.',
];

const AGENTS = ['claude-code', 'codex', 'gemini', 'copilot', 'pi-agent'];
const WRITE = 1.25;
const READ = 0.1;
const PAGE_CHARS = 8_000;
const CALL_CHARS = 400;
const CHANCES = [0, 0.25, 0.5, 1];

export async function run({ smoke }) {
  if (!hasSessions())
    return [
      { title: `skipped: no sessions in SPILLWAY_CORPORA or ${CORPORA}`, columns: [['', 'none']], rows: [] },
    ];
  const budgets = smoke ? [4_000] : [4_000, 8_000, 16_000];
  const plain = Object.keys(RULES).filter((name) => !AGENTS.includes(name) && name !== 'nothing');
  const rows = await replayedCosts(['default', ...plain, ...AGENTS], budgets, { smoke });
  const wanted = [
    ...budgets.flatMap((budget) => ['default', ...plain].map((method) => ({ method, budget }))),
    ...AGENTS.map((method) => ({ method, budget: budgets[0] })),
  ];
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
  ];
}

function rowOf(method, budget, all, smoke) {
  const rows = all.filter((row) => row.method === method && row.budget === budget);
  const chances = CHANCES.map((chance) => [`at ${chance}`, share(rows, method, chance, smoke ? 20 : 1_000)]);
  return {
    name: AGENTS.includes(method)
      ? `${method}'s own rule`
      : `${method === 'default' ? 'spillway default' : `plain ${method}`}, ${whole(budget)}`,
    ...Object.fromEntries(chances),
    asked: rows.reduce((sum, { lost }) => sum + lost.length, 0),
    chars: rows.reduce((sum, { once }) => sum + once, 0) / Math.max(1, rows.length),
  };
}

/** The share of all sessions together, and the interval over samples of sessions. */
function share(rows, method, chance, samples) {
  const costs = rows.map((row) => [costOf(row, method, chance), cost(row.whole, row.wholeResent)]);
  const ratio = (some) => sum(some, 0) / sum(some, 1);
  const random = randomFrom(1);
  const drawn = Array.from({ length: samples }, () =>
    ratio(costs.map(() => costs[Math.floor(random() * costs.length)])),
  ).sort((a, b) => a - b);
  return [ratio(costs), drawn[Math.floor(samples * 0.025)], drawn[Math.floor(samples * 0.975)]];
}

function costOf({ once, resent, lost }, method, chance) {
  const again = lost.map(({ chars, turnsLeft }) => {
    const read = CAN_FETCH.has(method) ? Math.min(chars, PAGE_CHARS) + CALL_CHARS : chars + CALL_CHARS;
    return cost(read, read * turnsLeft);
  });
  return cost(once, resent) + chance * again.reduce((all, one) => all + one, 0);
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
