// Asks the questions in questions/, one after another, and prints what came out as markdown tables.
//   node bench/run.mjs [--smoke] [--only NAME]... [--json FILE]
// `--smoke` asks everything in seconds, with small inputs and few repetitions: it shows that the
// benchmarks run, not how fast we are. Nothing here fails because something was slow.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { machine } from './machine.mjs';
import { markdown } from './report.mjs';

const NAMES = [
  'comparison',
  'cutting',
  'limit',
  'results',
  'growth',
  'storing',
  'event-loop',
  'memory',
  'streams',
  'structured',
  'salience',
  'folds',
  'used-later',
  'cost',
  'history',
  'sessions',
  'shared',
  'gateway',
  'adapters',
  'start-up',
  'discover',
  'inspector',
];

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    json: { type: 'string' },
  },
});
const names = values.only ?? NAMES;
const unknown = names.find((name) => !NAMES.includes(name));
if (unknown !== undefined) {
  console.error(`There is no question ${unknown}. Known: ${NAMES.join(', ')}.`);
  process.exit(2);
}

console.log(`${machine.line}${values.smoke ? ' Smoke run: the figures mean nothing.' : ''}\n`);
const answers = [];
for (const name of names) {
  const { question, notes = [], run } = await import(`./questions/${name}.mjs`);
  console.log(`## ${name}\n\n${question}\n`);
  for (const note of notes) console.log(`- ${note}`);
  const startedAt = performance.now();
  const tables = await run({ smoke: values.smoke });
  for (const table of tables) console.log(`\n${markdown(table)}`);
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`\n(${seconds.toFixed(1)} s)\n`);
  answers.push({ name, question, seconds, tables: tables.map(({ title, rows }) => ({ title, rows })) });
}
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ machine, smoke: values.smoke, answers }, null, 2)}\n`);
