// What a browser loads of the inspector's page, in bytes as they are sent: scripts and styles by gzip,
// fonts as they are. The budget is in KB.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './toolchain.mjs';

export const BUDGET_KB = { 'script at first': 60, 'script later': 1, styles: 9, fonts: 89 };

const page = join(root, 'packages', 'spillway', 'inspector');

/** The page as it is built. */
export function pageHtml() {
  if (!existsSync(page)) throw new Error('There is no page: run npm run build first.');
  return readFileSync(join(page, 'index.html'), 'utf8');
}

/** Bytes by kind, as the budget has them. */
export function pageSizes() {
  const html = pageHtml();
  const used = Object.fromEntries(Object.keys(BUDGET_KB).map((kind) => [kind, 0]));
  for (const entry of readdirSync(page, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    if (entry.name.endsWith('.woff2')) used.fonts += bytes.length;
    if (entry.name.endsWith('.css')) used.styles += gzipSync(bytes).length;
    if (entry.name.endsWith('.js'))
      used[html.includes(entry.name) ? 'script at first' : 'script later'] += gzipSync(bytes).length;
  }
  return used;
}
