// Holds the inspector's page to its budget: what a browser loads at first, what it loads when a
// view needs it, styles and fonts. Also holds it to its content security policy as far as files can
// show: no script, style or event handler in the HTML.
import { BUDGET_KB, pageHtml, pageSizes } from './page-sizes.mjs';

const KB = 1_000;
const used = pageSizes();
const over = Object.entries(BUDGET_KB).filter(([kind, limit]) => used[kind] > limit * KB);
for (const [kind, limit] of Object.entries(BUDGET_KB))
  console.log(`${kind.padEnd(16)} ${(used[kind] / KB).toFixed(1)} of ${limit} KB`);
for (const [kind] of over) console.error(`The inspector's page is over its budget: ${kind}.`);
const inline = /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|(?:src|href)="(?!\/)/i.exec(pageHtml());
if (inline) console.error(`index.html breaks the content security policy at: ${inline[0]}`);
process.exitCode = over.length > 0 || inline ? 1 : 0;
