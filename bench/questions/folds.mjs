// How much of the default's score on labelled outputs is tuning? Numbers of the summary are chosen
// on all sources but one and scored on that one, for each source in turn; what is pooled over these
// sources is the figure to quote.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CORPORA } from '../labelled.mjs';
import { whole } from '../report.mjs';

export const question = 'What does the default keep on sources that its numbers were not chosen on?';

export const notes = [
  'Each source is left out in turn. On the others the best of the standard numbers and a table of changed ones is chosen; it is scored on the source that was left out.',
  'Cross-validated: pooled over the sources left out. Chosen on all: the best table on everything, which flatters. In brackets: the 95 % interval, bootstrap over sources and outputs.',
];

/**
 * Numbers that were chosen by looking at scores, each with other values. `from` is the text of the
 * built file.
 */
const CHANGES = [
  ['REPEATED = 0.35', 'REPEATED = 0.5'],
  ['SAME_KIND = 0.5', 'SAME_KIND = 0.25'],
  ['inSection: 0.965, else: 0.93', 'inSection: 0.95, else: 0.9'],
  ['inSection: 0.965, else: 0.93', 'inSection: 0.98, else: 0.95'],
  ['const LAST = 4', 'const LAST = 5'],
  ['const BAD_END = 4', 'const BAD_END = 5'],
].map(([from, to]) => ({ file: 'failure-scores.js', from, to }));

/**
 * Files, what they hold, and what is left out together: a collection, or the outputs of one tool.
 */
const SETS = [
  ['failures.jsonl', 'failing builds, tests and crashes', ({ source }) => source],
  ['fresh/fresh.jsonl', 'tools that nobody tuned on', ({ id }) => id.split('/')[0]],
];
const ROUNDS = 2_000;
/** A source with fewer outputs has no line of its own. */
const LARGE = 5;

export async function run({ smoke }) {
  const sets = SETS.filter(([file]) => existsSync(join(CORPORA, file)));
  if (sets.length === 0)
    return [
      { title: `skipped: no corpora at SPILLWAY_CORPORA or ${CORPORA}`, columns: [['', 'none']], rows: [] },
    ];
  const budgets = smoke ? [8_000] : [4_000, 8_000, 16_000];
  const asked = { manifests: sets.map(([file]) => file), budgets, every: smoke ? 20 : 1 };
  const variants = [];
  for (const change of [null, ...(smoke ? CHANGES.slice(0, 1) : CHANGES)])
    variants.push({ name: change?.to ?? 'standard', rows: await scored({ ...asked, change }) });
  return sets.flatMap(([file, what, sourceOf]) =>
    tablesOf(
      variants.map((variant) => only(variant, file, sourceOf)),
      budgets,
      what,
    ),
  );
}

/**
 * One line for each output and budget, from a process of its own: constants are changed as modules
 * are loaded.
 */
async function scored(asked) {
  const child = fileURLToPath(new URL('../children/score-variant.mjs', import.meta.url));
  const { stdout, code } = await new Promise((done, fail) => {
    const started = spawn(process.execPath, [child, JSON.stringify(asked)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // The files of the build, not the bundle that is published: one of them is changed.
      env: { SPILLWAY_BENCH_OF: fileURLToPath(new URL('../..', import.meta.url)), ...process.env },
    });
    let text = '';
    started.stdout.on('data', (chunk) => {
      text += chunk;
    });
    started.on('error', fail).on('close', (end) => done({ stdout: text, code: end }));
  });
  if (code !== 0) throw new Error(`score-variant.mjs ended with ${code}`);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function only({ name, rows }, file, sourceOf) {
  const own = rows.filter(({ manifest }) => manifest === file);
  return { name, rows: own.map((row) => ({ ...row, source: sourceOf(row) })) };
}

function tablesOf(variants, budgets, what) {
  const [standard] = variants;
  const sources = [...new Set(standard.rows.map(({ source }) => source))];
  const left = sources.map((source) => ({
    source,
    chosen: best(variants, (row) => row.source !== source),
  }));
  const heldOut = left.flatMap(({ source, chosen }) => chosen.rows.filter((row) => row.source === source));
  const isLarge = ({ source }) =>
    standard.rows.filter((row) => row.source === source).length >= LARGE * budgets.length;
  const tuned = best(variants, () => true);
  const columns = budgets.map((budget) => [whole(budget), budget, interval]);
  const rowOf = (name, rows) => ({
    name,
    ...Object.fromEntries(budgets.map((budget) => [budget, rows.filter((row) => row.budget === budget)])),
  });
  return [
    {
      title: `${what}: everything a reader must see is kept`,
      columns: [['', 'name'], ...columns],
      rows: [
        rowOf('cross-validated over sources', heldOut),
        rowOf('standard numbers', standard.rows),
        rowOf(`chosen on all (${tuned.name})`, tuned.rows),
        rowOf(
          'worst of the table',
          variants.reduce((a, b) => (keptOf(b.rows) < keptOf(a.rows) ? b : a)).rows,
        ),
      ],
    },
    {
      title: `${what}: each source when it was left out`,
      columns: [['', 'name'], ...columns, ['chosen on the others', 'chosen']],
      rows: left.filter(isLarge).map(({ source, chosen }) => ({
        ...rowOf(
          source,
          chosen.rows.filter((row) => row.source === source),
        ),
        chosen: chosen.name,
      })),
    },
  ];
}

/** The variant that keeps most in some rows; of equal ones the first, which is the standard. */
function best(variants, among) {
  const kept = ({ rows }) => keptOf(rows.filter(among));
  return variants.reduce((a, b) => (kept(b) > kept(a) ? b : a));
}

function keptOf(rows) {
  return rows.filter(({ kept }) => kept).length;
}

/** `94.9 % (90.1–97.2)`: sources are drawn with replacement, then outputs within each. */
function interval(rows) {
  if (rows.length === 0) return '–';
  const groups = [...Map.groupBy(rows, ({ source }) => source).values()];
  const random = seeded(1);
  const draw = (list) => list[Math.floor(random() * list.length)];
  const shares = Array.from({ length: ROUNDS }, () => {
    const drawn = groups.flatMap(() => {
      const group = draw(groups);
      return group.map(() => draw(group));
    });
    return keptOf(drawn) / drawn.length;
  }).sort((a, b) => a - b);
  const percent = (value) => (100 * value).toFixed(1);
  const [low, high] = [shares[Math.floor(ROUNDS * 0.025)], shares[Math.ceil(ROUNDS * 0.975) - 1]];
  return `${percent(keptOf(rows) / rows.length)} % (${percent(low)}–${percent(high)})`;
}

/** Mulberry32: the same intervals in every run. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
