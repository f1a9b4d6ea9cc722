// Checks that no regular expression of the packages can take more than linear time: every literal
// of the sources, and every pattern that they put together, which are collected while the built
// modules make them. Tests and scripts read their own files and are not looked at. Run by
// `npm run check`; needs a build.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import bundleIfStale from './bundle.mjs';
import { superLinear } from './patterns/growth.mjs';

/** Files that make patterns while they run, and why these never are what the check looks for. */
const MADE_WHILE_RUNNING = {
  'packages/core/src/retrieval/find-lines.ts': 'letters of a search, escaped',
  'packages/core/src/formats/xml/find/path.ts': 'a constant, checked where it is written',
  'packages/spillway/src/folder-store.ts': 'a sign of ours and digits',
  'packages/spillway/src/inspector/routes.ts': 'a path of ours, one segment of it free',
  'packages/spillway/src/hook/install/hook-file.ts': 'a name of ours, escaped',
  'packages/spillway/src/commands/hook/try.ts': 'the matcher of the own settings, as the agent runs it',
  'packages/ui/src/views/result/log-state.ts': 'in the browser of the person who wrote it',
};
/** Both kinds must be told apart, or the check checks nothing. */
const SUPER_LINEAR = [/^\s*(\d*)\s*(-?)\s*(\d*)\s*$/, /(?:^|\n)\s*x/, /\s+$/, /(a*)*b/, /^(.*?) b\/(.*?)"$/];
const LINEAR = [/^\s*x/, /\bfoo\w*x/, /"[^"]*"/g, /(?<!\S)[^\s/]*\/\S*/g, /^(?=[^:]*\/)\S+:/, /;[\s\S]*$/];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const files = globSync('packages/*/{bin,src}/**/*.{ts,tsx,js}', { cwd: root });
const problems = [];
const literals = files.flatMap(literalsIn);
const composed = await composedPatterns();
if (literals.length < 300 || composed.length < 20) throw new Error('The patterns were not found.');
if (SUPER_LINEAR.some((one) => !growthOf(one)) || LINEAR.some(growthOf))
  throw new Error('The check does not tell linear patterns from others.');

const verdicts = new Map();
for (const { where, source, flags } of [...literals, ...composed]) {
  const key = `/${source}/${flags}`;
  if (!verdicts.has(key)) verdicts.set(key, growthOf({ source, flags }));
  const found = verdicts.get(key);
  if (found !== null) problems.push(`${where}: ${found}\n    ${key}`);
}
for (const problem of problems) console.error(problem);
console.log(`${verdicts.size} patterns, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);

function growthOf({ source, flags }) {
  try {
    const found = superLinear(source, flags);
    if (found === null) return null;
    const { degree, loops, word } = found;
    return `takes ${degree} time on a text that repeats ${JSON.stringify(word)}: ${loops.join(' and ')}`;
  } catch (error) {
    return `cannot be checked. ${error.message}`;
  }
}

function literalsIn(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const found = [];
  new Visitor({
    Literal({ regex, start }) {
      const where = `${file}:${text.slice(0, start).split('\n').length}`;
      if (regex) found.push({ where, source: regex.pattern, flags: regex.flags });
    },
  }).visit(parseSync(file, text).program);
  return found;
}

/** Loads every module that makes a pattern, and reads a text with every sentence that is read back. */
async function composedPatterns() {
  await bundleIfStale();
  const made = [];
  const Plain = RegExp;
  globalThis.RegExp = new Proxy(Plain, {
    construct(_, [pattern, flags]) {
      const one = new Plain(pattern, flags);
      const [, path] = /packages\/(\w+\/dist\/[^:]+)\.js/.exec(new Error().stack.split('\n')[2]) ?? [];
      made.push({
        where: `packages/${path?.replace('/dist/', '/src/')}.ts`,
        source: one.source,
        flags: one.flags,
      });
      return one;
    },
  });
  const makers = files.filter((file) => /\bRegExp\(/.test(readFileSync(join(root, file), 'utf8')));
  const users = files.filter((file) => /^packages\/core\/src\/(?:wording\/|formats\/index)/.test(file));
  for (const file of [...makers, ...users]) {
    if (file in MADE_WHILE_RUNNING) continue;
    const module = await import(
      pathToFileURL(join(root, file.replace('/src/', '/dist/').replace(/ts$/, 'js')))
    );
    for (const one of Object.values(module).flatMap((each) => [each, ...Object.values(each ?? {})]))
      if (typeof one?.find === 'function' && typeof one.search === 'function') {
        one.find('');
        one.search('');
      }
    module.countLookalikes?.('[\n... "$', {});
  }
  globalThis.RegExp = Plain;
  const unseen = makers.filter(
    (file) => !(file in MADE_WHILE_RUNNING) && !made.some(({ where }) => where === file),
  );
  for (const file of unseen) problems.push(`${file}: makes a pattern that this check did not see`);
  return made;
}
