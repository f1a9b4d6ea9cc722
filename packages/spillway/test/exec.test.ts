// `spillway exec` with real commands: streams, exit codes, signals, time limits, endless output,
// interpreters.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines, parsed, type Truncated, untimed } from './program.ts';

const PROGRAM = fileURLToPath(new URL('../bin/spillway.js', import.meta.url));

interface Executed extends Truncated {
  readonly exit_code: number;
  readonly recording: boolean;
  readonly metadata: Truncated['metadata'] & {
    readonly complete: boolean;
    readonly outcome: { readonly status: string; readonly exit_code?: number; readonly signal?: string };
  };
}

/** Prints so many chars to each stream, in lines of 20. */
function printing(out: number, err: number, code = 0): string[] {
  const script = `
    const lines = (word, chars) => { let text = ''; for (let i = 1; text.length < chars; i++) text += (word + ' ' + i).padEnd(19, '.') + '\\n'; return text.slice(0, chars); };
    process.stdout.write(lines('out', ${out}));
    process.stderr.write(lines('err', ${err}));
    process.exitCode = ${code};`;
  return [process.execPath, '-e', script];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe.concurrent('a command', () => {
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
    expect(stdout.match(/^out \d+/gm)?.length).toBeGreaterThan(330);
    const { stdout: quiet } = await run(['exec', '--', 'sh', '-c', 'echo one; printf "  \n\n" >&2']);
    expect(quiet).toBe('one\n');
  });

  test('whose one error is in the middle of 20,000 lines shows it in its place, with counts around', async () => {
    const { run } = await freshWorkspace();
    const script = `for (let i = 1; i <= 20000; i++) console.log(i === 9999 ? 'ERROR: the disk is on fire' : '2024-05-01 10:00:00 INFO step ' + i + ' done')`;
    const { stdout } = await run(['exec', '--', process.execPath, '-e', script]);
    expect(stdout.length).toBeLessThanOrEqual(8_000);
    expect(stdout).toMatch(/chars.*\] \.\.\.\n(?:.*\n)*ERROR: the disk is on fire\n(?:.*\n)*.*omitted/);
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

describe.concurrent('a time limit', () => {
  test('keeps what had arrived, marks it incomplete, and exits with 124', async () => {
    const { run, ids } = await freshWorkspace();
    const { code, stdout, stderr } = await run([
      'exec',
      '--timeout',
      '0.5',
      '--',
      'sh',
      '-c',
      'echo partial; sleep 60',
    ]);
    expect({ code, stdout, stderr }).toEqual({
      code: 124,
      stdout: '[Timed out after 0.5 s. Output incomplete.]\npartial\n',
      stderr: 'spillway: its time (0.5 s) was up; what had arrived is kept, marked incomplete.\n',
    });
    const [id = ''] = await ids('--all');
    expect((await run(['artifacts', 'show', id, '--raw'])).stdout).toBe('partial\n');
  });

  test('ends the whole group, also who does not listen to SIGTERM', async () => {
    const { run } = await freshWorkspace();
    const stubborn = `sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & echo $!; trap "" TERM; wait; while :; do sleep 1; done`;
    const { code, stdout } = await run(['exec', '--timeout', '0.7', '--', 'sh', '-c', stubborn]);
    expect(code).toBe(124);
    const pids = stdout.match(/^\d+$/gm)?.map(Number) ?? [];
    expect(pids.length).toBeGreaterThanOrEqual(1);
    await pause(200);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

describe.concurrent('a signal', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s is passed on; what had arrived is kept and the exit code is %i', async (signal, code) => {
    const { root, run, ids } = await freshWorkspace();
    const child = spawn(process.execPath, [PROGRAM, 'exec', '--', 'sh', '-c', 'echo begun; sleep 60'], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: root },
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (data: Buffer) => out.push(data));
    child.stderr.on('data', (data: Buffer) => err.push(data));
    const ended = once(child, 'close');
    await pause(1_500);
    child.kill(signal);
    expect((await ended)[0]).toBe(code);
    expect(untimed(Buffer.concat(out).toString())).toBe(
      '[Cancelled after TIME. Output incomplete.]\nbegun\n',
    );
    expect(Buffer.concat(err).toString()).toBe(
      `spillway: ended by ${signal}; what had arrived is kept, marked incomplete.\n`,
    );
    const [id = ''] = await ids('--all');
    expect((await run(['artifacts', 'show', id, '--raw'])).stdout).toBe('begun\n');
  });

  test('that the command handles leaves its own exit code', async () => {
    const { root } = await freshWorkspace();
    const child = spawn(
      process.execPath,
      [
        PROGRAM,
        'exec',
        '--json',
        '--',
        'sh',
        '-c',
        'trap "echo tidied; exit 0" INT; echo begun; sleep 60 & wait',
      ],
      { cwd: root, env: { PATH: process.env.PATH, HOME: root } },
    );
    const out: Buffer[] = [];
    child.stdout.on('data', (data: Buffer) => out.push(data));
    const ended = once(child, 'close');
    await pause(1_500);
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(0);
    const { content, metadata } = JSON.parse(Buffer.concat(out).toString()) as Executed;
    expect(content).toContain('tidied');
    expect(metadata).toMatchObject({ complete: true, outcome: { status: 'ok', exit_code: 0 } });
  });
});

describe.concurrent('an endless command', () => {
  test('ends at max_capture with what arrived kept, said to be incomplete, in memory that does not grow with it', async () => {
    const { root, run, ids } = await freshWorkspace();
    const bytes = 120_000_000;
    const args = [
      'exec',
      '--max-capture',
      String(bytes),
      '--set',
      'preserve_errors=false',
      '--set',
      'preserve_warnings=false',
    ];
    const child = spawn(
      process.execPath,
      [PROGRAM, ...args, '--json', '--', 'yes', 'a line that never ends'],
      {
        cwd: root,
        env: { PATH: process.env.PATH, HOME: root },
      },
    );
    let peak = 0;
    const looking = setInterval(() => {
      try {
        const [, kilobytes = '0'] =
          /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
        peak = Math.max(peak, Number(kilobytes) * 1024);
      } catch {
        // It has ended.
      }
    }, 50);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (data: Buffer) => out.push(data));
    child.stderr.on('data', (data: Buffer) => err.push(data));
    await once(child, 'close');
    clearInterval(looking);
    const { metadata, content } = JSON.parse(Buffer.concat(out).toString()) as Executed;
    expect(metadata).toMatchObject({ complete: false, outcome: { status: 'cancelled' } });
    // The command line is captured too.
    expect(bytes - metadata.original_size).toBeGreaterThanOrEqual(0);
    expect(bytes - metadata.original_size).toBeLessThan(200);
    expect(content.slice(0, 300)).toContain('Output incomplete.');
    expect(Buffer.concat(err).toString()).toBe(
      'spillway: it was ended at max_capture (120 MB); what had arrived is kept, marked incomplete.\n',
    );
    const [id = ''] = await ids();
    expect((await run(['artifacts', 'show', id, '--lines', '5000000-5000000'])).stdout).toBe(
      'a line that never ends\n',
    );
    // Node itself takes some 90 MB; who holds the output takes as much more as it is long.
    if (peak > 0) expect(peak).toBeLessThan(bytes + 60_000_000);
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
  ])('for %s', async (_, args, said) => {
    const { run } = await freshWorkspace();
    const { code, stdout, stderr } = await run(['exec', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
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
