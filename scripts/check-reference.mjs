// Checks that docs/reference/ is what scripts/reference.mjs would write from the built tables, and
// that the table of environment variables lists what the sources read. Run by `npm run check`.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMAND, referencePages } from './reference.mjs';
import { variableProblems } from './variables.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pages = await referencePages();
const stale = [...pages].filter(([path, text]) => {
  const file = join(root, path);
  return !existsSync(file) || readFileSync(file, 'utf8') !== text;
});
for (const [path] of stale) console.error(`${path} is not what the tables say. Write it anew: ${COMMAND}`);
const unlisted = variableProblems();
for (const problem of unlisted) console.error(problem);
console.log(`docs/reference: ${pages.size - stale.length} of ${pages.size} pages are up to date`);
process.exitCode = stale.length + unlisted.length > 0 ? 1 : 0;
