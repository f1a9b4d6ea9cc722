// Of what an agent used later, how much does a projection of the output still show?
import { CORPORA } from '../labelled.mjs';
import { hasSessions, replayed } from '../replay.mjs';
import { whole } from '../report.mjs';

export const question = 'Of what an agent used later, how much does a projection still show?';

export const notes = [
  'Recorded sessions of agents. A fact is a path, name, quoted text or number that stood in an output for the first time and that the agent wrote within 15 steps.',
  'Shown: the share of these facts that are still there. In brackets: the 95 % interval (bootstrap over sessions). Notice and markers are inside the budget; the plain cuts pay no notice.',
  'The host tells what it knows of the call: the tool and its input, the task, what user and agent said last. Edit anchors: text that a later edit had to repeat exactly.',
];

const OURS = ['default', 'reading', 'smart_summary', 'element', 'head_tail'];
const PEERS = ['context-chef', 'pi'];
const PLAIN = ['head', 'tail', 'headtail'];
const NAMES = {
  headtail: 'plain head 60 + tail 40',
  head: 'plain head',
  tail: 'plain tail',
  pi: 'pi truncateTail',
  'context-chef': 'context-chef Offloader',
};

export async function run({ smoke }) {
  if (!hasSessions())
    return [
      { title: `skipped: no sessions in SPILLWAY_CORPORA or ${CORPORA}`, columns: [['', 'none']], rows: [] },
    ];
  const methods = smoke ? ['default'] : [...OURS, ...PEERS];
  const budgets = smoke ? [4_000] : [4_000, 8_000, 16_000];
  const tables = await replayed(methods, budgets, { smoke });
  const names = [...methods, ...PLAIN];
  return [
    shownTable(tables, names, budgets),
    ...['kind', 'source'].map((group) => groupTable(tables[budgets[0]], group, budgets[0])),
  ];
}

function shownTable(tables, names, budgets) {
  return {
    title: 'facts that are still shown',
    columns: [
      ['', 'name'],
      ...budgets.flatMap((budget) => [
        [whole(budget), budget, interval],
        [`${whole(budget)}: anchors`, `anchors ${budget}`, interval],
      ]),
    ],
    rows: names.map((name) => ({
      name: NAMES[name] ?? `spillway ${name}`,
      ...Object.fromEntries(
        budgets.flatMap((budget) => [
          [budget, tables[budget][name].micro],
          [`anchors ${budget}`, tables[budget].edits[name]],
        ]),
      ),
    })),
  };
}

function groupTable(table, group, budget) {
  const groups = Object.entries(table[`by_${group}`] ?? {});
  return {
    title: `by ${group}, at ${whole(budget)}`,
    columns: [
      ['', 'name'],
      ['outputs', 'outputs', whole],
      ['spillway default', 'ours', interval],
      [NAMES.headtail, 'plain', interval],
    ],
    rows: groups.map(([name, { outputs, default: ours, headtail: plain }]) => ({
      name,
      outputs,
      ours,
      plain,
    })),
  };
}

/** `66.9 % (61.0–72.1)`. */
function interval([share, low, high]) {
  const percent = (value) => (value === null || Number.isNaN(value) ? '–' : (100 * value).toFixed(1));
  if (share === null) return '–';
  return `${percent(share)} % (${percent(low)}–${percent(high)})`;
}
