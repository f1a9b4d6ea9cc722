// The weight of the code: lines and files of each package, and those that the engine reaches by
// imports, by folder. Imports and re-exports count, dynamic ones too; those of types alone
// (`import type`, `export type … from`) count in a column of their own. Tests do not count.
//   node scripts/hops.mjs [--of DIR] [--from packages/core/src/engine.ts]
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './toolchain.mjs';

const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'(\.[^']+)';|import\('(\.[^']+)'\)/gm;

const { values } = parseArgs({
  options: {
    of: { type: 'string', default: root },
    from: { type: 'string', default: 'packages/core/src/engine.ts' },
  },
});
const checkout = resolve(values.of);
const start = join(checkout, values.from);
if (!existsSync(start)) throw new Error(`${start} is not there. Name the first file with --from.`);

const code = reached(false);
const withTypes = reached(true);
const source = join(checkout, 'packages/core/src');
const folders = new Map();
for (const file of withTypes) {
  const [folder, ...rest] = relative(source, file).split('/');
  const title = rest.length === 0 ? '(top)' : folder;
  folders.set(title, [...(folders.get(title) ?? []), file]);
}
print(`reached from ${values.from}`, 'lines', 'files', 'with types', 'files');
for (const [title, files] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1)))
  print(`  ${title}`, ...weight(files.filter((file) => code.has(file))), ...weight(files));
print('  all', ...weight(code), ...weight(withTypes));
console.log('');
print('sources', 'lines', 'files');
for (const name of readdirSync(join(checkout, 'packages')).sort()) {
  const folder = join(checkout, 'packages', name, 'src');
  if (existsSync(folder)) print(`  packages/${name}/src`, ...weight(sourcesIn(folder)));
}

/** All files that are reached from the first one, with imports of types or without. */
function reached(types) {
  const found = new Set([start]);
  // A set gives what is added to it while it is walked, too.
  for (const file of found)
    for (const [, isType, named, lazy] of readFileSync(file, 'utf8').matchAll(IMPORT))
      if (types || isType === undefined) {
        const target = resolve(dirname(file), named ?? lazy);
        if (existsSync(target)) found.add(target);
      }
  return found;
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

function weight(files) {
  const lines = [...files].map((file) => readFileSync(file, 'utf8').split('\n').length - 1);
  return [lines.reduce((sum, count) => sum + count, 0), lines.length].map((n) => n.toLocaleString('en-US'));
}

function print(title, ...cells) {
  console.log(title.padEnd(44) + cells.map((cell) => cell.padStart(12)).join(''));
}
