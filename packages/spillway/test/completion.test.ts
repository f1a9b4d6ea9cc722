// Completion scripts, run by the shells they are for where those are installed.
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshWorkspace, type Workspace } from './program.ts';

const installed = (shell: string) => spawnSync(shell, ['--version']).status === 0;

describe.skipIf(!installed('bash'))('in bash', () => {
  let script: string;

  beforeAll(async () => {
    const { root, run } = await freshWorkspace();
    script = join(root, 'completion.bash');
    await writeFile(script, (await run(['completion', 'bash'])).stdout);
  });

  /** What is offered for the last of the words. */
  function offered(...words: string[]): string[] {
    const line = words.map((word) => `'${word}'`).join(' ');
    const { stdout, stderr } = spawnSync(
      'bash',
      [
        '-c',
        `source '${script}'; COMP_WORDS=(spillway ${line}); COMP_CWORD=${words.length}; _spillway; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
      { encoding: 'utf8' },
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
    expect(offered('exec', '--t')).toEqual(['--timeout', '--tool']);
    expect(offered('artifacts', 'show', '--json')).toEqual(['--json-path', '--json']);
    expect(offered('truncate', '--profile', 's')).toEqual(['standard', 'spill']);
    expect(offered('truncate', '--strategy', 'ta')).toEqual(['tail']);
    expect(offered('completion', 'b')).toEqual(['bash']);
    expect(offered('truncate', '--limit', 'x')).toEqual([]);
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
  ])('a script for %s names every command and is read by it', async (shell, first) => {
    const { stdout } = await workspace.run(['completion', shell]);
    expect(stdout.split('\n')[0]).toBe(first);
    for (const word of ['truncate', 'exec', 'grep', 'sessions', 'doctor', 'head_tail'])
      expect(stdout).toContain(word);
    if (!installed(shell)) return;
    const file = join(workspace.root, `completion.${shell}`);
    await writeFile(file, stdout);
    expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
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
