// `spillway exec` with commands that do not end by themselves: time limits, signals, endless
// output.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Executed, freshWorkspace, isAlive, started, untimed } from '../program.ts';

/** Until the command has made the file `begun`. What it printed before is in the pipe by then. */
async function begun(root: string): Promise<void> {
  while (!existsSync(join(root, 'begun'))) await pause(20);
}

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
    const { child, ended } = started(root, ['exec', '--', 'sh', '-c', 'echo begun; touch begun; sleep 60']);
    await begun(root);
    child.kill(signal);
    const { code: ending, stdout, stderr } = await ended;
    expect(ending).toBe(code);
    expect(untimed(stdout)).toBe('[Cancelled after TIME. Output incomplete.]\nbegun\n');
    expect(stderr).toBe(`spillway: ended by ${signal}; what had arrived is kept, marked incomplete.\n`);
    const [id = ''] = await ids('--all');
    expect((await run(['artifacts', 'show', id, '--raw'])).stdout).toBe('begun\n');
  });

  test('that the command handles leaves its own exit code', async () => {
    const { root } = await freshWorkspace();
    const handling = 'trap "echo tidied; exit 0" INT; echo begun; sleep 60 & touch begun; wait';
    const { child, ended } = started(root, ['exec', '--json', '--', 'sh', '-c', handling]);
    await begun(root);
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    const { content, metadata } = JSON.parse(stdout) as Executed;
    expect(content).toContain('tidied');
    expect(metadata).toMatchObject({ complete: true, outcome: { status: 'ok', exit_code: 0 } });
  });
});

describe.concurrent('an endless command', () => {
  test('ends at max_capture with what arrived kept, said to be incomplete, in memory that does not grow with it', async () => {
    const { root, run, ids } = await freshWorkspace();
    const bytes = 120_000_000;
    const line = 'a line that never ends '.repeat(40);
    const args = [
      'exec',
      '--max-capture',
      String(bytes),
      '--set',
      'preserve_errors=false',
      '--set',
      'preserve_warnings=false',
    ];
    const { child, ended } = started(root, [...args, '--json', '--', 'yes', line]);
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
    const { stdout, stderr } = await ended;
    clearInterval(looking);
    const { metadata, content } = JSON.parse(stdout) as Executed;
    expect(metadata).toMatchObject({ complete: false, outcome: { status: 'cancelled' } });
    // The command line is captured too.
    expect(bytes - metadata.original_size).toBeGreaterThanOrEqual(0);
    expect(bytes - metadata.original_size).toBeLessThan(2 * line.length);
    expect(content.slice(0, 300)).toContain('Output incomplete.');
    const [noted, last] = stderr.split('\n');
    expect(noted).toMatch(/^spillway: it still runs; 100 MB, [\d,]+ lines captured\. --timeout or /);
    expect(last).toBe(
      'spillway: it was ended at max_capture (120 MB); what had arrived is kept, marked incomplete.',
    );
    const [id = ''] = await ids();
    expect((await run(['artifacts', 'show', id, '--lines', '100000-100000'])).stdout).toBe(`${line}\n`);
    // Node itself takes some 90 MB; who holds the output takes as much more as it is long.
    if (peak > 0) expect(peak).toBeLessThan(bytes + 60_000_000);
  });
});
