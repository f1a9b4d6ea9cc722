// Checks that packages/spillway/schema/config.schema.json is what the table of fields says, or with
// --write makes it so. Needs a build. Run by `npm run check`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import bundleIfStale from './bundle.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const path = 'packages/spillway/schema/config.schema.json';
const file = join(root, path);
const built = (name) => import(pathToFileURL(join(root, 'packages', 'spillway', 'dist', name)).href);

await bundleIfStale();
const { schemaText } = await built('config/schema.js');
const { knownNames } = await built('open.js');
const text = schemaText(knownNames());
if (process.argv.includes('--write')) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`wrote ${path}`);
} else if (existsSync(file) && readFileSync(file, 'utf8') === text) {
  console.log(`${path} is up to date`);
} else {
  console.error(
    `${path} is not what the tables say. Write it anew: npm run build && node scripts/check-schema.mjs --write`,
  );
  process.exitCode = 1;
}
