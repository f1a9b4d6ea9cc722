// Completion scripts, run by the shells they are for where those are installed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines, type Workspace } from './program.ts';

const installed = (shell: string) => spawnSync(shell, ['--version']).status === 0;

/** The program as a shell finds it. */
const commands = mkdtempSync(join(tmpdir(), 'spillway-commands-'));
symlinkSync(fileURLToPath(new URL('../bin/spillway.js', import.meta.url)), join(commands, 'spillway'));
symlinkSync(process.execPath, join(commands, 'node'));
afterAll(() => rmSync(commands, { recursive: true }));

function environment(home: string): NodeJS.ProcessEnv {
  return { PATH: `${commands}:${process.env.PATH}`, HOME: home };
}

/** A workspace with two cut outputs in two sessions, and one session that no shell would take. */
async function withStored(): Promise<{ workspace: Workspace; ids: readonly string[] }> {
  const workspace = await freshWorkspace();
  const input = numberedLines(3_000);
  await workspace.run(['truncate', '--session', 'run-1', '--limit', '600'], { input });
  await workspace.run(['truncate', '--session', 'build', '--limit', '600'], { input: `x${input}` });
  await workspace.run(['truncate', '--session', '$(touch planted)`id`; x'], { input: 'x' });
  return { workspace, ids: await workspace.ids() };
}

describe.skipIf(!installed('bash'))('in bash', () => {
  let script: string;

  let workspace: Workspace;

  beforeAll(async () => {
    workspace = await freshWorkspace();
    script = join(workspace.root, 'completion.bash');
    await writeFile(script, (await workspace.run(['completion', 'bash'])).stdout);
  });

  /** What is offered for the last of the words, in a folder. */
  function offered(...words: string[]): string[] {
    return offeredIn(workspace.root, ...words);
  }

  function offeredIn(cwd: string, ...words: string[]): string[] {
    const line = words.map((word) => `'${word}'`).join(' ');
    const { stdout, stderr } = spawnSync(
      'bash',
      [
        '-c',
        `source '${script}'; COMP_WORDS=(spillway ${line}); COMP_CWORD=${words.length}; _spillway; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
      { encoding: 'utf8', cwd, env: environment(cwd) },
    );
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  }

  test('commands are offered by their words', () => {
    expect(offered('t')).toEqual(['truncate']);
    expect(offered('')).toEqual(
      expect.arrayContaining(['exec', 'artifacts', 'sessions', 'config', 'doctor']),
    );
    expect(offered('artifacts', '')).toEqual(['list', 'show', 'grep', 'export', 'clean']);
    expect(offered('sessions', 'd')).toEqual(['delete']);
  });

  test('flags of the command that stands there are offered, and values that are known', () => {
    expect(offered('exec', '--t')).toEqual(['--timeout', '--tee', '--tool']);
    expect(offered('artifacts', 'show', '--json')).toEqual(['--json-path', '--json']);
    expect(offered('truncate', '--profile', 's')).toEqual(['standard', 'spill']);
    expect(offered('truncate', '--strategy', 'ta')).toEqual(['tail']);
    expect(offered('completion', 'b')).toEqual(['bash']);
    expect(offered('truncate', '--limit', 'x')).toEqual([]);
  });

  test('handles and sessions of the workspace are offered where they are taken', async () => {
    const { workspace: there, ids } = await withStored();
    const inside = (...words: string[]) => offeredIn(there.root, ...words);
    for (const command of ['show', 'export', 'clean', 'grep'])
      expect(inside('artifacts', command, 'art_')).toEqual(ids);
    expect(inside('artifacts', 'show', 'l')).toEqual(['last']);
    expect(inside('artifacts', 'show', ids[1]?.slice(0, -3) ?? '')).toEqual([ids[1]]);
    expect(inside('artifacts', 'show', '--ra')).toEqual(['--raw']);
    for (const command of ['show', 'end', 'delete', 'export'])
      expect(inside('sessions', command, 'b')).toEqual(['build']);
    expect(inside('artifacts', 'list', '--session', '')).toEqual(['build', 'run-1']);
    expect(inside('exec', '--session', 'r')).toEqual(['run-1']);
    await expect(access(join(there.root, 'planted'))).rejects.toThrow('ENOENT');
  });

  test('nothing is offered and nothing said where nothing can be read, or the program is not there', async () => {
    const { root, artifacts } = await freshWorkspace();
    expect(offeredIn(root, 'artifacts', 'show', 'art_')).toEqual([]);
    await expect(access(artifacts)).rejects.toThrow('ENOENT');
    await mkdir(artifacts, { recursive: true });
    await writeFile(join(artifacts, 'store.db'), 'not a store');
    expect(offeredIn(root, 'artifacts', 'show', 'a')).toEqual([]);
    await writeFile(join(root, '.acode', 'config.yml'), 'tools: [');
    expect(offeredIn(root, 'artifacts', 'show', 'art_')).toEqual([]);
    const broken = spawnSync(
      join(commands, 'spillway'),
      ['completion', '--words', '--', 'artifacts', 'show', 'art_'],
      {
        cwd: root,
        env: environment(root),
        encoding: 'utf8',
      },
    );
    expect(broken).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(
      spawnSync(
        'bash',
        ['-c', `source '${script}'; COMP_WORDS=(/no/spillway artifacts show x); COMP_CWORD=3; _spillway`],
        { encoding: 'utf8' },
      ).stderr,
    ).toBe('');
  });
});

describe('for other shells', () => {
  let workspace: Workspace;

  beforeAll(async () => {
    workspace = await freshWorkspace();
  });

  test.each([
    ['zsh', '#compdef spillway acode'],
    ['fish', '# fish completion for spillway'],
  ])('a script for %s is read by it', async (shell, first) => {
    const { stdout } = await workspace.run(['completion', shell]);
    expect(stdout.split('\n')[0]).toBe(first);
    if (!installed(shell)) return;
    const file = join(workspace.root, `completion.${shell}`);
    await writeFile(file, stdout);
    expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  test.skipIf(!installed('fish'))(
    'fish offers commands, handles and sessions, each with what it is',
    async () => {
      const { workspace: there, ids } = await withStored();
      const file = join(there.root, 'completion.fish');
      await writeFile(file, (await there.run(['completion', 'fish'])).stdout);
      const offered = (line: string) =>
        spawnSync('fish', ['--no-config', '-c', `source '${file}'; complete -C '${line}'`], {
          encoding: 'utf8',
          cwd: there.root,
          env: environment(there.root),
        }).stdout;
      expect(offered('spillway sessions d')).toMatch(/^delete\tRemove a session/);
      for (const id of ids) expect(offered('spillway artifacts show art_')).toContain(`${id}\t`);
      expect(offered('spillway sessions show b')).toMatch(/^build\tlast seen: /);
      expect(offered('spillway artifacts list --session r')).toMatch(/^run-1\t/);
    },
  );

  test.skipIf(!installed('zsh'))('zsh offers commands and handles, each with what it is', async () => {
    const { workspace: there, ids } = await withStored();
    const file = join(there.root, 'completion.zsh');
    await writeFile(file, (await there.run(['completion', 'zsh'])).stdout);
    const offered = (...words: string[]) => {
      const given = `words=(spillway ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}`;
      const script = `_describe() { print -rl -- "\${(@P)2}" }; _files() { print files }; ${given}; source '${file}'`;
      return spawnSync('zsh', ['-f', '-c', script], {
        encoding: 'utf8',
        cwd: there.root,
        env: environment(there.root),
      }).stdout;
    };
    expect(offered('sessions', 'd')).toMatch(/^delete:Remove a session/);
    expect(offered('truncate', 'no-such')).toBe('files\n');
    for (const id of ids)
      expect(offered('artifacts', 'show', '')).toMatch(
        new RegExp(`^${id}:now, 29 KB, truncate: standard input$`, 'm'),
      );
  });

  test('one that is not known is refused with those there are', async () => {
    expect(await workspace.run(['completion', 'powershell'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'spillway: There are scripts for bash, zsh, fish. See `spillway completion --help`.\n',
    });
  });
});

test.skipIf(spawnSync('groff', ['--version']).status !== 0)(
  'the manual page is read by groff without a warning',
  () => {
    const page = new URL('../man/spillway.1', import.meta.url).pathname;
    const { status, stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', page], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const word of ['truncate', 'exec', 'sessions', 'doctor']) expect(stdout).toContain(word);
  },
);
