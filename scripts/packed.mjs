// The packages as a user gets them: packs both and installs the tarballs in an empty folder. Needs
// a build.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportCounts } from './counts.mjs';
import { root, runNpm } from './toolchain.mjs';

/**
 * Installs them, with what else is named, checks them, and reports what came of it. `work` gets the
 * folder `app` in which they are installed, the folder around it, and `check(name, ok, result)`;
 * `result` is that of spawnSync.
 */
export async function checkPacked(others, work) {
  const counts = { passed: 0, failed: 0 };
  const check = (name, ok, result) => {
    counts[ok ? 'passed' : 'failed'] += 1;
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}`);
    if (!ok && result)
      console.log(result.error?.message ?? `exit code ${result.status}\n${result.stdout}${result.stderr}`);
  };
  const folder = mkdtempSync(join(tmpdir(), 'spillway packages '));
  try {
    await work({ app: installPacked(folder, others), folder, check });
  } catch (error) {
    check(error.message, false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  reportCounts(counts);
  if (counts.failed > 0) process.exitCode = 1;
}

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
