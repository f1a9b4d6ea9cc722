// What a new user meets first: no command, a wrong one, a store that is not there, a hook that moved.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, handleOf, numberedLines, parsed } from '../program.ts';

const TOPICS =
  'truncate, exec, artifacts, sessions, config, mcp, hook, serve, inspect, stats, discover, doctor, store, completion';

describe.concurrent('a line that says too little', () => {
  test.each([
    [[], `Say what to do: ${TOPICS}. See \`spillway --help\`.`],
    [['xyzzy'], `There is no command "xyzzy". Commands: ${TOPICS}. See \`spillway --help\`.`],
    [['trunkate'], 'There is no command "trunkate". Did you mean truncate? See `spillway --help`.'],
    [
      ['artifact', 'list'],
      'There is no command "artifact". Did you mean artifacts list? See `spillway --help`.',
    ],
    [
      ['config', 'foo'],
      'config does not have that command: config show, config get, config explain, config validate, config schema, config set, config unset. See `spillway config --help`.',
    ],
    [
      ['config', 'validat'],
      'config does not have that command: config show, config get, config explain, config validate, config schema, config set, config unset. Did you mean config validate? See `spillway config --help`.',
    ],
  ])('%j is answered in one short sentence', async (args, sentence) => {
    const { run } = await freshWorkspace();
    expect(await run(args)).toMatchObject({ code: 2, stdout: '', stderr: `spillway: ${sentence}\n` });
  });
});

describe.concurrent('a store that is named wrong', () => {
  test('is not made where outputs should be copied from', async () => {
    const { run, root } = await freshWorkspace();
    const args = ['store', 'copy', '--from', 'gone', '--to', 'copies'];
    const { code, stderr } = await run(args);
    expect([code, stderr]).toEqual([
      1,
      `spillway: There is no store to read: ${join(root, 'gone', 'store.db')} is not there.\n`,
    ]);
  });

  test('is not taken for a folder if it is an address', async () => {
    const { run } = await freshWorkspace({ SPILLWAY_STORE: 'mysql://me:secret@host/db' });
    const { code, stderr } = await run(['exec', '--', 'echo', 'hi']);
    expect(code).toBe(2);
    expect(stderr).toContain('A store is a folder or postgres://USER@HOST:PORT/DATABASE');
    expect(stderr).not.toContain('secret');
  });
});

test('`last` is the first of `artifacts list`, also after older outputs were copied in', async () => {
  const { run, root, truncate, ids } = await freshWorkspace();
  const older = handleOf(await truncate(numberedLines(3_000)));
  const env = { SPILLWAY_STORE: join(root, 'other') };
  const newer = await run(['truncate', '--json'], { input: numberedLines(3_000, 'new'), env });
  await run(['store', 'copy', '--to', 'other']);
  const listed = parsed<{ artifacts: { id: string }[] }>(await run(['artifacts', 'list', '--json'], { env }));
  expect(listed.artifacts.map(({ id }) => id)).toEqual([handleOf(parsed(newer)), older]);
  const last = parsed<{ id: string }>(await run(['artifacts', 'show', 'last', '--json'], { env }));
  expect(last.id).toBe(handleOf(parsed(newer)));
  expect(await ids()).toEqual([older]);
});

describe.concurrent('doctor', () => {
  test('names the agents that have the hook, and one whose program is gone', async () => {
    const { run, root } = await freshWorkspace();
    for (const agent of ['gemini', 'pi', 'claude-code']) await run(['hook', 'install', '--agent', agent]);
    const { stdout, code } = await run(['doctor']);
    expect(code).toBe(0);
    for (const line of [
      `✓ Hook in Claude Code: ${root}/.claude/settings.json\n`,
      `✓ Hook in Gemini CLI: ${root}/.gemini/settings.json\n`,
      `✓ Hook in pi: ${root}/.pi/agent/extensions/spillway.js\n`,
    ])
      expect(stdout).toContain(line);
    expect(stdout.match(/Hook in/g)).toHaveLength(3);
  });

  test.each([
    ['a program that is gone', '/gone/spillway hook claude-code', '/gone/spillway'],
    [
      'a file that is gone',
      `'${process.execPath}' "/gone/spillway.js" hook claude-code`,
      '/gone/spillway.js',
    ],
    [
      'a name that is not on the path',
      'A=1 no-such-program/spillway hook claude-code',
      'no-such-program/spillway',
    ],
  ])('says that a hook starts %s, and what to do', async (_, command, missing) => {
    const { run, root } = await freshWorkspace();
    await mkdir(join(root, '.claude'));
    const hooks = { PostToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] };
    const file = join(root, '.claude', 'settings.json');
    await writeFile(file, JSON.stringify({ hooks }));
    const { code, stdout } = await run(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `✗ Hook in Claude Code: ${file} starts ${missing}, which is not there: results pass as they are\n  Put it in again: spillway hook install --agent claude-code\n`,
    );
  });

  test('goes on where the settings of an agent cannot be read', async () => {
    const { run, root } = await freshWorkspace();
    await mkdir(join(root, '.cursor'));
    await writeFile(join(root, '.cursor', 'hooks.json'), '{ "hooks": ');
    const { code, stdout } = await run(['doctor']);
    expect(code).toBe(0);
    expect(stdout).toContain('! Hook in Cursor: Cannot use ');
  });
});
