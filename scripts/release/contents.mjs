// What a package brings to a user, read from `npm pack --dry-run`: everything that it exports and
// runs, README and licence, links that work on npmjs.com, and nothing that only this repository
// needs: no tests, no sources, no source maps. Needs a build.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { anchorsOf, linksOf } from '../markdown.mjs';
import { root, runNpm } from '../toolchain.mjs';

const NEEDED = ['LICENSE', 'README.md', 'package.json'];
/** Folders and files that must not leave the checkout. */
const UNWANTED =
  /(^|\/)(test|node_modules|\.tsbuildinfo|\.env|\.npmrc|tsconfig\.json|.*\.(tgz|map|(?<!\.d\.)ts))(\/|$)/;

/** `{ files, size, problems }` of one package folder below packages/. */
export function contentsOf(name) {
  const folder = join(root, 'packages', name);
  const packed = runNpm(process.execPath, ['pack', folder, '--dry-run', '--json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (packed.status !== 0) throw new Error(`npm pack failed:\n${packed.stderr}`);
  const [{ files, size }] = JSON.parse(packed.stdout);
  const paths = new Set(files.map(({ path }) => path));
  return {
    files: files.length,
    size,
    problems: problemsOf(paths, (path) => readFileSync(join(folder, path), 'utf8')),
  };
}

/** What is wrong with a package of these paths, whose files `read` reads. */
export function problemsOf(paths, read) {
  const manifest = JSON.parse(read('package.json'));
  const all = [...paths];
  return [
    ...[...NEEDED, ...targetsOf(manifest)]
      .filter((path) => !paths.has(path))
      .map((path) => `${path} is missing`),
    ...all.filter((path) => UNWANTED.test(path)).map((path) => `${path} must not be in it`),
    ...(paths.has('README.md') ? brokenLinks(read('README.md')) : []),
  ].map((problem) => `${manifest.name}: ${problem}`);
}

/** Every file that package.json names. */
function targetsOf({ exports: doors, bin = {}, man = [] }) {
  const named = Object.values(doors).flatMap((door) =>
    typeof door === 'string' ? [door] : Object.values(door),
  );
  return [...named, ...Object.values(bin), man].flat().map((path) => posix.normalize(path));
}

/** npmjs.com has neither our folders nor our pages: a link is a whole address or a heading. */
function brokenLinks(text) {
  const anchors = anchorsOf(text);
  return linksOf(text)
    .map(({ target }) => target)
    .filter((link) => (link.startsWith('#') ? !anchors.has(link.slice(1)) : !link.startsWith('https://')))
    .map((link) => `README.md links to ${link}, which leads nowhere on npmjs.com`);
}
