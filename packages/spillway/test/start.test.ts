/**
 * What the program loads when it starts, and what it keeps from run to run. Times are in bench/.
 */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshWorkspace, numberedLines, type Workspace } from './program.ts';

describe('a small text that is shown whole', () => {
  it('is stored without what only cut texts need, and without the slow parts of Node', async () => {
    const { workspace, loaded } = await watched();
    await writeFile(join(workspace.root, 'small.log'), numberedLines(20));
    const { stdout } = await workspace.run(['truncate', 'small.log']);
    expect(stdout).toBe(numberedLines(20));
    expect(await workspace.ids('--all')).toHaveLength(1);
    const { files, modules } = (await loaded())[0] ?? { files: [], modules: [] };
    expect(files).toEqual(['common', 'engine', 'main', 'truncate']);
    expect(modules).toContain('sqlite');
    for (const slow of ['crypto', 'zlib', 'stream', 'net', 'worker_threads', 'child_process'])
      expect(modules).not.toContain(slow);
    expect(modules.filter((name) => name.includes('parse_args'))).toEqual([]);
  });

  it('loads none of them either when what it was called with is stored already', async () => {
    const { workspace, loaded } = await watched();
    for (const lines of [20, 21]) {
      await writeFile(join(workspace.root, 'small.log'), numberedLines(lines));
      await workspace.run(['truncate', 'small.log']);
    }
    const { files, modules } = (await loaded())[1] ?? { files: [], modules: [] };
    expect(files).toEqual(['common', 'engine', 'main', 'truncate']);
    for (const slow of ['crypto', 'zlib', 'stream', 'net']) expect(modules).not.toContain(slow);
  });

  it('loads what looks at lines when it is cut, and nothing of what other formats or readers need', async () => {
    const { workspace, loaded } = await watched();
    await writeFile(join(workspace.root, 'large.log'), numberedLines(2_000));
    expect((await workspace.run(['truncate', 'large.log'])).stdout).toContain('chars omitted');
    expect((await loaded())[0]?.files).toEqual(['common', 'engine', 'looking', 'main', 'truncate']);
  });
});

describe('a hook', () => {
  const SLOW = ['crypto', 'zlib', 'stream', 'net', 'worker_threads', 'child_process'];
  const call = (stdout: string) =>
    JSON.stringify({
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_response: { stdout, stderr: '' },
    });

  it('that is given a short result loads what stores it, and none of the slow parts of Node', async () => {
    const { workspace, loaded } = await watched();
    expect((await workspace.run(['hook', 'claude-code'], { input: call('short') })).stdout).toBe('');
    expect(await workspace.ids('--all')).toHaveLength(1);
    const { files, modules } = (await loaded())[0] ?? { files: [], modules: [] };
    expect(files).toEqual([
      'bound-call',
      'claude-code',
      'common',
      'engine',
      'hook',
      'hooks',
      'main',
      'rolldown-runtime',
    ]);
    for (const slow of SLOW) expect(modules).not.toContain(slow);
  });

  it('that lets a result pass loads nothing that stores', async () => {
    const { workspace, loaded } = await watched();
    await workspace.run(['hook', 'claude-code'], { input: '{"hook_event_name":"Stop"}' });
    expect((await loaded())[0]?.files).not.toContain('engine');
  });
});

describe('compiled code', () => {
  it('is kept in the cache folder of the user, for the user only, and used by the next run', async () => {
    const { workspace, kept } = await cached();
    for (let run = 0; run < 7; run++) {
      const { stdout, stderr } = await workspace.run(['truncate'], { input: 'one\n' });
      expect([stdout, stderr]).toEqual(['one\n', '']);
    }
    const files = await readdir(kept);
    expect(files.filter((name) => name.startsWith('engine-'))).toHaveLength(1);
    const engine = join(kept, files.find((name) => name.startsWith('engine-')) ?? '');
    expect((await stat(engine)).mode & 0o777).toBe(0o600);
    // The functions that were called are in it, in as many runs as it grows.
    expect((await readFile(engine))[0]).toBe(5);
    expect((await stat(engine)).size).toBeGreaterThan(100_000);
  });

  it('fits the next run also where a text was cut, and so V8 was told to optimise less', async () => {
    const { workspace, kept } = await cached();
    for (let run = 0; run < 7; run++) {
      const { stdout, stderr } = await workspace.run(['truncate'], { input: numberedLines(2_000 + run) });
      expect(stdout).toContain('chars omitted');
      expect(stderr).not.toContain('unrecognized');
    }
    // What is refused is begun anew, and would never get so far.
    for (const name of await readdir(kept))
      expect([name, (await readFile(join(kept, name)))[0]]).toEqual([name, 5]);
  });

  it('that is damaged is made anew', async () => {
    const { workspace, kept } = await cached();
    await workspace.run(['truncate'], { input: 'one\n' });
    for (const name of await readdir(kept))
      await writeFile(join(kept, name), 'not compiled code', { mode: 0o600 });
    const { stdout, stderr, code } = await workspace.run(['truncate'], { input: 'one\n' });
    expect([stdout, stderr, code]).toEqual(['one\n', '', 0]);
    for (const name of await readdir(kept))
      expect((await stat(join(kept, name))).size).toBeGreaterThan(1_000);
  });

  it('in a folder where others may write is neither used nor kept', async () => {
    const { workspace, cache } = await cached();
    await chmod(cache, 0o777);
    expect((await workspace.run(['truncate'], { input: 'one\n' })).stdout).toBe('one\n');
    expect(await readdir(cache)).toEqual([]);
  });

  it('is kept with what else is kept for the user where there is no cache folder', async () => {
    const workspace = await freshWorkspace();
    for (let run = 0; run < 2; run++) await workspace.run(['truncate'], { input: `${run}\n` });
    const kept = join(workspace.root, '.local', 'share', 'spillway', 'compiled');
    const files = await readdir(join(kept, `${process.version}-${process.arch}`));
    expect(files.some((name) => name.startsWith('engine-'))).toBe(true);
    expect(await readdir(workspace.root)).not.toContain('.cache');
  });

  it('makes no cache folder where there is none', async () => {
    const workspace = await freshWorkspace();
    await workspace.run(['--version']);
    expect(await readdir(workspace.root)).toEqual(['.git']);
  });
});

async function cached(): Promise<{ workspace: Workspace; cache: string; kept: string }> {
  const workspace = await freshWorkspace();
  const cache = join(workspace.root, '.cache');
  await mkdir(cache, { mode: 0o700 });
  return { workspace, cache, kept: join(cache, 'spillway', `${process.version}-${process.arch}`) };
}

interface Loaded {
  /** Files of the program, without what changes with their content. */
  readonly files: readonly string[];
  /** Parts of Node that were not there from the start. */
  readonly modules: readonly string[];
}

/** A workspace in which the program tells, at its end, what it had loaded. */
async function watched(): Promise<{ workspace: Workspace; loaded: () => Promise<Loaded[]> }> {
  const workspace = await freshWorkspace({ NODE_OPTIONS: '--require ./watch.cjs' });
  await writeFile(
    join(workspace.root, 'watch.cjs'),
    `const vm = require('node:vm');
    const fs = require('node:fs');
    const before = new Set(process.moduleLoadList);
    const files = [];
    vm.Script = class extends vm.Script {
      constructor(source, options) {
        super(source, options);
        files.push(options.filename.replace(/.*[\\\\/]/, '').replace(/-[\\w-]{8}\\.js$/, ''));
      }
    };
    process.on('exit', () => {
      const modules = process.moduleLoadList.filter((name) => !before.has(name)).map((name) => name.replace('NativeModule ', ''));
      fs.appendFileSync('loaded.txt', JSON.stringify({ files: files.sort(), modules }) + '\\n');
    });`,
  );
  return {
    workspace,
    loaded: async () =>
      (await readFile(join(workspace.root, 'loaded.txt'), 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Loaded),
  };
}
