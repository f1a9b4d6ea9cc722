// Checks docs/requirements.md: every id of the five design documents is there exactly once, with a
// known state and evidence; and every test that is named exists, in its file, under its title. Run
// by `npm run check`. Evidence is one or more lines joined by <br>. A line that names a test reads:
// `path` › describe › title. Titles are as written in the source: %s, %j and ${…} stand for what
// the test fills in.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = 'docs/requirements.md';
const states = ['proven', 'different', 'planned'];
const testFile = /\.test\.ts$|^packages\/core\/src\/testing\/.+\.ts$|^scripts\/check-.+\.mjs$/;

const rows = readRows(readFileSync(join(root, page), 'utf8'));
const problems = [...wrongIds(rows), ...rows.flatMap(wrongRow)];
for (const problem of problems) console.error(`${page}: ${problem}`);
const counts = states.map((state) => `${rows.filter((row) => row.state === state).length} ${state}`);
console.log(`${page}: ${rows.length} of ${allIds().length} ids, ${counts.join(', ')}`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Every id there must be, in the order of the documents. */
function allIds() {
  const padded = (prefix, last) => numbers(last).map((n) => `${prefix}-${String(n).padStart(3, '0')}`);
  const plain = (prefix, last) => numbers(last).map((n) => `${prefix}${n}`);
  /** `S2-T` with [5, 7] gives S2-T1.1 … S2-T1.5, S2-T2.1 … S2-T2.7. */
  const nested = (prefix, lasts) => lasts.flatMap((last, i) => plain(`${prefix}${i + 1}.`, last));
  return [
    ...padded('FR', 75),
    ...padded('NFR', 19),
    ...padded('AC', 70),
    ...plain('S0-UT', 18),
    ...plain('S0-IT', 3),
    ...plain('S0-SC', 6),
    ...plain('S1-D', 5),
    ...plain('S1-T', 5),
    ...plain('S1-M', 4),
    ...plain('S2-P', 5),
    ...nested('S2-T', [5, 7, 4, 5, 3, 8, 2]),
    ...plain('S2-M', 3),
    ...plain('S3-G', 5),
    ...plain('S3-L', 4),
    ...plain('S3-F', 8),
    ...plain('S3-SRC', 3),
    ...nested('S3-ST', [3, 4, 3, 2]),
    ...nested('S3-PH1.', [4, 3, 3]),
    ...nested('S3-PH2.', [3, 3]),
    ...nested('S3-PH3.', [3, 3]),
    ...plain('S3-IP', 4),
    ...plain('S3-R', 4),
    ...plain('S3-M', 4),
    ...plain('S4-G', 6),
    ...plain('S4-RA', 3),
    ...plain('S4-RB', 2),
    ...plain('S4-RC', 3),
    ...plain('S4-RD', 2),
    ...plain('S4-RE', 2),
    ...nested('S4-PH', [3, 3, 3, 3, 3]),
    ...plain('S4-DC', 3),
    ...plain('S4-UT', 2),
    ...plain('S4-IT', 3),
    ...plain('S4-RT', 2),
    ...plain('S4-AC', 5),
    ...plain('S4-R', 3),
    ...plain('S4-W', 7),
  ];
}

function numbers(last) {
  return Array.from({ length: last }, (_, i) => i + 1);
}

/** The rows of all tables whose first column is an id. */
function readRows(text) {
  return text
    .split('\n')
    .filter((line) => /^\| (?:N?FR|AC|S\d)-/.test(line))
    .map((line) => {
      const [id = '', asks = '', state = '', ...evidence] = line
        .replace(/^\||\|\s*$/g, '')
        .split('|')
        .map((cell) => cell.trim());
      return { id, asks, state, evidence: evidence.join('|') };
    });
}

function wrongIds(rows) {
  const wanted = new Set(allIds());
  const seen = new Set();
  const wrong = [];
  for (const { id } of rows) {
    if (seen.has(id)) wrong.push(`${id} is there twice.`);
    else if (!wanted.has(id)) wrong.push(`${id} is not an id of the documents.`);
    seen.add(id);
  }
  return [...wrong, ...[...wanted].filter((id) => !seen.has(id)).map((id) => `${id} is missing.`)];
}

function wrongRow({ id, asks, state, evidence }) {
  const lines = evidence.split('<br>').map((line) => line.trim());
  const tests = lines.filter((line) => line.startsWith('`'));
  const wrong = tests.flatMap((line) => wrongTest(line));
  if (asks === '') wrong.push('does not say what it asks.');
  if (!states.includes(state)) wrong.push(`has the state "${state}"; states are ${states.join(', ')}.`);
  if (evidence === '') wrong.push('has no evidence.');
  else if (state === 'proven' && tests.length < lines.length)
    wrong.push('is proven by tests alone: `path` › title.');
  else if (state !== 'proven' && tests.length === lines.length) wrong.push('gives no reason in words.');
  return wrong.map((what) => `${id} ${what}`);
}

function wrongTest(line) {
  const [, path, titles] = /^`([^`]+)` › (.+)$/.exec(line) ?? [];
  if (path === undefined) return [`names a test in a form that is not \`path\` › title: ${line}`];
  if (!testFile.test(path)) return [`names ${path}, which is no test.`];
  if (!existsSync(join(root, path))) return [`names ${path}, which does not exist.`];
  const source = readFileSync(join(root, path), 'utf8');
  let at = 0;
  for (const title of titles.split(' › ')) {
    const found = endOfTitle(source, title, at);
    if (found === -1)
      return [`names "${title}", which is not in ${path}${at > 0 ? ' below its describe' : ''}.`];
    at = found;
  }
  return [];
}

/** Where a title ends in the source, from `at` on; -1 if it is not there. */
function endOfTitle(source, title, at) {
  const pieces = title.split(/%[sjdifoOp]|\$\{[^}]*\}|\$\w+/).filter((piece) => piece.trim() !== '');
  if (pieces.length === 1 && pieces[0] === title) {
    const [found] = ["'", '"', '`']
      .map((quote) => source.indexOf(quote + title + quote, at))
      .filter((position) => position !== -1);
    return found === undefined ? -1 : found + title.length;
  }
  let end = at;
  for (const piece of pieces) {
    const position = source.indexOf(piece, end);
    if (position === -1) return -1;
    end = position + piece.length;
  }
  return end;
}
