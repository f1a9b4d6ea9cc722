// Where things are not as one would wish: nothing can be written, there is no home, nobody reads,
// streams are closed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, handleOf, numberedLines, type Workspace } from '../program.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/spillway.js', import.meta.url));
const mayMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

/** Runs a script with the workspace on a file system that can only be read. */
function onReadOnly({ root }: Workspace, script: string) {
  const lines = [
    'set -e',
    `mount --bind '${root}' '${root}'`,
    `mount -o remount,ro,bind '${root}'`,
    `cd '${root}'`,
    `spillway() { '${process.execPath}' '${PROGRAM}' "$@"; }`,
    script,
  ];
  const { status, stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', lines.join('\n')], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: root },
  });
  return { code: status, stdout, stderr };
}

describe.skipIf(!mayMount)('on a file system that can only be read', () => {
  test('outputs are shown and said not to be stored, and what was stored before can be read', async () => {
    const workspace = await freshWorkspace();
    const text = numberedLines(3_000);
    await writeFile(join(workspace.root, 'a.log'), text);
    const id = handleOf(await workspace.truncate(text));
    const shown = onReadOnly(workspace, 'spillway truncate a.log --limit 600');
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('spillway: Not stored: ') });
    expect(shown.stdout).toContain('not stored');
    expect(shown.stdout).not.toContain('art_');
    expect(shown.stdout.length).toBeLessThanOrEqual(600);
    expect(onReadOnly(workspace, 'spillway exec -- sh -c "echo hi; exit 4"')).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/^\[Exit code 4 after [\d.]+ s\.\]\nhi\n$/),
    });
    expect(onReadOnly(workspace, `spillway artifacts show ${id} --raw`)).toEqual({
      code: 0,
      stdout: text,
      stderr: '',
    });
    expect(onReadOnly(workspace, 'spillway artifacts list').stdout).toContain(id);
    expect(onReadOnly(workspace, 'spillway sessions list').stdout).toContain('cli');
    expect(onReadOnly(workspace, 'spillway stats').code).toBe(0);
    expect(onReadOnly(workspace, 'spillway artifacts clean').code).toBe(1);
    const doctor = onReadOnly(workspace, 'spillway doctor');
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain('cannot be written: outputs are shown but not stored');
    expect(doctor.stdout).toContain('all as they were stored');
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(text);
  });

  test('a workspace without a store gets none, and is as good as ever', async () => {
    const workspace = await freshWorkspace();
    expect(onReadOnly(workspace, 'echo hello | spillway truncate')).toMatchObject({
      code: 0,
      stdout: 'hello\n',
    });
    expect(onReadOnly(workspace, 'spillway artifacts list')).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(
        /^spillway: \S+artifacts cannot be written\. Outputs are kept in \S+\.\nNo artifacts here\.\n$/,
      ),
    });
  });
});

describe.skipIf(!existsSync('/proc/self'))('in a folder that takes no files', () => {
  test.each([
    ['truncate', ['truncate'], 0, 'hello\n'],
    ['exec', ['exec', '--', 'cat'], 0, 'hello\n'],
    ['artifacts list', ['artifacts', 'list'], 0, ''],
    ['sessions list', ['sessions', 'list'], 0, ''],
    ['stats', ['stats'], 0, ''],
    [
      'config validate',
      ['config', 'validate'],
      0,
      'Valid. There is no file with settings; variables and built-in settings apply.\n',
    ],
  ])('%s does what it can', async (_, args, code, stdout) => {
    const { run } = await freshWorkspace();
    const ran = await run(args, { cwd: '/proc', input: 'hello\n' });
    expect(ran).toMatchObject({ code, stdout });
    expect(ran.stderr).not.toMatch(/\n\s+at /);
  });
});

describe.concurrent('without a home', () => {
  test.each([
    ['that is not there', { HOME: '/nowhere/at/all' }],
    ['that is empty', { HOME: '' }],
  ])('%s, everything works', async (_, env) => {
    const { run, ids } = await freshWorkspace(env);
    expect(await run(['truncate', '--limit', '400'], { input: numberedLines(500) })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await run(['exec', '--', 'echo', 'hi'])).toMatchObject({ code: 0, stdout: 'hi\n', stderr: '' });
    expect(await ids('--all')).toHaveLength(2);
  });
});

describe.concurrent('a reader that has gone', () => {
  test.each([
    ['exec', 'spillway exec --strategy none -- seq 1 100000 | head -n 1', '1\n'],
    [
      'artifacts grep',
      'seq 1 50000 | spillway truncate >/dev/null; spillway artifacts grep 1 | head -n 1 | wc -l',
      '1\n',
    ],
    [
      'completion',
      'spillway completion bash | head -n 1',
      '# bash completion for spillway: source <(spillway completion bash)\n',
    ],
    ['config schema', 'spillway config schema | head -c 1', '{'],
  ])('ends %s quietly', async (_, script, stdout) => {
    const { shell } = await freshWorkspace();
    expect(await shell(script)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^\\s*${stdout.trim().replace(/[()<]/g, '\\$&')}\\s*$`)),
      stderr: '',
    });
  });
});

describe.concurrent('with a stream closed', () => {
  test.each([
    ['standard input', 'spillway exec -- echo hi <&-', 'hi\n'],
    ['standard output', 'spillway exec -- echo hi >&-; echo $?', '0\n'],
    [
      'standard error',
      'spillway exec --timeout 0.3 -- sleep 9 2>&-; echo " $?"',
      '[No output. Timed out after 0.3 s. Output incomplete.] 124\n',
    ],
  ])('%s, a command is run all the same', async (_, script, stdout) => {
    const { shell } = await freshWorkspace();
    expect(await shell(script)).toMatchObject({ stdout, stderr: '' });
  });
});

describe.concurrent('through the program,', () => {
  test('of a whole file of 30,000 chars its first line is visible', async () => {
    const { truncate } = await freshWorkspace();
    const { content } = await truncate(
      `THE FIRST LINE\n${numberedLines(3_400)}`.slice(0, 30_000),
      '--tool',
      'read_file',
    );
    expect(content.split('\n').slice(0, 5)).toContain('THE FIRST LINE');
  });

  test.each([
    'TypeError: x is undefined',
    'FAIL src/a.test.ts',
    'panic: runtime error',
    'npm ERR! code 1',
    '##[error]Process completed',
    'E   assert 1 == 2',
  ])('%j in the middle of a command is kept', async (line) => {
    const { run } = await freshWorkspace();
    const text = `${numberedLines(4_000, '2024-05-01 10:00:00 INFO built step')}${line}\n${numberedLines(4_000, '2024-05-01 10:00:01 INFO linked part')}`;
    const { stdout } = await run(['exec', '--', 'cat'], { input: text });
    expect(stdout.length).toBeLessThanOrEqual(8_000);
    expect(stdout).toContain(`\n${line}\n`);
  });

  test.each(['0 errors found', 'gcc -Werror -c a.c', 'building error_handler.o'])(
    '%j is no error',
    async (line) => {
      const { run } = await freshWorkspace();
      const text = `${numberedLines(4_000, '2024-05-01 10:00:00 INFO built step')}${line}\n${numberedLines(4_000, '2024-05-01 10:00:01 INFO linked part')}`;
      const { stdout } = await run(['exec', '--', 'cat'], { input: text });
      expect(stdout.length).toBeLessThanOrEqual(8_000);
      // It may be shown, since no other line looks like it; it is never counted.
      expect(stdout).not.toMatch(/\[(?:Errors|Warnings)/);
    },
  );
});

test("an empty HOME is none: what lies in the current folder is not taken for the user's own settings", async () => {
  const { run, root } = await freshWorkspace();
  await mkdir(join(root, '.config', 'spillway'), { recursive: true });
  await writeFile(
    join(root, '.config', 'spillway', 'config.yml'),
    'spillway:\n  store: /nowhere\ntools:\n  truncation:\n    inline_limit: 300\n',
  );
  const { stdout } = await run(['truncate'], { input: numberedLines(100), env: { HOME: '' } });
  expect(stdout).toBe(numberedLines(100));
  expect((await run(['doctor'], { env: { HOME: '' } })).stdout).toContain('! Home: there is none\n');
});

test('a temporary folder or a file of settings that cannot be looked at ends nothing', async () => {
  const { run, root } = await freshWorkspace({ HOME: '' });
  expect(await run(['truncate'], { input: 'hi\n', env: { TMPDIR: '/dev/null' } })).toMatchObject({
    code: 0,
    stdout: 'hi\n',
  });
  await mkdir(join(root, '.acode'), { recursive: true });
  await symlink('config.yml', join(root, '.acode', 'config.yml'));
  const { code, stderr } = await run(['truncate'], { input: 'hi\n' });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Cannot read .acode/config.yml (ELOOP)')]);
});
