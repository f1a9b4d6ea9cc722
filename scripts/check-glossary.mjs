// Checks docs/glossary.md against the code: no identifier and no file name uses a retired word. A
// word matches whole words of a name (`saidParts` is "said parts"); several words match in a row.
// Run by `npm run check`. `--list WORD` prints where a word is used, for planning a change.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = 'docs/glossary.md';
const folders = ['packages/core', 'packages/spillway', 'bench', 'scripts', 'examples'];

const asked = process.argv.indexOf('--list');
const retired =
  asked < 0
    ? retiredWords(readFileSync(join(root, page), 'utf8'))
    : [{ words: process.argv[asked + 1].toLowerCase(), use: '' }];
const files = folders.flatMap(sourcesIn);
const problems = files.flatMap(problemsOf);
for (const problem of problems) console.error(problem);
console.log(`${page}: ${retired.length} retired words, ${files.length} files, ${problems.length} problems`);
if (retired.length === 0 || files.length < 100) throw new Error(`${page} or the sources were not found.`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** The rows of the table under "Retired words": each word with what to write instead. */
function retiredWords(markdown) {
  const rows = markdown.split('## Retired words')[1]?.match(/^\| (?!retired|-).+$/gm) ?? [];
  return rows.flatMap((row) => {
    const [, words, use] = row.split('|').map((cell) => cell.trim());
    return words.split(', ').map((word) => ({ words: word, use }));
  });
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => /\.(ts|mjs|js)$/.test(name) && !/node_modules|\/(dist|program)\//.test(name));
}

function problemsOf(file) {
  const code = readFileSync(join(root, file), 'utf8');
  const named = retiredIn(basename(file).replace(/\..*$/, '')).map(
    ({ words, use }) => `${file}: the file name says "${words}", write ${use}`,
  );
  const found = new Map(); // a name is told once a file, where it stands first
  for (const { name, start } of identifiersOf(parseSync(file, code).program))
    if (!found.has(name)) found.set(name, start);
  return [
    ...named,
    ...[...found].flatMap(([name, start]) =>
      retiredIn(name).map(({ words, use }) => {
        const line = code.slice(0, start).split('\n').length;
        return `${file}:${line}: ${name} says "${words}", write ${use}`;
      }),
    ),
  ];
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
