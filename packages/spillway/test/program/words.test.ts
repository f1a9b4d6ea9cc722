// What the program says when something is not as it should be: help of a word that several commands
// share, values that look like flags, files that cannot be read, and names in JSON. Run as a user
// does.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, handleOf, numberedLines, type Ran } from '../program.ts';

function expectRefusal({ code, stdout, stderr }: Ran, message: string | RegExp): void {
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^spillway: [^\n]+\n$/);
  expect(stderr).toMatch(message);
}

describe.concurrent('a word that several commands begin with', () => {
  const GROUPS = {
    artifacts: ['artifacts list', 'artifacts show', 'artifacts clean'],
    sessions: ['sessions list', 'sessions import', 'sessions delete'],
    config: ['config show', 'config validate', 'config set'],
  };

  test.each(Object.entries(GROUPS))('%s lists them when it is asked for help', async (group, names) => {
    const { run } = await freshWorkspace();
    const asked = await Promise.all(
      [
        [group, '--help'],
        [group, '-h'],
        [group, 'help'],
        ['help', group],
        [group, '--json', '--help'],
      ].map((args) => run(args)),
    );
    for (const { code, stdout, stderr } of asked) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Usage: spillway ${group} COMMAND`);
      for (const name of names) expect(stdout).toContain(`  ${name} `);
    }
    expectRefusal(await run([group]), `See \`spillway ${group} --help\``);
  });

  test('leads to the help of one of them', async () => {
    const { run } = await freshWorkspace();
    const { stdout } = await run(['artifacts', 'help', 'show']);
    expect(stdout).toBe((await run(['artifacts', 'show', '--help'])).stdout);
  });

  test('that is a command itself names those below it', async () => {
    const { run } = await freshWorkspace();
    const { code, stdout } = await run(['mcp', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: spillway mcp [-- COMMAND');
    expect(stdout).toContain('  mcp install ');
  });
});

describe.concurrent('a value', () => {
  test('may begin with a dash', async () => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(`-x marks\n${numberedLines(3_000)}`));
    const { code, stdout } = await run(['artifacts', 'show', id, '--grep', '-x']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1:-x marks\n' });
  });

  test.each<[string[], string]>([
    [
      ['artifacts', 'show', 'last', '--lines', '-3'],
      '--lines takes A-B, A- or A. The last lines are --tail 3',
    ],
    [['artifacts', 'show', 'last', '--tail', '-3'], '--tail takes a number of lines, at least 1.'],
    [['artifacts', 'show', 'last', '--lines', '--json'], '--lines needs a value: A-B.'],
    [['artifacts', 'show', 'last', '--lines'], '--lines needs a value: A-B.'],
    [['truncate', '--limit', '-5'], 'must be a whole number of at least 300; it was -5.'],
    [['exec', '--timeout', '-1', '--', 'true'], '--timeout takes seconds, above 0'],
  ])('that cannot be used is told in words: %j', async (args, message) => {
    const { run, truncate } = await freshWorkspace();
    await truncate(numberedLines(3_000));
    expectRefusal(await run(args), message);
  });
});

describe.concurrent('what is piped into a command that refuses to begin', () => {
  test.each([
    ['a flag that is not there', ['truncate', '--limits', '5'], {}],
    ['a setting that is wrong', ['truncate', '--set', 'snap=word'], {}],
    ['a configuration that is wrong', ['truncate'], { TRUNCATION_SNAP: 'word' }],
    ['a strategy that is not there', ['truncate', '--strategy', 'middle'], {}],
  ])('is not waited for, and the message says so: %s', async (_, args, env) => {
    const { shell, artifacts } = await freshWorkspace(env as Record<string, string>);
    // The pipe stays open until the program has ended.
    const script = `mkfifo pipe; (exec 3>pipe; while [ ! -e done ]; do sleep 0.1; done) & spillway ${args.join(' ')} < pipe; code=$?; touch done; exit $code`;
    const { code, stdout, stderr } = await shell(script);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/Nothing was read or stored\.\n$/);
    expect(existsSync(artifacts)).toBe(false);
  });

  test('is told of exec too', async () => {
    const { run } = await freshWorkspace();
    expectRefusal(await run(['exec', '--limt', '5', '--', 'true']), /Nothing was run or stored\.\n$/);
  });
});

describe.concurrent('a file or folder that cannot be used is told in words:', () => {
  test.each<[string, string[], Record<string, string>, string]>([
    ['import of no file', ['sessions', 'import', 'none'], {}, 'Cannot read "none": there is no such file'],
    ['import of a folder', ['sessions', 'import', 'folder'], {}, 'Cannot read "folder": it is a folder.'],
    ['a part of the path', ['truncate', 'file/x'], {}, 'a part of the path is not a folder.'],
    ['export to a file', ['artifacts', 'export', '--to', 'file'], {}, 'file": it is not a folder.'],
    [
      'export below a file',
      ['artifacts', 'export', '--to', 'file/x'],
      {},
      'a part of the path is not a folder.',
    ],
    [
      'export to where nobody may',
      ['artifacts', 'export', '--to', '/proc/x'],
      {},
      'Cannot write to "/proc/x": ',
    ],
    ['servers in no file', ['mcp', '--config', 'none'], {}, 'Cannot read "none": there is no such file'],
    ['servers in a folder', ['mcp', '--config', 'folder'], {}, 'Cannot read "folder": it is a folder.'],
    ['tokens in no file', ['serve', '--token-file', 'none', '--', 'x'], {}, 'Cannot read "none": '],
    [
      'settings of no home',
      ['config', 'set', 'snap', 'exact', '--user'],
      { HOME: '/proc/x' },
      'Cannot write to ',
    ],
    [
      'a store that is a file',
      ['artifacts', 'list'],
      { SPILLWAY_STORE: '/etc/passwd' },
      'There can be no store in "/etc/passwd": "/etc/passwd" is not a folder. Check SPILLWAY_STORE',
    ],
    [
      'a store below a file',
      ['stats'],
      { SPILLWAY_STORE: '/etc/passwd/x' },
      '"/etc/passwd" is not a folder.',
    ],
    [
      'sessions in a file',
      ['sessions', 'list', '--json'],
      { SPILLWAY_STORE: '/etc/passwd' },
      'There can be no store',
    ],
  ])('%s', async (_, args, env, message) => {
    const { root, run, truncate } = await freshWorkspace();
    await truncate(numberedLines(3_000));
    await mkdir(join(root, 'folder'));
    await writeFile(join(root, 'file'), 'x');
    const { code, stdout, stderr } = await run(args, { env });
    expect(code).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^spillway: [^\n]+\n$/);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/ENOENT|ENOTDIR|EISDIR|EEXIST/);
  });

  test('the current folder', async () => {
    const { shell } = await freshWorkspace();
    for (const command of ['artifacts list', 'exec -- true', 'config show', 'doctor']) {
      const { code, stderr } = await shell(`mkdir gone && cd gone && rmdir ../gone && spillway ${command}`);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'spillway: The current folder is no longer there. Change to another one.\n',
      });
    }
  });
});

test.concurrent('config validate --json tells what is wrong as JSON', async () => {
  const { root, run } = await freshWorkspace();
  await mkdir(join(root, '.acode'));
  await writeFile(join(root, '.acode', 'config.yml'), 'truncation:\n  snap: word\n  colour: red\n');
  await writeFile(join(root, 'tools.yaml'), 'x:\n  truncation: { strategy: tale }\n');
  const failed = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(['config', 'validate', '--json', ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    return JSON.parse(stdout);
  };
  expect(await failed()).toEqual({
    valid: false,
    problems: [
      {
        message: '.acode/config.yml:2: snap must be one of line, exact; it was "word".',
        file: '.acode/config.yml',
        line: 2,
      },
      {
        message: expect.stringContaining('"colour" is not a setting'),
        file: '.acode/config.yml',
        line: 3,
      },
      {
        message: expect.stringContaining('strategy "tale" (from tools.yaml:2) is not known.'),
        file: 'tools.yaml',
        line: 2,
      },
    ],
  });
  expect((await failed('tools.yaml')).problems).toMatchObject([{ file: 'tools.yaml', line: 2 }]);
  expect((await failed('none.yml')).problems).toMatchObject([{ file: null, line: null }]);
});

test.concurrent('an output that settings refuse is told with its size and both settings', async () => {
  const { run, ids } = await freshWorkspace();
  const flags = ['--set', 'max_artifact_size=1000000', '--set', 'on_over_max=reject'];
  const input = numberedLines(300_000);
  const { code, stderr } = await run(['truncate', ...flags], { input });
  expect(code).toBe(0);
  expect(stderr).toContain(
    'spillway: Not stored: 3.5 MB is over max_artifact_size (1.0 MB) and on_over_max is "reject".\n',
  );
  expect(stderr).not.toContain('disk');
  expect(await ids('--all')).toEqual([]);
});

test.concurrent('a retired handle is not called purged', async () => {
  const { run, truncate, ids } = await freshWorkspace();
  const id = handleOf(await truncate(numberedLines(3_000)));
  await run(['artifacts', 'clean']);
  expect((await run(['artifacts', 'show', id])).stderr).toContain('its handle was retired');
  expect(await ids('--all')).toEqual([id]);
});

test.concurrent('one of a thing is told as one', async () => {
  const { truncate } = await freshWorkspace();
  const { content } = await truncate(`first\n${'a'.repeat(30_000)}\nlast\n`, '--strategy', 'lines');
  expect(content).not.toMatch(/\b1 (?:lines|chars|bytes|blocks)\b/);
  const [one] = /^\.\.\. \[1 line .*$/m.exec(content) ?? [];
  expect(one).toMatch(/^\.\.\. \[1 line \/ [\d,]+ chars omitted: \d+-\d+\] \.\.\.$/);
});

/** All keys in a value. */
function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysIn)];
}

test.concurrent('names in JSON are written in snake_case, in every command', async () => {
  const { run, truncate, root } = await freshWorkspace();
  await mkdir(join(root, '.config', 'spillway'), { recursive: true });
  await writeFile(
    join(root, '.config', 'spillway', 'config.yml'),
    'spillway: { max_age_days: 5, max_bytes: 9000000 }\n',
  );
  const explained = await truncate(numberedLines(3_000), '--explain', '--strategy', 'smart_summary');
  const id = handleOf(explained);
  const runs = await Promise.all(
    [
      ['exec', '--json', '--timeout', '9', '--', 'sh', '-c', 'seq 1 5000; exit 3'],
      ['artifacts', 'list', '--all', '--json'],
      ['artifacts', 'show', id, '--json'],
      ['artifacts', 'show', id, '--grep', '30', '--json'],
      ['artifacts', 'grep', '30', '--json'],
      ['artifacts', 'export', id, '--json'],
      ['sessions', 'list', '--json'],
      ['sessions', 'show', 'cli', '--json'],
      ['config', 'show', '--json'],
      ['config', 'explain', 'x', '--json'],
      ['stats', '--json'],
      ['doctor', '--json'],
      ['artifacts', 'clean', '--dry-run', '--json'],
    ].map((args) => run(args)),
  );
  const [exec] = runs;
  const { exit_code, artifact } = JSON.parse(exec?.stdout ?? '');
  expect([exit_code, artifact.outcome.exit_code]).toEqual([3, 3]);
  const record = JSON.parse(await readFile(join(root, 'spillway-export', id, 'record.json'), 'utf8'));
  for (const value of [explained, record, ...runs.map(({ stdout }) => JSON.parse(stdout))])
    expect(keysIn(value).filter((key) => /[a-z][A-Z]/.test(key))).toEqual([]);
});

test('a command on a terminal is given no pager and no warning of ours', async () => {
  const { run } = await freshWorkspace({ PAGER: 'less', GIT_PAGER: 'less' });
  const script = 'echo "$PAGER $GIT_PAGER $MANPAGER"; seq 1 200 | $PAGER | tail -1';
  const { code, stdout, stderr } = await run(['exec', '--pty', '--', 'sh', '-c', script]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.replaceAll('\r', '')).toContain('cat cat cat\n200\n');
  const own = await run(['exec', '--pty', '--env', 'PAGER=more', '--', 'sh', '-c', 'echo "$PAGER"']);
  expect(own.stdout).toContain('more');
});
