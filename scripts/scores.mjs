// What a built checkout keeps of labelled outputs, in one table: failing builds and tests
// (failures), tools that nobody tuned on (fresh), what agents used later and the text that their
// edits had to repeat (sessions), and what a reader needs of successful commands (everyday). The
// corpora lie beside the checkout (SPILLWAY_CORPORA).
//   node scripts/scores.mjs [--of DIR] [--limit 4000,8000,16000] [--set failures,fresh,sessions,everyday]
//                           [--texts-only] [--json] [--list FILE]
// `--of` names another built checkout; `--texts-only` leaves out JSON and XML; `--list` writes what
// is lost of which item at which limit, one line each and sorted, so that `diff` compares two
// checkouts. A cell is the share kept in percent and, behind it, the number of items.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CORPORA, isDocument, manifest } from '../bench/labelled.mjs';
import { replayedItems } from '../bench/replay.mjs';
import { scratchFolder } from '../bench/scratch.mjs';
import { root, useDevelopmentNode } from './toolchain.mjs';

const node = useDevelopmentNode();
if (node !== process.execPath)
  process.exit(spawnSync(node, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1);

/**
 * The longest first. Each gives its items: { set, id, group, limit, document, of, kept, chars, lost,
 * over }; `kept` of `of` are still shown, `lost` names the others, `chars` is what is shown.
 */
const SETS = {
  failures: (limits) => labelled('failures', 'failures.jsonl', limits),
  sessions,
  everyday,
  fresh: (limits) => labelled('fresh', 'fresh/fresh.jsonl', limits),
};
const PROCESSES = 2;

const { values } = parseArgs({
  options: {
    of: { type: 'string', default: root },
    limit: { type: 'string', default: '4000,8000,16000' },
    set: { type: 'string', default: Object.keys(SETS).join(',') },
    'texts-only': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    list: { type: 'string' },
  },
});
const limits = values.limit.split(',').map(Number);
const asked = values.set.split(',');
const unknown = asked.find((name) => SETS[name] === undefined);
if (unknown !== undefined) throw new Error(`--set takes ${Object.keys(SETS).join(', ')}; not ${unknown}.`);
if (!existsSync(join(CORPORA, 'failures.jsonl')))
  throw new Error(`There are no corpora at ${CORPORA}; name their folder in SPILLWAY_CORPORA.`);
// Read by bench/core.mjs, in every process that projects.
process.env.SPILLWAY_BENCH_OF = resolve(values.of);

const items = (await measured(Object.keys(SETS).filter((name) => asked.includes(name)))).filter(
  ({ document }) => !(values['texts-only'] && document),
);
const rows = rowsOf(items);
if (values.list !== undefined) writeFileSync(values.list, lossesIn(items));
console.log(values.json ? JSON.stringify({ of: resolve(values.of), limits, rows }, null, 1) : tableOf(rows));

async function measured(names) {
  const waiting = [...names];
  const all = [];
  const lane = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      all.push(...(await SETS[name](limits)));
  };
  await Promise.all(Array.from({ length: PROCESSES }, lane));
  return all;
}

async function labelled(set, file, budgets) {
  const child = fileURLToPath(new URL('../bench/children/score-variant.mjs', import.meta.url));
  const question = JSON.stringify({ change: null, manifests: [file], budgets, every: 1 });
  const lines = (await printed([child, question])).split('\n').filter(Boolean);
  return lines
    .map((line) => JSON.parse(line))
    .map(({ source, budget, kept, ...item }) => ({
      ...item,
      set,
      group: source,
      limit: budget,
      of: 1,
      kept: kept ? 1 : 0,
    }));
}

async function sessions(budgets) {
  const outputs = await replayedItems(budgets);
  return outputs.flatMap(({ facts, lostFacts, edits, lostEdits, kind, budget, ...item }) => {
    const shared = { ...item, group: kind, limit: budget, over: item.chars > budget };
    return [
      { ...shared, set: 'used later', of: facts, kept: facts - lostFacts.length, lost: lostFacts },
      { ...shared, set: 'edit anchors', of: edits, kept: edits - lostEdits.length, lost: lostEdits },
    ].filter(({ of }) => of > 0);
  });
}

async function everyday(budgets) {
  const json = join(scratchFolder(), 'everyday.json');
  const projector = fileURLToPath(new URL('../bench/children/everyday-projector.mjs', import.meta.url));
  const scorer = join(CORPORA, 'everyday/score.mjs');
  await printed([scorer, '--module', projector, '--budgets', budgets.join(','), '--json', json]);
  const documents = new Set(
    manifest('everyday/everyday-dev.jsonl')
      .filter(({ text }) => isDocument(text))
      .map(({ id }) => id),
  );
  return JSON.parse(readFileSync(json, 'utf8')).map(({ id, kind, budget, score, missed, ...item }) => ({
    ...item,
    set: 'everyday',
    id,
    group: kind,
    limit: budget,
    document: documents.has(id),
    of: 1,
    kept: score,
    lost: missed,
  }));
}

async function printed(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise((done, fail) => child.on('error', fail).on('close', done));
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}.`);
  return Buffer.concat(chunks).toString();
}

/** { set, name, unit, [limit]: { value, items } }; a set, parts of it, then its groups. */
function rowsOf(all) {
  const sets = ['failures', 'fresh', 'used later', 'edit anchors', 'everyday'];
  return sets.flatMap((set) => {
    const own = all.filter((item) => item.set === set);
    const groups = [...new Set(own.map(({ group }) => group))].sort();
    const parts = [
      ['all', 'percent', own],
      ['hard', 'percent', own.filter(({ hard }) => hard)],
      ['without JSON and XML', 'percent', own.filter(({ document }) => !document)],
      ['hard, without JSON and XML', 'percent', own.filter(({ hard, document }) => hard && !document)],
      ['all needs met', 'percent', meanOf('strict', own)],
      ['economy', 'ratio', meanOf('economy', own)],
      ['chars shown', 'chars', meanOf('chars', own)],
      ['over the limit', 'items', own.filter(({ over }) => over)],
      ...groups.map((group) => [group, 'percent', own.filter((item) => item.group === group)]),
    ];
    return parts
      .filter(([, unit, part]) => part.length > 0 || (unit === 'items' && own.length > 0))
      .map(([name, unit, part]) => ({
        set,
        name,
        unit,
        ...Object.fromEntries(
          limits.map((limit) => [limit, figure(part.filter((item) => item.limit === limit))]),
        ),
      }));
  });
}

/** Another figure of items that have it, as if it were what is kept. */
function meanOf(key, part) {
  return part.filter((item) => item[key] !== undefined).map((item) => ({ ...item, of: 1, kept: item[key] }));
}

function figure(part) {
  const sum = (key) => part.reduce((total, item) => total + item[key], 0);
  return { value: part.length === 0 ? null : sum('kept') / sum('of'), items: part.length };
}

function tableOf(all) {
  const spelled = {
    percent: ({ value, items }) =>
      `${value === null ? '–' : (100 * value).toFixed(1)} ${`(${items})`.padStart(5)}`,
    ratio: ({ value }) => value?.toFixed(2) ?? '–',
    chars: ({ value }) => Math.round(value).toLocaleString('en-US'),
    items: ({ items }) => String(items),
  };
  const lines = all.map(({ set, name, unit, ...row }) => [
    name === 'all' ? set : `  ${name}`,
    ...limits.map((limit) => spelled[unit](row[limit])),
  ]);
  return [['', ...limits.map((limit) => limit.toLocaleString('en-US'))], ...lines]
    .map(([name, ...cells]) => name.padEnd(30) + cells.map((cell) => cell.padStart(15)).join(''))
    .join('\n');
}

function lossesIn(all) {
  const lines = all.flatMap(({ set, limit, id, lost }) =>
    lost.map((one) => `${set}\t${limit}\t${id}\t${JSON.stringify(one)}\n`),
  );
  return lines.sort().join('');
}
