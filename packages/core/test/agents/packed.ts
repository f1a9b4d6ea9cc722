// The library as a user gets it: packed, unpacked in an empty folder beside the frameworks, and
// used by a process of its own, or loaded into this one.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));
const CORE = join(HERE, '..', '..');
const MODULES = [join(CORE, 'node_modules'), join(CORE, '..', '..', 'node_modules')];
const FRAMEWORKS = [
  ...['@ai-sdk/mcp', 'ai', '@anthropic-ai/sdk', '@google/genai', '@mastra/core', '@openai/agents', 'openai'],
  ...['langchain', '@langchain/core', '@langchain/langgraph', 'zod', 'js-tiktoken'],
];

export interface PackedApp {
  /** Where programs run, and may keep their files. */
  readonly folder: string;
  /** Runs one of the programs; gives what it tells. */
  run<T>(program: string, job: object): Promise<T>;
  /** A module of the packed library, in this process. */
  load<T>(name: string): Promise<T>;
  remove(): void;
}

/** Packs the library and lays out an application that uses it, with the programs of a folder. */
export async function packedApp(programs: string = HERE): Promise<PackedApp> {
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
    symlinkSync(installed(name), join(modules, name));
  }
  for (const name of readdirSync(programs).filter((each) => each.endsWith('.mjs')))
    cpSync(join(programs, name), join(folder, name));
  const require = createRequire(join(folder, 'app.mjs'));
  return {
    folder,
    async run(program, job) {
      const { stdout } = await run(process.execPath, [join(folder, program), JSON.stringify(job)], {
        cwd: folder,
        maxBuffer: 256 * 1024 * 1024,
      });
      return JSON.parse(stdout);
    },
    load: (name) => import(pathToFileURL(require.resolve(name)).href),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function installed(name: string): string {
  return MODULES.map((folder) => join(folder, name)).find(existsSync) ?? join(MODULES[0] ?? '', name);
}
