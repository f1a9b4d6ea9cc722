// The library as a user gets it: packed, unpacked in an empty folder beside the frameworks, and
// used by a process of its own.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));
const CORE = join(HERE, '..', '..');
const MODULES = join(CORE, '..', '..', 'node_modules');
const FRAMEWORKS = ['@anthropic-ai/sdk', '@langchain/core', 'ai'];

export interface PackedApp {
  /** Runs one of the agents; gives what it tells. */
  run<T>(agent: string, job: object): Promise<T>;
  remove(): void;
}

/** Packs the library and lays out an application that uses it. */
export async function packedApp(): Promise<PackedApp> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-agents-'));
  const modules = join(folder, 'node_modules');
  const library = join(modules, '@spillway', 'core');
  mkdirSync(library, { recursive: true });
  const shell = process.platform === 'win32';
  await run('npm', ['pack', CORE, '--pack-destination', folder, '--loglevel=error'], { cwd: folder, shell });
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', join(folder, tarball), '-C', library, '--strip-components=1']);
  for (const name of FRAMEWORKS) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(MODULES, name), join(modules, name));
  }
  for (const name of readdirSync(HERE).filter((each) => each.endsWith('.mjs')))
    cpSync(join(HERE, name), join(folder, name));
  return {
    async run(agent, job) {
      const { stdout } = await run(process.execPath, [join(folder, agent), JSON.stringify(job)], {
        cwd: folder,
        maxBuffer: 256 * 1024 * 1024,
      });
      return JSON.parse(stdout);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
