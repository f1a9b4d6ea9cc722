// Checks docs/glossary.md against the code and the documentation: no identifier and no file name
// uses a retired word, and those marked "everywhere" are in no comment, message or page either. A
// word matches whole words of a name (`saidParts` is "said parts"); several words match in a row.
// Run by `npm run check`. `--list WORD` prints where a word is used, for planning a change.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = 'docs/glossary.md';
const folders = ['packages/core', 'packages/spillway', 'bench', 'scripts', 'examples'];
const NOT_OURS = /node_modules|\/(?:dist|lib)\/|spillway\/(?:program|inspector)\/|\/fixtures\//;

/** Names that stay, whole: each with where, and why. */
const EXCEPTIONS = [
  {
    name: /^place$/,
    files: /^packages\/core\/(src\/(model|history|stores)|test)\/|postgres|inspector/,
    why: 'a stored field and column',
  },
  { name: /^foreign$/, files: /^packages\/core\/(src|test)\/|^scripts\//, why: 'a stored field of messages' },
  {
    name: /^(foreign|foreignStore)$/,
    files: /find-workspace|commands\/store|marks\.ts|attacks|inspector/,
    why: 'the state of a store, as `--json` names it',
  },
  { name: /^told$/, files: /history\/compaction|history\/arithmetic/, why: 'a stored field of a summary' },
  {
    name: /^(revoked|revoked_at|revokedAt)$/,
    files: /stores|observe|artifacts\/reading|last-release|inspector/,
    why: 'a column, an event and a name in `--json`',
  },
  { name: /^(revoke|revoked)$/, files: /text\/value\.test/, why: 'Proxy.revocable of JavaScript' },
  { name: /^said$/, files: /own-shape\.test/, why: 'a field of the made-up framework' },
  {
    name: /^(inPlace|inPlaceOf|inPlaceBytes|MOST_IN_PLACE)$/,
    files: /./,
    why: '"in place" is one expression',
  },
];

/**
 * Sentences that may hold a word: names of stored things in quotes, SQL, pages that say how it was,
 * and the files that name events and fields of `--json`.
 */
const QUOTED =
  /`[^`]*`|'(?:revoked?|revoked_at)'|\brevoked_at\b|\bREVOKE [A-Z]+ ON\b|\blikeness\b(?= (?:TEXT|text|=|AS)|,)/g;
const OLD_PAGES =
  /glossary\.md$|docs\/decisions\.md$|CHANGELOG|reference\/|last-release|value\.test|observability\.md$|check-glossary|observe\/(log|metrics)\.ts$|artifacts\/reading\.ts$/;

const asked = process.argv.indexOf('--list');
const retired =
  asked < 0
    ? retiredWords(readFileSync(join(root, page), 'utf8'))
    : [{ words: process.argv[asked + 1].toLowerCase(), use: '', everywhere: false }];
const files = folders.flatMap((folder) => filesIn(folder, /\.(ts|mjs|js)$/));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...[...folders, 'docs'].flatMap((folder) => filesIn(folder, /\.md$/)),
];
const problems = [...files.flatMap(namesOf), ...[...files, ...pages].flatMap(sentencesOf)];
for (const problem of problems) console.error(problem);
console.log(`${page}: ${retired.length} retired words, ${files.length} files, ${problems.length} problems`);
if (retired.length === 0 || files.length < 100 || pages.length < 20)
  throw new Error(`${page} or the sources were not found.`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** The rows of the table under "Retired words": each word with what to write instead. */
function retiredWords(markdown) {
  const rows = markdown.split('## Retired words')[1]?.match(/^\| (?!retired|-).+$/gm) ?? [];
  return rows.flatMap((row) => {
    const [, words, use, where] = row.split('|').map((cell) => cell.trim());
    return words.split(', ').map((word) => ({ words: word, use, everywhere: where === 'everywhere' }));
  });
}

function filesIn(folder, ending) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => ending.test(name) && !NOT_OURS.test(name));
}

function namesOf(file) {
  const code = readFileSync(join(root, file), 'utf8');
  const named = retiredIn(basename(file).replace(/\..*$/, '')).map(
    ({ words, use }) => `${file}: the file name says "${words}", write ${use}`,
  );
  const found = new Map(); // a name is reported once a file, where it stands first
  for (const { name, start } of identifiersOf(parseSync(file, code).program))
    if (!found.has(name)) found.set(name, start);
  return [
    ...named,
    ...[...found]
      .filter(([name]) => !EXCEPTIONS.some((one) => one.name.test(name) && one.files.test(file)))
      .flatMap(([name, start]) =>
        retiredIn(name).map(({ words, use }) => {
          const line = code.slice(0, start).split('\n').length;
          return `${file}:${line}: ${name} says "${words}", write ${use}`;
        }),
      ),
  ];
}

/** Comments, messages and pages, line by line. */
function sentencesOf(file) {
  if (OLD_PAGES.test(file)) return [];
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, i) => {
    const spaced = ` ${line.replace(QUOTED, ' ').replace(/[^A-Za-z]+/g, ' ')} `.toLowerCase();
    return retired
      .filter(({ words, everywhere }) => everywhere && spaced.includes(` ${words} `))
      .map(({ words, use }) => `${file}:${i + 1}: says "${words}", write ${use}`);
  });
}

function retiredIn(name) {
  const spaced = ` ${name.replace(/([a-z\d])(?=[A-Z])/g, '$1 ').replace(/[^A-Za-z]+/g, ' ')} `.toLowerCase();
  return retired.filter(({ words }) => spaced.includes(` ${words} `));
}

function* identifiersOf(node) {
  if (Array.isArray(node)) for (const item of node) yield* identifiersOf(item);
  else if (node !== null && typeof node === 'object') {
    if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') yield node;
    for (const [key, value] of Object.entries(node)) if (key !== 'type') yield* identifiersOf(value);
  }
}
