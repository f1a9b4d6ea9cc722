// Holds the licences of everything that a user gets with our packages: what they depend on, with
// all that it depends on in turn, and what is bundled into the program and the page. A licence that
// is not in the list below fails the check. Known vulnerabilities, where the registry answers, are
// only told.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest } from './licences.mjs';
import { root, runNpm } from './toolchain.mjs';

/** Licences that ask for no more than their own text. */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'OFL-1.1']);

const shipped = new Set(['core', 'spillway'].flatMap((name) => dependenciesOf(packageJson(name))));
for (const folder of ['program', 'inspector']) {
  const listed = join(root, 'packages', 'spillway', folder, 'LICENSES.txt');
  if (!existsSync(listed)) throw new Error('There is no bundle: run npm run build first.');
  for (const [, name] of readFileSync(listed, 'utf8').matchAll(/^(\S+) \d+\.\d+\.\S+ \(.+\)$/gm))
    shipped.add(name);
}

const wrong = [...shipped].filter((name) => !ALLOWED.has(manifest(name).license));
for (const name of wrong)
  console.error(
    `${name}: the licence "${manifest(name).license}" is not in the list of scripts/check-licences.mjs.`,
  );
console.log(
  `${shipped.size} libraries are shipped, ${shipped.size - wrong.length} with a licence of the list`,
);
warnOfVulnerabilities();
process.exitCode = wrong.length > 0 ? 1 : 0;

/** Names of all libraries that a package brings along, without ours. */
function dependenciesOf({ dependencies = {} }, seen = new Set()) {
  for (const name of Object.keys(dependencies)) {
    if (name.startsWith('@spillway/') || seen.has(name)) continue;
    seen.add(name);
    dependenciesOf(manifest(name), seen);
  }
  return [...seen];
}

function packageJson(name) {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
}

function warnOfVulnerabilities() {
  const { stdout } = runNpm(process.execPath, ['audit', '--omit=dev', '--json', '--audit'], {
    cwd: root,
    encoding: 'utf8',
    timeout: 20_000,
  });
  try {
    const { total } = JSON.parse(stdout).metadata.vulnerabilities;
    console.log(
      total === 0
        ? 'no known vulnerability'
        : `warning: ${total} known vulnerabilities; see npm audit --omit=dev`,
    );
  } catch {
    console.log('the registry does not tell of vulnerabilities here');
  }
}
