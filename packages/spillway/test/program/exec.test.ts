// `spillway exec` with real commands: streams, exit codes, interpreters. How it ends early is in
// exec-ending.test.ts.
import { mkdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Executed, freshWorkspace, isAlive, numberedLines, parsed, untimed } from '../program.ts';

/** Prints so many chars to each stream, in lines of 20. */
function printing(out: number, err: number, code = 0): string[] {
  const script = `
    const lines = (word, chars) => { let text = ''; for (let i = 1; text.length < chars; i++) text += (word + ' ' + i).padEnd(19, '.') + '\\n'; return text.slice(0, chars); };
    process.stdout.write(lines('out', ${out}));
    process.stderr.write(lines('err', ${err}));
    process.exitCode = ${code};`;
  return [process.execPath, '-e', script];
}

describe.concurrent('a command', () => {
  test('with --explain tells why each block was kept', async () => {
    const { run } = await freshWorkspace();
    const ran = await run(['exec', '--explain', '--strategy', 'smart_summary', '--', ...printing(30_000, 0)]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/smart_summary|kept|lines/);
    const unstored = await run(['exec', '--explain', '--no-store', '--', ...printing(30_000, 0)]);
    expect(unstored.code).toBe(0);
    expect(unstored.stderr).toMatch(/^Kept by \w+, because /m);
  });

  test('that says much is noted on standard error while it runs', async () => {
    const { run } = await freshWorkspace();
    const line = 'x'.repeat(2_000);
    const ran = await run(['exec', '--max-capture', '120000000', '--limit', '500', '--', 'yes', line]);
    expect(ran.stderr).toContain('spillway: it still runs; 100 MB, ');
  });

  test('that ends in a hurry loses nothing it wrote: it writes to pipes, as behind a shell', async () => {
    const { run } = await freshWorkspace();
    const hurried = 'for (let i = 1; i <= 2000; i++) console.log("step " + i); null.x';
    const ran = await run(['exec', '--json', '--strategy', 'none', '--', process.execPath, '-e', hurried]);
    const { content, metadata } = JSON.parse(ran.stdout) as Executed;
    expect([ran.code, metadata.outcome.exit_code]).toEqual([1, 1]);
    expect(content.match(/^step \d+$/gm)).toHaveLength(2_000);
    const kinds =
      'const fs = require("fs"); console.log([1, 2].map((fd) => fs.fstatSync(fd).isFIFO()).join())';
    const { stdout } = await run(['exec', '--', process.execPath, '-e', kinds]);
    expect(stdout).toContain('true,true');
  });

  test('runs also where no pipe can be made', async () => {
    const { run } = await freshWorkspace();
    const { code, stdout } = await run(['exec', '--', 'sh', '-c', 'echo one; exit 3'], {
      env: { TMPDIR: '/nowhere/at/all' },
    });
    expect({ code, stdout: untimed(stdout) }).toEqual({
      code: 3,
      stdout: '[Exit code 3 after TIME.]\none\n',
    });
  });

  test('is shown by its streams, each labelled, with its exit code first and passed through', async () => {
    const { run } = await freshWorkspace();
    const { code, stdout, stderr } = await run(['exec', '--', 'sh', '-c', 'echo one; echo two >&2; exit 3']);
    expect({ code, stdout: untimed(stdout), stderr }).toEqual({
      code: 3,
      stdout: '[Exit code 3 after TIME.]\n[stdout]\none\n[stderr]\ntwo\n',
      stderr: '',
    });
  });

  test('that says nothing is said to have said nothing, and what is stored stays empty', async () => {
    const { run, ids } = await freshWorkspace();
    const { code, stdout } = await run(['exec', '--', 'true']);
    expect([code, untimed(stdout)]).toEqual([0, '[No output. Exit code 0 after TIME.]']);
    const [id = ''] = await ids('--all');
    expect((await run(['artifacts', 'show', id, '--raw'])).bytes).toHaveLength(0);
  });

  test('that fails with 100,000 chars tells its exit code in the first lines', async () => {
    const { run } = await freshWorkspace();
    const { code, stdout } = await run(['exec', '--', ...printing(100_000, 0, 7)]);
    expect(code).toBe(7);
    expect(stdout.length).toBeLessThanOrEqual(8_000);
    expect(untimed(stdout.split('\n').slice(0, 3).join('\n'))).toContain('Exit code 7 after TIME.');
  });

  test('with 20,000 chars in both streams shows both labels, both ends, each with its own count', async () => {
    const { run } = await freshWorkspace();
    const { stdout } = await run(['exec', '--', ...printing(20_000, 20_000)]);
    expect(stdout.length).toBeLessThanOrEqual(8_000);
    expect(stdout).toMatch(/^\[stdout: 20,000 chars, 1,000 lines\]$/m);
    expect(stdout).toMatch(/^\[stderr: 20,000 chars, 1,000 lines\]$/m);
    expect(stdout).toMatch(/[\d,]+ lines \/ [\d,]+ chars omitted from stdout/);
    expect(stdout).toMatch(/[\d,]+ lines \/ [\d,]+ chars omitted from stderr/);
    for (const end of ['out 1.', 'err 1.', 'out 1000', 'err 1000']) expect(stdout).toContain(end);
  });

  test('with 10 chars of stderr gives the rest of the room to stdout; a blank stderr has no section', async () => {
    const { run } = await freshWorkspace();
    const { stdout } = await run(['exec', '--', ...printing(50_000, 10)]);
    expect(stdout).toContain('err 1');
    const { stdout: alone } = await run(['exec', '--', ...printing(50_000, 0)]);
    const rows = (text: string) => text.match(/^out \d+/gm)?.length ?? 0;
    expect(rows(alone)).toBeGreaterThan(100);
    expect(rows(stdout)).toBeGreaterThan(rows(alone) - 10);
    const { stdout: quiet } = await run(['exec', '--', 'sh', '-c', 'echo one; printf "  \n\n" >&2']);
    expect(quiet).toBe('one\n');
  });

  test('whose one error is in the middle of 20,000 lines shows it in its place, with counts around', async () => {
    const { run } = await freshWorkspace();
    const script = `for (let i = 1; i <= 20000; i++) console.log(i === 9999 ? 'ERROR: the disk is on fire' : '2024-05-01 10:00:00 INFO step ' + i + ' done')`;
    const { stdout } = await run(['exec', '--', process.execPath, '-e', script]);
    expect(stdout.length).toBeLessThanOrEqual(8_000);
    expect(stdout).toMatch(/chars omitted.*\] \.\.\.\n(?:.*\n)*9999: ERROR: the disk is on fire\n/);
    expect(stdout.trimEnd()).toMatch(/step 20000 done$/);
  });

  test('of more than 40,000 chars under the profile spill shows both ends and names the file with the rest', async () => {
    const { run, root } = await freshWorkspace();
    const { stdout } = await run(['exec', '--profile', 'spill', '--', ...printing(41_000, 0)]);
    const [, path = ''] = /saved to (\S+\.txt)/.exec(stdout) ?? [];
    expect(await readFile(join(root, path), 'utf8')).toHaveLength(41_000);
    expect(stdout).toContain('out 1.');
    expect(stdout).toContain('out 2050');
    expect(stdout).not.toContain('out 1025');
  });

  test('keeps the true order of both streams, which can be read back', async () => {
    const { run, ids } = await freshWorkspace();
    const script = `for (const i of [1, 2, 3, 4]) { console.log('out', i); await new Promise(r => setTimeout(r, 250)); console.error('err', i); await new Promise(r => setTimeout(r, 250)); }`;
    await run(['exec', '--', process.execPath, '--input-type=module', '-e', script]);
    const [id = ''] = await ids('--all');
    const expected = [1, 2, 3, 4].map((i) => `out ${i}\nerr ${i}\n`).join('');
    expect((await run(['artifacts', 'show', id, '--interleaved'])).stdout).toBe(expected);
    expect((await run(['artifacts', 'show', id, '--part', 'stderr', '--raw'])).stdout).toBe(
      'err 1\nerr 2\nerr 3\nerr 4\n',
    );
  });

  test('runs in the folder and with the variables given, and reads our standard input', async () => {
    const { root, run } = await freshWorkspace();
    await mkdir(join(root, 'below'));
    const args = ['exec', '--cwd', 'below', '--env', 'A=1', '--env', 'B=x=y', '--'];
    const { stdout } = await run([...args, 'sh', '-c', 'pwd; echo $A $B; cat'], { input: 'typed\n' });
    expect(stdout).toBe(`${await realpath(join(root, 'below'))}\n1 x=y\ntyped\n`);
  });

  test('is stored with its command line, which tells it in lists', async () => {
    const { run } = await freshWorkspace();
    await run(['exec', '--', 'echo', 'a b', "it's"]);
    const { stdout } = await run(['artifacts', 'list', '--all', '--json']);
    expect(JSON.parse(stdout).artifacts[0].source).toEqual({
      server: null,
      tool: 'execute_command',
      summary: `execute_command: echo 'a b' 'it'\\''s'`,
    });
  });

  test('ended by a signal says so; the exit code is 128 more than the signal', async () => {
    const { run } = await freshWorkspace();
    expect(await run(['exec', '--', 'sh', '-c', 'echo x; kill -SEGV $$'])).toMatchObject({
      code: 139,
      stdout: expect.stringMatching(/^\[Killed by SIGSEGV after [\d.]+ s\.\]\nx\n$/),
    });
  });

  test('that is not there is refused with 127, one that cannot be run with 126; nothing is stored', async () => {
    const { run, root } = await freshWorkspace();
    expect(await run(['exec', '--', 'no-such-program-here'])).toMatchObject({
      code: 127,
      stdout: '',
      stderr: 'spillway: There is no program "no-such-program-here". Check its name, PATH and --cwd.\n',
    });
    expect(await run(['exec', '--', '/'])).toMatchObject({
      code: 126,
      stdout: '',
      stderr: 'spillway: The program "/" cannot be run (EACCES).\n',
    });
    await expect(readFile(join(root, '.acode', 'artifacts', 'store.db'))).rejects.toThrow('ENOENT');
  });

  test('as JSON carries its exit code and all metadata', async () => {
    const { run } = await freshWorkspace();
    const { code, stdout } = await run(['exec', '--json', '--', ...printing(30_000, 0, 5)]);
    expect(code).toBe(5);
    const { content, metadata, artifact, exit_code, recording } = JSON.parse(stdout) as Executed;
    expect({ exit_code, recording, size: artifact?.size }).toEqual({
      exit_code: 5,
      recording: false,
      size: 30_000,
    });
    expect(metadata).toMatchObject({
      original_size: 30_000,
      complete: true,
      outcome: { status: 'error', exit_code: 5 },
    });
    expect(untimed(content)).toContain('Exit code 5 after TIME.');
  });

  test('that leaves a process behind is answered at its own end, and we say so', async () => {
    const { run } = await freshWorkspace();
    const { code, stdout, stderr } = await run(['exec', '--', 'sh', '-c', 'echo done; sleep 30 & echo $!']);
    const [, pid] = stdout.split('\n');
    expect(isAlive(Number(pid))).toBe(true);
    process.kill(Number(pid), 'SIGKILL');
    expect(code).toBe(0);
    expect(stderr).toBe(
      'spillway: it left a process behind that still holds its output; what that says is not recorded.\n',
    );
  });
});

describe.concurrent('an interpreter', () => {
  const CODE = `import os, sys; print('p' * 30000); os.write(3, b'v' * 30000); sys.stderr.write('e' * 30000); sys.exit(1)`;

  test('is shown by what it printed, its value and its error, each bounded, the whole bounded', async () => {
    const { run } = await freshWorkspace();
    const { code, stdout } = await run(['exec', '--repl', '--', 'python3', '-c', CODE]);
    expect(code).toBe(1);
    expect(stdout.length).toBeLessThanOrEqual(16_000);
    for (const name of ['printed', 'value', 'error']) expect(stdout).toContain(`[${name}`);
    for (const letter of ['p', 'v', 'e']) {
      const shown = stdout.match(new RegExp(`${letter}{50,}`, 'g'))?.join('').length ?? 0;
      expect(shown).toBeGreaterThan(1_000);
      expect(shown).toBeLessThanOrEqual(8_000);
    }
  });

  test('that only has a value shows that', async () => {
    const { run } = await freshWorkspace();
    const { stdout } = await run(['exec', '--repl', '--', 'python3', '-c', `import os; os.write(3, b'42')`]);
    expect(stdout).toBe('[value]\n42');
  });
});

describe.concurrent('a screen', () => {
  test('that a program draws is recognised, colours and progress are not', async () => {
    const { run } = await freshWorkspace();
    const recording = async (script: string) =>
      parsed<Executed>(await run(['exec', '--json', '--', 'sh', '-c', script])).recording;
    expect(await recording(String.raw`printf '\033[?1049h\033[1;1Hhello\033[?1049l'`)).toBe(true);
    expect(await recording(String.raw`for i in 1 2 3 4 5 6; do printf "\033[$i;10Hrow"; done`)).toBe(true);
    expect(await recording(String.raw`printf '\033[31mred\033[0m\n\033[2K\r50 %%\033[2K\r100 %%\n'`)).toBe(
      false,
    );
  });
});

describe.concurrent('a refusal of exec', () => {
  test.each<[string, string[], string]>([
    ['no command', [], '-- COMMAND'],
    ['a time that is none', ['--timeout', 'soon', '--', 'true'], '--timeout takes seconds'],
    ['no time at all', ['--timeout', '0', '--', 'true'], '--timeout takes seconds'],
    ['a folder that is not there', ['--cwd', 'nowhere', '--', 'true'], '--cwd: there is no folder "nowhere"'],
    ['a variable without a value', ['--env', 'A', '--', 'true'], '--env takes NAME=VALUE'],
    ['a number of bytes that is none', ['--max-capture', '2GB', '--', 'true'], '--max-capture takes'],
    ['an interpreter on a terminal', ['--repl', '--pty', '--', 'true'], '--repl and --pty'],
    ['a flag of the command before --', ['ls', '--colour'], 'before the command'],
  ])('for %s', async (_, args, text) => {
    const { run } = await freshWorkspace();
    const { code, stdout, stderr } = await run(['exec', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(text);
    expect(stderr).toMatch(/^spillway: [^\n]+\n$/);
  });
});

test.concurrent('exec prints nothing but the projection on a pipe, and the settings are those of truncate', async () => {
  const { run, truncate } = await freshWorkspace();
  const text = numberedLines(5_000);
  const { stdout, stderr } = await run(['exec', '--tool', 'truncate', '--limit', '1000', '--', 'cat'], {
    input: text,
  });
  expect(stderr).toBe('');
  expect(stdout.length).toBeLessThanOrEqual(1_000);
  const { content } = await truncate(text, '--limit', '1000', '--strategy', 'head_tail');
  expect(stdout.split('\n').at(-2)).toBe(content.split('\n').at(-2));
});

test('what a setting leaves out of the store is not called a store that cannot be written', async () => {
  const { run } = await freshWorkspace({ TRUNCATION_EXCLUDE: 'storing' });
  const { stdout, stderr } = await run([
    'exec',
    '--',
    process.execPath,
    '-e',
    'console.log("a line\\n".repeat(4_000))',
  ]);
  expect(stdout).toContain('(the setting exclude leaves it out)');
  expect(stderr).toBe('spillway: Not stored: the setting exclude leaves it out.\n');
});
