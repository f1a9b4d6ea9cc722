// The site: the pages that build.mjs has copied. The sidebar is the map in docs/README.md. Search is
// an index of our own pages that the browser loads; nothing is asked of another server. VitePress
// fails on a dead link.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { defineConfig } from 'vitepress';
import { slugOf } from '../../scripts/markdown.mjs';

const map = readFileSync(new URL('../../docs/README.md', import.meta.url), 'utf8');

export default defineConfig({
  title: 'Spillway',
  description: 'The tool-output layer for LLM agents',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: './pages',
  outDir: './dist',
  cacheDir: './.cache',
  rewrites: { 'README.md': 'index.md', ':path(.*)README.md': ':path/index.md' },
  markdown: { anchor: { slugify: slugOf }, languageAlias: { output: 'log', console: 'shellsession' } },
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  themeConfig: {
    search: { provider: 'local', options: { _render: searchedText } },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'Guides', link: '/docs/guides/' },
      { text: 'Concepts', link: '/docs/concepts' },
      { text: 'Reference', link: '/docs/reference/' },
      { text: 'Benchmarks', link: '/bench/' },
    ],
    sidebar: sidebar(),
  },
});

/** Reports of the API name every setting; they would stand before the pages that explain it. */
function searchedText(source, env, markdown) {
  return env.relativePath.startsWith('api/') ? '' : markdown.render(source, env);
}

/** A group for each heading of the map, an entry for each item of the list below it. */
function sidebar() {
  return map
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.split('\n', 1)[0],
      collapsed: false,
      items: [...section.matchAll(/^- \[([^\]]+)\]\(([^)#]+)[^)]*\)/gm)].map(([, text, link]) => ({
        text: text.replaceAll('`', ''),
        link: posix.join('/docs', link).replace(/(?:README)?\.md$/, ''),
      })),
    }))
    .filter(({ items }) => items.length > 0);
}
