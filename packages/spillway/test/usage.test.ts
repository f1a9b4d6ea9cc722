// Usage: help, refusals (exit code 2, one message on standard error, nothing on standard output),
// closed pipes, and secrets kept.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, handleOf, numberedLines, type Ran } from './program.ts';

const COMMANDS: Record<string, readonly string[]> = {
  truncate: ['tool', 'strategy', 'limit', 'profile', 'set', 'session', 'no-store', 'json', 'help'],
  exec: ['timeout', 'cwd', 'env', 'pty', 'repl', 'max-capture', 'tool', 'limit', 'json', 'help'],
  'artifacts list': ['all', 'limit', 'json', 'help'],
  'artifacts show': ['lines', 'chars', 'grep', 'raw', 'interleaved', 'cursor', 'json', 'help'],
  'artifacts clean': ['purge', 'dry-run', 'json', 'help'],
};

describe.concurrent('help', () => {
  test('of the program fits a screen: ten commands and five settings, by --help and help', async () => {
    const { run } = await freshWorkspace();
    for (const asked of ['--help', 'help']) {
      const { code, stdout, stderr } = await run([asked]);
      expect({ code, stderr }, asked).toEqual({ code: 0, stderr: '' });
      const named = [...stdout.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name]) => name);
      const first = [
        'exec',
        'truncate',
        'artifacts',
        'stats',
        'discover',
        'inspect',
        'hook',
        'mcp',
        'config',
        'doctor',
      ];
      expect(named).toEqual(first);
      expect(stdout).toContain('inline_limit, strategy, page_limit, exclude, redact.');
      expect(stdout).toContain('spillway help advanced');
      expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
    }
  });

  test('advanced names every command', async () => {
    const { run } = await freshWorkspace();
    const { code, stdout } = await run(['help', 'advanced']);
    expect(code).toBe(0);
    for (const command of [...Object.keys(COMMANDS), 'store vacuum', 'sessions export'])
      expect(stdout).toContain(command);
  });

  test.each(Object.entries(COMMANDS))('of %s names all its flags', async (command, flags) => {
    const { run } = await freshWorkspace();
    const { code, stdout, stderr } = await run([...command.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`spillway ${command}`);
    for (const flag of flags) expect(stdout).toMatch(new RegExp(`^  .*--${flag}\\b`, 'm'));
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  test('is also what -h asks for', async () => {
    const { run } = await freshWorkspace();
    for (const command of [[], ['truncate'], ['artifacts', 'show']])
      expect((await run([...command, '-h'])).stdout).toBe((await run([...command, '--help'])).stdout);
  });

  test('is printed even when something else on the line is wrong', async () => {
    const { run } = await freshWorkspace();
    expect(await run(['truncate', 'no-such-file', '--help'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('has the version of the package', async () => {
    const { run } = await freshWorkspace();
    const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(text) as { version: string };
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

/** One message, nothing else, exit code 2. */
function expectRefusal({ code, stdout, stderr }: Ran, ...named: (string | RegExp)[]): void {
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^spillway: [^\n]+\n$/);
  for (const name of named) expect(stderr).toMatch(name);
}

describe.concurrent('help', () => {
  test.each([[['help', 'advanced']], [['truncate', '--help']], [['exec', '--help']]])(
    '%j lists every strategy and every profile that a refusal names',
    async (args) => {
      const { run } = await freshWorkspace();
      const namesIn = (text: string, title: string) =>
        [...(text.split(`\n${title} (`)[1]?.split('\n\n')[0] ?? '').matchAll(/^ {2}(\w+)/gm)].map(
          ([, name]) => name,
        );
      const { stdout } = await run(args);
      for (const [flag, title] of [
        ['--strategy', 'Strategies'],
        ['--profile', 'Profiles'],
      ] as const) {
        const { stderr } = await run(['truncate', flag, 'no_such_name']);
        const known = stderr.match(/(?:Known|Profiles|Strategies): ([\w, ]+)\./)?.[1]?.split(', ') ?? [];
        expect(known.length).toBeGreaterThan(4);
        expect(namesIn(stdout, title).sort()).toEqual(known.sort());
      }
    },
  );
});

describe.concurrent('a refusal', () => {
  test.each<[string, string[], (string | RegExp)[]]>([
    ['no command', [], ['truncate', 'artifacts', '--help']],
    ['an unknown command', ['trunkate'], ['"trunkate"', 'truncate']],
    ['half a command', ['artifacts'], ['artifacts list', 'artifacts show', 'artifacts clean']],
    ['an unknown half of one', ['artifacts', 'remove'], ['artifacts list', 'artifacts clean']],
    ['an unknown flag', ['truncate', '--limits', '5'], ['--limits', 'truncate --help']],
    ['a flag without its value', ['truncate', '--limit'], ['--limit']],
    ['a switch with a value', ['truncate', '--json=yes'], ['--json']],
    ['too many arguments', ['truncate', 'a', 'b'], [/FILE/]],
    ['a file that is not there', ['truncate', 'no-such.log'], ['no-such.log']],
    ['a folder', ['truncate', '.'], ['folder']],
    ['an unknown strategy', ['truncate', '--strategy', 'middle'], ['"middle"', 'head_tail', 'none']],
    ['an unknown profile', ['truncate', '--profile', 'huge'], ['--profile', '"huge"', 'standard']],
    ['a limit below the smallest', ['truncate', '--limit', '299'], ['inline_limit', '300', '299']],
    [
      'a limit above the threshold',
      ['truncate', '--limit', '50001', '--set', 'artifact_threshold=50000'],
      ['inline_limit', 'artifact_threshold'],
    ],
    ['an unknown setting', ['truncate', '--set', 'colour=red'], ['"colour"', 'inline_limit']],
    ['a setting without a value', ['truncate', '--set', 'head_ratio'], ['--set']],
    ['an argument where there is none', ['artifacts', 'list', 'x'], ['artifacts list']],
  ])('of %s names it and what may stand there', async (_, args, named) => {
    const { root, run } = await freshWorkspace();
    expectRefusal(await run(args, { input: numberedLines(3_000) }), ...named);
    await expect(readFile(join(root, '.acode', 'artifacts', 'store.db'))).rejects.toThrow('ENOENT');
  });

  test('is the same with --json', async () => {
    const { run } = await freshWorkspace();
    expectRefusal(await run(['truncate', '--json', '--limit', '299']), '300');
  });
});

describe.concurrent('what was typed wrong is answered with the nearest right one:', () => {
  test.each<[string, string[], string]>([
    ['a command', ['trunkate'], 'Did you mean truncate?'],
    ['half a command', ['artifacts', 'lst'], 'Did you mean artifacts list?'],
    ['a first half', ['artefacts', 'list'], 'Did you mean artifacts list?'],
    ['a flag', ['truncate', '--limits', '5'], 'Did you mean --limit?'],
  ])('%s', async (_, args, text) => {
    const { run } = await freshWorkspace();
    expectRefusal(await run(args), text);
  });

  test('an id', async () => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(numberedLines(3_000)));
    const wrong = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    const { code, stdout, stderr } = await run(['artifacts', 'show', wrong]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`Did you mean ${id}?`);
    expect((await run(['artifacts', 'show', id.replace('art_', 'art-')])).stderr).toContain(
      `Did you mean ${id}?`,
    );
    expect((await run(['artifacts', 'show', 'art_1_zzzzzzzzzzzzzzzz'])).stderr).not.toContain('Did you mean');
  });

  test('a tool, of which any name is taken all the same', async () => {
    const { run } = await freshWorkspace();
    const { code, stderr } = await run(['config', 'explain', 'serch_files']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'No settings are for "serch_files". Did you mean search_files?\n',
    });
    expect((await run(['config', 'explain', 'Search_Files'])).stderr).toBe('');
    expect((await run(['config', 'explain', 'my_own_tool'])).stderr).toBe('');
  });
});

test.concurrent('a setting may be given by its alias, in thousands, and the last one wins', async () => {
  const { truncate } = await freshWorkspace();
  const text = numberedLines(3_000);
  const sizes = async (...flags: string[]) => (await truncate(text, ...flags)).metadata.truncated_size;
  expect(await sizes('--set', 'max_chars=1_000')).toBe(await sizes('--limit', '1000'));
  expect(await sizes('--set', 'max_chars=9000', '--set', 'inline_limit=1000')).toBeLessThanOrEqual(1_000);
});

test.concurrent('a reader that has gone ends truncate quietly, and the output is stored', async () => {
  const { run, ids, shell } = await freshWorkspace();
  const input = numberedLines(3_000);
  expect(await run(['truncate'], { input, closeOutput: true })).toMatchObject({ code: 0, stderr: '' });
  const { code, stdout, stderr } = await shell('spillway truncate --strategy none | head -c 10', {
    input: numberedLines(50_000),
  });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'line 1\nlin', stderr: '' });
  expect(await ids('--all')).toHaveLength(2);
});

describe.concurrent('what goes wrong around it is told in one sentence:', () => {
  test.each([
    ['a file that cannot be read to its end', 'spillway truncate /proc/self/mem', '/proc/self/mem'],
    ['a full disk behind standard output', 'echo hello | spillway truncate > /dev/full', '/dev/full'],
    ['a folder that was removed', 'mkdir gone && cd gone && rmdir ../gone && spillway artifacts list', '/'],
  ])('%s', async (_, script, needs) => {
    if (!existsSync(needs)) return;
    const { shell } = await freshWorkspace();
    const { code, stdout, stderr } = await shell(script);
    expect(code).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^spillway: [^\n]+\n$/);
  });
});

test.concurrent('a secret in a text, its file name or its session is never told on standard error', async () => {
  const { root, run, truncate } = await freshWorkspace();
  const secret = 'sk-live-4242424242';
  const text = `${secret}\n${numberedLines(3_000, secret)}`;
  await writeFile(join(root, `${secret}.log`), text);
  await writeFile(join(root, 'a-file'), '');
  const id = handleOf(await truncate(text));
  const broken = { SPILLWAY_STORE: join(root, 'a-file', 'store') };
  const runs = await Promise.all([
    run(['truncate', `${secret}.log`, '--session', secret]),
    run(['truncate', `${secret}.log`], { env: broken }),
    run(['truncate'], { input: text, env: broken }),
    run(['truncate', '--limit', '1'], { input: text }),
    run(['truncate', '--set', 'max_artifact_size=10', '--set', 'on_over_max=reject'], { input: text }),
    run(['artifacts', 'list']),
    run(['artifacts', 'list', '--all', '--json']),
    run(['artifacts', 'show', id]),
    run(['artifacts', 'show', id, '--lines', '2-3']),
    run(['artifacts', 'show', id, '--grep', 'live']),
    run(['artifacts', 'show', id, '--grep', '[']),
    run(['artifacts', 'show', id, '--chars', '9-1']),
    run(['artifacts', 'show', id, '--part', 'x']),
    run(['artifacts', 'show', secret]),
  ]);
  runs.push(await run(['artifacts', 'clean']), await run(['artifacts', 'show', id]));
  runs.push(await run(['artifacts', 'clean', '--purge']));
  expect(runs.map(({ stderr }) => stderr).filter((stderr) => stderr.includes('4242'))).toEqual([]);
  expect(runs.filter(({ stderr }) => /\n {4}at /.test(stderr))).toEqual([]);
});
