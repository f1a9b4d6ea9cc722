// Fails if a plot in docs/images/ is not what its table in bench/README.md says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plots } from './plots.mjs';
import { root } from './toolchain.mjs';

const drawn = plots();
const stale = [...drawn].filter(([name, text]) => held(name) !== text).map(([name]) => name);
for (const name of stale)
  console.error(`docs/images/${name} is not what bench/README.md says: node scripts/plots.mjs`);
console.log(`docs/images: ${drawn.size - stale.length} of ${drawn.size} plots are up to date`);
process.exitCode = stale.length > 0 ? 1 : 0;

function held(name) {
  try {
    return readFileSync(join(root, 'docs', 'images', name), 'utf8');
  } catch {
    return null;
  }
}
