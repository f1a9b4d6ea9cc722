// Measures detection on texts that nobody here wrote and writes the table of bench/README.md
// (between the marks). Run after a build: node scripts/detection-table.mjs [--misses] [--module
// FILE]; --misses lists what was taken for something else.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { commandTexts } from './detection/commands.mjs';
import { corporaTexts } from './detection/corpora.mjs';
import { fileTexts } from './detection/files.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const moduleAt = process.argv.indexOf('--module');
const built = moduleAt > 0 ? process.argv[moduleAt + 1] : join(root, 'packages/core/dist/detect/detect.js');
const { detect } = await import(pathToFileURL(resolve(built)).href);
const GROUP = ['log', 'test', 'compiler', 'trace'];
const ORDER = [
  'json',
  'ndjson',
  'xml',
  'html',
  'csv',
  'tsv',
  'table',
  'listing',
  'hits',
  'diff',
  'log',
  'test',
  'compiler',
  'trace',
  'code',
  'prose',
  'binary',
  'text',
];

const texts = [...fileTexts(), ...commandTexts(), ...corporaTexts()];
const rows = new Map();
const misses = [];
const started = performance.now();
for (const { kind, bytes, complete, from } of texts) {
  const detected = detect(bytes, { complete }).kind;
  const row = rows.get(kind) ?? new Map();
  row.set(detected, (row.get(detected) ?? 0) + 1);
  rows.set(kind, row);
  if (!isRight(kind, detected)) misses.push(`${kind} → ${detected}\t${from}`);
}
const milliseconds = (performance.now() - started) / texts.length;
if (process.argv.includes('--misses')) console.log(misses.sort().join('\n'));
const page = table();
console.log(page);
console.log(`${milliseconds.toFixed(3)} ms each`);
if (!process.argv.includes('--misses')) writePage(page);

function isRight(kind, detected) {
  if (kind === 'not json') return detected !== 'json' && detected !== 'ndjson';
  return kind === detected || (kind === 'logs' && GROUP.includes(detected));
}

function table() {
  const kinds = [...rows.keys()].sort((a, b) => rank(a) - rank(b));
  const lines = ['| kind | texts | right |', '|---|--:|--:|'];
  for (const kind of kinds) {
    const counts = [...rows.get(kind)];
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    const right = counts.reduce((sum, [taken, count]) => sum + (isRight(kind, taken) ? count : 0), 0);
    lines.push(`| ${kind} | ${total} | ${percent(right, total)} |`);
  }
  return [...lines, '', groupLine()].join('\n');
}

function groupLine() {
  const group = texts.filter(({ kind }) => kind === 'logs' || GROUP.includes(kind)).length;
  const wrong = misses.filter(
    (miss) =>
      /^(?:logs|log|test|compiler|trace) →/.test(miss) && !/→ (?:log|test|compiler|trace)\t/.test(miss),
  ).length;
  const falsely = misses.filter(
    (miss) =>
      /→ (?:log|test|compiler|trace)\t/.test(miss) && !/^(?:logs|log|test|compiler|trace) →/.test(miss),
  ).length;
  return `As one group, log, test, compiler and trace: ${percent(group - wrong, group)} of ${group}. Of the ${texts.length - group} other texts, ${falsely} were taken for one of these. All texts: ${percent(texts.length - misses.length, texts.length)} of ${texts.length}.`;
}

function rank(kind) {
  const at = ORDER.indexOf(kind);
  return at >= 0 ? at : kind === 'logs' ? ORDER.indexOf('log') - 0.5 : ORDER.length;
}

function percent(part, whole) {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

function writePage(content) {
  const path = join(root, 'bench/README.md');
  const [before, rest] = readFileSync(path, 'utf8').split('<!-- table -->\n');
  const after = rest.split('<!-- /table -->')[1];
  writeFileSync(path, `${before}<!-- table -->\n${content}\n<!-- /table -->${after}`);
}
