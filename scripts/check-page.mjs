// Holds the inspector's page to its budget: what a browser loads at first, what it loads when a
// view needs it, styles and fonts, in KB as they are sent (gzip; fonts are compressed already).
// Also holds it to its content security policy as far as files can show: no script, style or event
// handler in the HTML.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './toolchain.mjs';

const KB = 1_000;
const BUDGET_KB = { 'script at first': 60, 'script later': 25, styles: 10, fonts: 89 };

const page = join(root, 'packages', 'spillway', 'inspector');
if (!existsSync(page)) throw new Error('There is no page: run npm run build first.');
const html = readFileSync(join(page, 'index.html'), 'utf8');
const used = Object.fromEntries(Object.keys(BUDGET_KB).map((kind) => [kind, 0]));
for (const entry of readdirSync(page, { recursive: true, withFileTypes: true }))
  if (entry.isFile()) count(join(entry.parentPath, entry.name), entry.name);

const over = Object.entries(BUDGET_KB).filter(([kind, limit]) => used[kind] > limit * KB);
for (const [kind, limit] of Object.entries(BUDGET_KB))
  console.log(`${kind.padEnd(16)} ${(used[kind] / KB).toFixed(1)} of ${limit} KB`);
for (const [kind] of over) console.error(`The inspector's page is over its budget: ${kind}.`);
const inline = /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|(?:src|href)="(?!\/)/i.exec(html);
if (inline) console.error(`index.html breaks the content security policy at: ${inline[0]}`);
process.exitCode = over.length > 0 || inline ? 1 : 0;

function count(path, name) {
  const bytes = readFileSync(path);
  if (name.endsWith('.woff2')) used.fonts += bytes.length;
  if (name.endsWith('.css')) used.styles += gzipSync(bytes).length;
  if (name.endsWith('.js'))
    used[html.includes(name) ? 'script at first' : 'script later'] += gzipSync(bytes).length;
}
