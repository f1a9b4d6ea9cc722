// Checks that every relative link of our Markdown pages leads to a file that is there, and every
// anchor to a heading of that page. Links in code and addresses of the web are not looked at. Needs
// no dependencies and no build. Run by `npm run check`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anchorsOf, linksOf } from './markdown.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard', '--', '*.md'], {
  cwd: root,
});
const pages = listed
  .toString()
  .split('\0')
  .filter((name) => name !== '' && !/fixtures|corpus/.test(name) && existsSync(join(root, name)));
const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), 'utf8')]));

let count = 0;
const problems = [...texts].flatMap(([page, text]) =>
  linksOf(text).flatMap(({ target, line }) => {
    if (/^[a-z]+:|^\/\//i.test(target)) return [];
    count++;
    const problem = problemOf(page, target);
    return problem === undefined ? [] : [`${page}:${line}: ${target} ${problem}`];
  }),
);
for (const problem of problems) console.error(problem);
console.log(`${pages.length} pages, ${count} links, ${problems.length} dead`);
if (pages.length < 50) throw new Error('The pages were not found.');
process.exitCode = problems.length > 0 ? 1 : 0;

function problemOf(page, target) {
  const [path, anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
  if (file.startsWith('..')) return 'leads out of the repository';
  if (!existsSync(join(root, file))) return 'leads nowhere';
  // A code host lists a folder; the site has pages only.
  if (statSync(join(root, file)).isDirectory()) return 'leads to a folder: name a page in it';
  if (anchor === undefined || !file.endsWith('.md')) return undefined;
  const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
  return anchorsOf(text).has(anchor) ? undefined : 'names a heading that is not there';
}
