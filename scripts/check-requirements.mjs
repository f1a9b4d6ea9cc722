// Checks docs/requirements.json, and that docs/requirements.md is generated from it: every id of the
// five design documents is in exactly one row; a row names tests, or says how we differ; and every
// named test exists, in its file, under its title. Run by `npm run check`; `--write` writes the page.
// A test reads `path › describe › title`, as in the source: %s, %j and ${…} stand for what the test
// fills in. `also` holds ids that ask for the same. `feature` names what the tests fail without, for
// scripts/mutate-requirements.mjs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { broken } from './mutation/broken.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const data = 'docs/requirements.json';
const page = 'docs/requirements.md';
const fields = ['id', 'also', 'asks', 'differs', 'feature', 'tests'];
const testFile = /\.test\.ts$|^packages\/core\/src\/testing\/.+\.ts$|^scripts\/check-.+\.mjs$/;
const titles = {
  S0: 'S0: truncation and artifacts',
  S1: 'S1: smart truncation with a saved file',
  S2: 'S2: commands and interpreters',
  S3: 'S3: strategies and configuration',
  S4: 'S4: history without truncation',
};

const rows = JSON.parse(readFileSync(join(root, data), 'utf8'));
if (process.argv.includes('--write')) writeFileSync(join(root, page), pageOf(rows));
const problems = [...wrongIds(rows), ...rows.flatMap(wrongRow)];
if (readFileSync(join(root, page), 'utf8') !== pageOf(rows))
  problems.push(`${page} is not what the data says: node scripts/check-requirements.mjs --write`);
for (const problem of problems) console.error(`${data}: ${problem}`);
const differing = rows.filter(({ differs }) => differs !== undefined).length;
console.log(
  `${data}: ${rows.length} requirements under ${allIds().length} ids, ${rows.length - differing} work, ${differing} differ`,
);
process.exitCode = problems.length > 0 ? 1 : 0;

function pageOf(all) {
  const works = all.filter(({ differs }) => differs === undefined).length;
  const lines = [
    '# Requirements',
    '',
    'Generated from [requirements.json](requirements.json), which also names the tests that fail without',
    'each. The product comes from five design documents, S0 to S4. Each entry is one requirement with its',
    'ids, what it asks, and how we differ where we do.',
    `${works} requirements work as written, ${all.length - works} differ.`,
  ];
  for (const [document, title] of Object.entries(titles)) {
    lines.push('', `## ${title}`, '');
    for (const row of all.filter(({ id }) => documentOf(id) === document))
      lines.push(...wrapped(entryOf(row)));
  }
  return `${lines.join('\n')}\n`;
}

function documentOf(id) {
  return /^S\d/.exec(id)?.[0] ?? 'S0';
}

function entryOf({ id, also = [], asks, differs }) {
  const ids = [id, ...also.filter((each) => !each.startsWith('AC-'))].join(', ');
  return `- **${ids}** ${asks}.${differs === undefined ? '' : ` Differs: ${differs}`}`;
}

/** Lines of at most 100 chars. */
function wrapped(text) {
  const lines = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && `${line} ${word}`.length > 100) {
      lines.push(line);
      line = ` ${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each, i) => (i === 0 ? each : ` ${each}`));
}

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
    ...plain('S0-DES', 4),
    ...plain('S0-HW', 3),
    ...plain('S0-MK', 4),
    ...plain('S0-CLI', 3),
    ...plain('S0-BP', 2),
    ...plain('S0-API', 3),
    ...plain('S0-OUT', 10),
    ...['S0-CFG', 'S0-REF', 'S0-GET'],
    ...plain('S1-D', 5),
    ...plain('S1-T', 5),
    ...plain('S1-M', 4),
    ...plain('S1-DF', 2),
    ...plain('S1-API', 3),
    'S1-DEP',
    ...plain('S2-P', 5),
    ...nested('S2-T', [5, 7, 4, 5, 3, 8, 2]),
    ...plain('S2-M', 3),
    ...['S2-PATH', 'S2-N', 'S2-DF', 'S2-DA'],
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
    ...plain('S3-API', 4),
    ...['S3-CFG', 'S3-NONE', 'S3-B1'],
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
    ...plain('S4-PS', 4),
    ...plain('S4-TS', 3),
    ...plain('S4-NG', 3),
  ];
}

function numbers(last) {
  return Array.from({ length: last }, (_, i) => i + 1);
}

function wrongIds(rows) {
  const wanted = new Set(allIds());
  const seen = new Set();
  const wrong = [];
  for (const id of rows.flatMap(({ id, also = [] }) => [id, ...also])) {
    if (seen.has(id)) wrong.push(`${id} is there twice.`);
    else if (!wanted.has(id)) wrong.push(`${id} is not an id of the documents.`);
    seen.add(id);
  }
  return [...wrong, ...[...wanted].filter((id) => !seen.has(id)).map((id) => `${id} is missing.`)];
}

function wrongRow(row) {
  const { id, asks, differs, tests = [] } = row;
  const wrong = tests.flatMap(wrongTest);
  for (const field of Object.keys(row)) if (!fields.includes(field)) wrong.push(`has a field ${field}.`);
  if (row.feature !== undefined) wrong.push(...wrongFeature(row.feature));
  if (!asks) wrong.push('does not say what it asks.');
  if (differs === undefined && tests.length === 0) wrong.push('works, and names no test.');
  return wrong.map((what) => `${id} ${what}`);
}

function wrongFeature(feature) {
  try {
    broken(feature);
    return [];
  } catch (error) {
    return [`names ${feature}: ${error.message}`];
  }
}

function wrongTest(line) {
  const [path, ...names] = line.split(' › ');
  if (!testFile.test(path)) return [`names ${path}, which is no test.`];
  if (!existsSync(join(root, path))) return [`names ${path}, which does not exist.`];
  const source = readFileSync(join(root, path), 'utf8');
  let at = 0;
  for (const title of names) {
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
