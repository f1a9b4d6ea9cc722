// Builds the site into site/dist, or with --preview serves what was built on this machine only.
// Usually run as `npm run site`, which installs VitePress below site/ first. Pages are copied to
// site/pages, under the paths that they have in the repository: VitePress finds its own modules
// from there, and a link works on both.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, serve } from 'vitepress';
import { linksOf } from '../scripts/markdown.mjs';

const site = fileURLToPath(new URL('.', import.meta.url));
const root = dirname(site.replace(/[\\/]$/, ''));
const pages = join(site, 'pages');
/** Of linked files that are no pages. */
const extensions = new Set();

if (process.argv.includes('--preview')) await serve({ root: site, port: 4173 });
else {
  rmSync(pages, { recursive: true, force: true });
  for (const page of markdownPages()) copyPage(page);
  // VitePress takes a link for that of a page unless it knows the extension.
  process.env.VITE_EXTRA_EXTENSIONS = [...extensions].join(',');
  await build(site);
  console.log('The site is in site/dist. Look at it: npm run site -- --preview');
}

/** Pages for users and contributors, with forward slashes. */
function markdownPages() {
  const below = (folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) =>
      posix.join(folder, name.replaceAll('\\', '/')),
    );
  const top = readdirSync(root);
  return [
    ...top,
    ...below('docs'),
    ...below('api'),
    'bench/README.md',
    'bench/retention/README.md',
    'packages/core/src/stores/README.md',
  ].filter((name) => name.endsWith('.md'));
}

/** A page with the pictures beside it; other files that it links to are served as they are. */
function copyPage(page) {
  copy(page, join(pages, page));
  for (const { target } of linksOf(readFileSync(join(root, page), 'utf8'))) {
    if (/^[a-z]+:|^#|\.md(?:#|$)/i.test(target)) continue;
    const file = posix.join(posix.dirname(page), target.split('#')[0]);
    if (!existsSync(join(root, file)) || statSync(join(root, file)).isDirectory()) continue;
    extensions.add(file.split('.').pop().toLowerCase());
    copy(file, /\.(?:png|svg)$/.test(file) ? join(pages, file) : join(pages, 'public', file));
  }
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(join(root, from), to);
}
