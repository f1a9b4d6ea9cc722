// The site: every Markdown page of the repository under the path that it has here, so that a link
// works on both. The sidebar is the map in docs/README.md. Search is an index of our own pages that
// the browser loads; nothing is asked of another server. VitePress fails on a dead link.
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { linksOf, slugOf } from '../../scripts/markdown.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (page) => readFileSync(join(root, page), 'utf8');

export default defineConfig({
  title: 'Spillway',
  description: 'The tool-output layer for LLM agents',
  srcDir: '..',
  // Of the packages only the promises of stores, which pages link to.
  srcExclude: ['packages/!(core)/**', 'packages/core/{test,dist}/**', '{site,examples,scripts,.*}/**'],
  outDir: './dist',
  cacheDir: './.cache',
  rewrites: { 'README.md': 'index.md', ':path(.*)README.md': ':path/index.md' },
  markdown: { anchor: { slugify: slugOf }, languageAlias: { output: 'txt', console: 'shellsession' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'Guides', link: '/docs/guides/' },
      { text: 'Concepts', link: '/docs/concepts' },
      { text: 'Reference', link: '/docs/reference/' },
      { text: 'Benchmarks', link: '/bench/' },
    ],
    sidebar: sidebar(read('docs/README.md')),
  },
  buildEnd({ pages, outDir }) {
    for (const page of pages) copyLinkedFiles(page, outDir);
  },
});

/** A group for each heading of the map, an entry for each item of the list below it. */
function sidebar(map) {
  return map
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.split('\n', 1)[0],
      collapsed: false,
      items: [...section.matchAll(/^ *- \[([^\]]+)\]\(([^)#]+)[^)]*\)/gm)].map(([, text, link]) => ({
        text,
        link: posix.join('/docs', link).replace(/(?:README)?\.md$/, ''),
      })),
    }))
    .filter(({ items }) => items.length > 0);
}

/** Examples, schemas and other files that a page links to lie beside it on the site as they do here. */
function copyLinkedFiles(page, outDir) {
  for (const { target } of linksOf(read(page))) {
    if (/^[a-z]+:|^#|\.md(?:#|$)|\.png$/i.test(target)) continue;
    const file = posix.join(posix.dirname(page), target.split('#')[0]);
    if (!existsSync(join(root, file)) || statSync(join(root, file)).isDirectory()) continue;
    mkdirSync(dirname(join(outDir, file)), { recursive: true });
    cpSync(join(root, file), join(outDir, file));
  }
}
