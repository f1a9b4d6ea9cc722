// What do people use instead, and what does a model see of the same outputs then?
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { logLines, quietLines } from '../inputs.mjs';
import { CORPORA, keepsAll, manifest } from '../labelled.mjs';
import { contenders } from '../peers/all.mjs';
import { inTurns } from '../repeat.mjs';
import { hasSessions, replayed } from '../replay.mjs';
import { times, whole } from '../report.mjs';

export const question = 'What do people use instead, and what does a model see of the same outputs then?';

export const notes = [
  'Failing outputs: kept means that every string which a reader must see is there, within the budget. Fresh: outputs of tools that nobody tuned on. Used later: of what agents in recorded sessions used later, the share that is shown at 8,000 chars.',
  'JSON: documents over 8,000 chars that still parse after the cut. Whole output back: read again through the contender and compared with the original.',
  'context-mode has no budget to set and is asked about "errors failures exceptions"; of what it indexed only sections come back. deepagents shows the first and the last five lines, whatever the budget. context-chef gets 250 chars of the budget for its notice.',
  'Rule: not run, but cut as its documentation says. Claude Code gives a failed command a head-and-tail excerpt and keeps no file of it. ToolPipe, on PyPI only, shows the beginning of a text. rtk and tokf are programs in Rust with filters for commands that they know; here stand their rules for any other command (bench/rules.mjs). Headroom is missing: its npm package 0.37.0 is a client of a Python proxy, which npm does not install.',
];

const BUDGETS = [4_000, 8_000, 16_000];
const MIDDLE = 8_000;

export async function run({ smoke }) {
  const { failing, fresh, documents, what } = outputs(smoke);
  const facts = !smoke && hasSessions() ? await factsShown() : {};
  const rows = [];
  for (const contender of contenders)
    rows.push({
      ...(await measured(contender, { failing, fresh, documents })),
      facts: facts[contender.facts],
    });
  const speed = await timesOf(smoke);
  return [
    {
      title: `${failing.length} ${what}, ${documents.length} JSON documents`,
      columns: [
        ['', 'name'],
        ...BUDGETS.map((budget) => [`kept at ${whole(budget)}`, budget, percent]),
        [`${fresh.length} fresh ones, 8,000`, 'fresh', percent],
        ['used later', 'facts', percent],
        ['chars shown at 8,000', 'shown', whole],
        ['within budget', 'over', (over) => (over === 0 ? 'yes' : `no, ${over} over`)],
        ['JSON still parses', 'parses'],
        ['whole output back', 'back'],
        ['time, 100 KB ÷ hashing it', 'time', times],
      ],
      rows: rows.map((row) => ({ ...row, time: speed.get(row.name) })),
    },
  ];
}

/** The labelled outputs, or a few made here where the corpora are missing. */
function outputs(smoke) {
  if (!existsSync(join(CORPORA, 'failures.jsonl')))
    return {
      failing: madeFailures(),
      fresh: [],
      documents: [madeDocument(400)],
      what: 'made logs (no corpora)',
    };
  const some = (list, every) => list.filter((_, i) => !smoke || i % every === 0);
  const documents = manifest('structured.jsonl').filter(
    ({ kind, valid, text }) => kind === 'json' && valid === true && text.length > MIDDLE && parses(text),
  );
  return {
    failing: some(manifest('failures.jsonl'), 60),
    fresh: some(manifest('fresh/fresh.jsonl'), 20),
    documents: some(documents, 10).map(({ text }) => text),
    what: 'failing builds, tests and crashes',
  };
}

/** A failure at the beginning, in the middle and at the end of a quiet log. */
function madeFailures() {
  const lines = quietLines(60_000).split('\n');
  return [0.02, 0.5, 0.98].map((share) => {
    const gold = ['AssertionError: expected 168.3 to equal 0', '    at prices.test.js:41:7'];
    return { text: lines.toSpliced(Math.floor(lines.length * share), 0, ...gold).join('\n'), gold };
  });
}

function madeDocument(items) {
  return JSON.stringify(Array.from({ length: items }, (_, id) => ({ id, name: `order ${id}`, open: true })));
}

async function measured({ name, rule, fixed, documented, open }, { failing, fresh, documents }) {
  const contender = await open();
  const row = { name: rule ? `${name} (rule)` : name, over: 0, shown: 0 };
  let returned = 0;
  let readable = 0;
  for (const { text, gold } of failing) {
    let answer;
    for (const budget of BUDGETS) {
      // What has no budget answers the same for all of them.
      if (!fixed || answer === undefined) answer = await contender.cut(text, budget);
      const within = answer.text.length <= budget;
      row.over += within ? 0 : 1;
      row[budget] = (row[budget] ?? 0) + (within && keepsAll(answer.text, gold) ? 1 / failing.length : 0);
      if (budget === MIDDLE) row.shown += answer.text.length / failing.length;
    }
    readable += answer.back === undefined ? 0 : 1;
    returned += (await answer.back?.()) === text ? 1 : 0;
  }
  if (fresh.length > 0) row.fresh = 0;
  for (const { text, gold } of fresh) {
    const answer = await contender.cut(text, MIDDLE);
    row.fresh += answer.text.length <= MIDDLE && keepsAll(answer.text, gold) ? 1 / fresh.length : 0;
  }
  let valid = 0;
  for (const text of documents) valid += parses((await contender.cut(text, MIDDLE)).text) ? 1 : 0;
  contender.close();
  const back = readable === 0 ? 'no' : `${returned} of ${failing.length}`;
  return { ...row, parses: `${valid} of ${documents.length}`, back, ...documented };
}

async function factsShown() {
  const methods = ['default', 'context-chef', 'pi'];
  const { [MIDDLE]: table } = await replayed(methods, [MIDDLE], { smoke: false });
  return Object.fromEntries(
    [...methods, 'head', 'tail', 'headtail'].map((method) => [method, table[method].micro[0]]),
  );
}

/** Of those that run here, as their callers wait for them: the best of all rounds. */
async function timesOf(smoke) {
  const text = logLines(100_000);
  const running = contenders.filter(({ rule }) => !rule);
  const opened = await Promise.all(running.map(({ open }) => open()));
  const hashing = {
    name: 'hashing',
    run: () => createHash('sha256').update(Buffer.from(text)).digest('hex'),
  };
  const cutting = running.map(({ name }, i) => ({ name, run: () => opened[i].cut(text, MIDDLE) }));
  const taken = await inTurns([hashing, ...cutting], { rounds: smoke ? 2 : 61, warmUp: 2, tidy: !smoke });
  for (const { close } of opened) close();
  return new Map(taken.map(({ name, ms }) => [name, ms.min / taken[0].ms.min]));
}

function parses(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
