// The packages as a user gets them: packs both and installs the tarballs in an empty folder. Needs
// a build.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runNpm } from './toolchain.mjs';

/** Returns the folder in which they are installed, with what else is named. */
export function installPacked(folder, others = []) {
  const app = join(folder, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "private": true }\n');
  const tarballs = ['core', 'spillway'].map((name) => {
    const source = join(root, 'packages', name);
    const [{ filename }] = JSON.parse(npm(['pack', source, '--json', '--pack-destination', folder], folder));
    return join(folder, filename);
  });
  npm(['install', '--prefix', app, ...tarballs, ...others], app);
  return app;
}

function npm(args, cwd) {
  const { status, stdout, stderr } = runNpm(process.execPath, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args[0]} failed:\n${stderr}`);
  return stdout;
}
