// Builds the inspector's page: packages/ui becomes packages/spillway/inspector/, with the licences
// of the libraries and fonts in it. Needs no other build: node scripts/bundle-page.mjs. As a set-up
// of vitest it builds when a source is newer.
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { librariesIn, licenceTexts } from './licences.mjs';
import { root } from './toolchain.mjs';

const page = join(root, 'packages', 'ui');
const built = join(root, 'packages', 'spillway', 'inspector');

/**
 * Builds beside the former page and then replaces it at once: a server that runs finds one or the
 * other.
 */
async function bundlePage() {
  const aside = `${built}.${process.pid}`;
  // Vitest says `test`, and libraries then bring what only developers need.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    const { output } = await build({
      configFile: join(page, 'vite.config.ts'),
      build: { outDir: aside, emptyOutDir: true },
    });
    const files = output.flatMap(({ moduleIds = [], originalFileNames = [] }) => [
      ...moduleIds,
      ...originalFileNames.map((name) => join(page, name)),
    ]);
    writeFileSync(join(aside, 'LICENSES.txt'), licenceTexts(librariesIn(files)));
    rmSync(built, { recursive: true, force: true });
    renameSync(aside, built);
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
    rmSync(aside, { recursive: true, force: true });
  }
}

/** The set-up of vitest: tests open the built page, and must never see a stale one. */
export default async function bundlePageIfStale() {
  const index = join(built, 'LICENSES.txt');
  const at = existsSync(index) ? statSync(index).mtimeMs : 0;
  const sources = ['src', 'public'].flatMap((name) => filesBelow(join(page, name)));
  const others = ['index.html', 'vite.config.ts', 'package.json'].map((name) => join(page, name));
  const newest = [...sources, ...others, fileURLToPath(import.meta.url)].map(
    (file) => statSync(file).mtimeMs,
  );
  if (Math.max(...newest) > at) await bundlePage();
}

function filesBelow(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundlePage();
}
