// Publishes both packages: `npm run release`, in CI (.github/workflows/release.yml), where npm can
// attest from which commit they were built. `npm run release -- --dry-run` does all of it but the
// publishing, on any machine. The task has built everything before.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { contentsOf } from './release/contents.mjs';
import { versions } from './release/versions.mjs';
import { root, runNpm } from './toolchain.mjs';

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const isDryRun = values['dry-run'];
const NAMES = ['core', 'spillway'];

const { version, problems, pending } = versions();
const packed = NAMES.map(contentsOf);
const reasons = [...problems, ...packed.flatMap((one) => one.problems)];
const holding = [...pending, ...surroundings()];
for (const reason of reasons) console.error(`✗ ${reason}`);
for (const reason of holding) console.error(`${isDryRun ? 'before a release:' : '✗'} ${reason}`);
if (reasons.length > 0 || (holding.length > 0 && !isDryRun)) process.exit(1);

const folder = mkdtempSync(join(tmpdir(), 'spillway-release-'));
try {
  if (!isDryRun) nameRepository();
  // The library first: the program depends on it.
  for (const name of NAMES) publish(name);
  console.log(isDryRun ? `${version} could be released.` : `${version} is released; tag it v${version}.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What must be so around a real release. */
function surroundings() {
  const { status, stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  return [
    ...(status === 0 && stdout === '' ? [] : ['the checkout has changes that are not committed']),
    ...(process.env.GITHUB_REPOSITORY
      ? []
      : ['provenance is attested in CI only: run the workflow "release"']),
  ];
}

/** npm compares it with what CI attests, and npmjs.com resolves links by it. */
function nameRepository() {
  const url = `git+${process.env.GITHUB_SERVER_URL}/${process.env.GITHUB_REPOSITORY}.git`;
  for (const name of NAMES) {
    const file = join(root, 'packages', name, 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    manifest.repository = { type: 'git', url, directory: `packages/${name}` };
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

function publish(name) {
  const source = join(root, 'packages', name);
  const [{ filename, integrity }] = JSON.parse(npm(['pack', source, '--json', '--pack-destination', folder]));
  console.log(`${filename} ${integrity}`);
  if (!isDryRun) npm(['publish', join(folder, filename), '--provenance', '--access', 'public']);
}

function npm(args) {
  const { status, stdout, stderr } = runNpm(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`npm ${args[0]} failed:\n${stderr}`);
  return stdout;
}
