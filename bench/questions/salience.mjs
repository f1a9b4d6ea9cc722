// Is the cause of a failure still there after cutting; does a passing log raise false alarms; what
// does looking for it cost?
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { memoryStore, Spillway } from '@spillway/core';
import { logLines, quietLines } from '../inputs.mjs';
import { CORPORA, isHard, keepsAll, manifest } from '../labelled.mjs';
import { chefInMemory } from '../peers/context-chef.mjs';
import { piTail } from '../peers/pi.mjs';
import { inTurns } from '../repeat.mjs';
import { digits, spread, times, whole } from '../report.mjs';

export const question = 'Does the cause of a failure survive the cut, and what does looking for it cost?';

export const notes = [
  'Failing builds, test runs and crashes that nobody here wrote, each with the strings a reader must see. Kept means: all of them are there.',
  'Notice, card and statistics are inside the budget. In brackets: the 95 % interval (Wilson). Hard: no cut by position keeps all of it.',
  'Passing logs: chars shown outside of the beginning and the end, as a share of the budget.',
  'grep is `grep -ciE` with six words over the same text, its start included.',
];

const WORDS = 'error|fail|exception|fatal|panic|warning';

export async function run({ smoke }) {
  const tables = existsSync(join(CORPORA, 'failures.jsonl'))
    ? [
        ...(await keptTables(smoke, 'failures.jsonl', 'failing builds, tests and crashes')),
        ...(await keptTables(smoke, 'fresh/fresh.jsonl', 'tools that nobody tuned on')),
        await alarmTable(),
      ]
    : [{ title: `skipped: no corpora at SPILLWAY_CORPORA or ${CORPORA}`, columns: [['', 'none']], rows: [] }];
  const size = smoke ? 1_000_000 : 30_000_000;
  return [
    ...tables,
    await costTable('a log of which a third of the lines are errors or warnings', logLines(size), smoke),
    await costTable('the same log without them', quietLines(size), smoke),
  ];
}

async function keptTables(smoke, file, what) {
  if (!existsSync(join(CORPORA, file))) return [];
  const every = smoke ? 20 : 1;
  const budgets = smoke ? [8_000] : [4_000, 8_000, 16_000];
  const items = manifest(file).filter((_, i) => i % every === 0);
  const rows = [];
  const bySource = new Map();
  for (const { name, cut } of cutters()) {
    const row = { name };
    let hardKept = 0;
    let hardItems = 0;
    for (const budget of budgets) {
      let kept = 0;
      let over = 0;
      for (const item of items) {
        const text = await cut(item.text, budget);
        if (text.length > budget) over++;
        const all = text.length <= budget && keepsAll(text, item.gold);
        if (all) kept++;
        if (budget === 8_000 && isHard(item, budget)) {
          hardItems++;
          if (all) hardKept++;
        }
        if (name === 'spillway default') note(bySource, item.source, budget, all);
      }
      row[budget] = { kept, of: items.length };
      row.over = (row.over ?? 0) + over;
    }
    row.hard = { kept: hardKept, of: hardItems };
    rows.push(row);
  }
  const columns = budgets.map((budget) => [whole(budget), budget, share]);
  return [
    {
      title: `everything a reader must see is kept, ${items.length} outputs of ${what}`,
      columns: [['', 'name'], ...columns, ['hard, 8,000', 'hard', share], ['over budget', 'over', whole]],
      rows,
    },
    {
      title: `the default by source, ${what}`,
      columns: [['', 'name'], ...columns],
      rows: [...bySource].map(([name, counts]) => ({ name, ...counts })),
    },
  ];
}

function note(bySource, source, budget, all) {
  const counts = bySource.get(source) ?? {};
  const { kept, of } = counts[budget] ?? { kept: 0, of: 0 };
  bySource.set(source, { ...counts, [budget]: { kept: kept + (all ? 1 : 0), of: of + 1 } });
}

function cutters() {
  const ours = ['auto', 'smart_summary', 'reading', 'element', 'tail', 'head_tail', 'lines', 'head'].map(
    (strategy) => ({
      name: `spillway ${strategy === 'auto' ? 'default' : strategy}`,
      cut: async (text, inlineLimit) => (await projected(text, { strategy, inlineLimit })).text,
    }),
  );
  return [
    ...ours,
    { name: 'context-chef Offloader', cut: (text, budget) => chefInMemory(budget)(text) },
    { name: 'pi truncateTail', cut: (text, budget) => piTail(text, budget) },
    { name: 'plain tail', cut: (text, budget) => text.slice(-budget) },
    {
      name: 'plain head 60 + tail 40',
      cut: (text, budget) => text.slice(0, budget * 0.6) + text.slice(-budget * 0.4),
    },
  ];
}

async function projected(text, policy) {
  const spillway = new Spillway({ store: memoryStore() });
  const call = { tool: 'run', session: 'bench', scope: 'bench' };
  return (await spillway.process(call, { kind: 'text', text }, { policy })).projection;
}

async function alarmTable() {
  const passing = manifest('plain.jsonl').filter(({ kind }) => kind === 'passing CI log');
  const rows = [];
  for (const strategy of ['auto', 'head_tail', 'tail', 'smart_summary']) {
    const shares = [];
    for (const { text } of passing) {
      const { metadata } = await projected(text, { strategy });
      const gaps = metadata.omitted;
      const between = gaps.slice(1).reduce((sum, gap, i) => sum + gap.first_char - gaps[i].last_char - 1, 0);
      shares.push(between / 8_000);
    }
    rows.push({
      name: strategy,
      mean: shares.reduce((a, b) => a + b, 0) / shares.length,
      worst: Math.max(...shares),
    });
  }
  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  return {
    title: `${passing.length} passing logs: kept outside of beginning and end`,
    columns: [
      ['', 'name'],
      ['mean', 'mean', percent],
      ['worst', 'worst', percent],
    ],
    rows,
  };
}

async function costTable(title, text, smoke) {
  const contenders = [
    ['spillway smart_summary', () => projected(text, { strategy: 'smart_summary' })],
    ['spillway head_tail', () => projected(text, { strategy: 'head_tail' })],
    [
      'spillway head_tail, nothing preserved',
      () => projected(text, { strategy: 'head_tail', preserveErrors: false, preserveWarnings: false }),
    ],
    ['grep', () => spawnSync('grep', ['-ciE', WORDS], { input: text, env: { ...process.env, LC_ALL: 'C' } })],
  ].map(([name, run]) => ({ name, run }));
  const measured = await inTurns(contenders, { rounds: smoke ? 1 : 5, warmUp: 1, tidy: !smoke });
  const plain = measured.at(-2).ms.median;
  return {
    title: `${whole(text.length)} chars of ${title}`,
    columns: [
      ['', 'name'],
      ['ms (min–max)', 'ms', spread],
      ['MB/s', 'rate', digits],
      ['time ÷ nothing preserved', 'ratio', times],
    ],
    rows: measured.map(({ name, ms }) => ({
      name,
      ms,
      rate: text.length / 1_000 / ms.median,
      ratio: ms.median / plain,
    })),
  };
}

/** `94.9 % (91.7–96.9)`. */
function share({ kept, of }) {
  if (of === 0) return '–';
  const z = 1.96;
  const p = kept / of;
  const middle = (p + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const half = (z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))) / (1 + (z * z) / of);
  const percent = (value) => (100 * value).toFixed(1);
  return `${percent(p)} % (${percent(middle - half)}–${percent(middle + half)})`;
}
