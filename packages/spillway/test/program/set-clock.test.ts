/**
 * The clock of the machine is set while the program waits for somebody: by hand, by a time server,
 * after the machine slept. How long something took is not a matter of that clock.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textOf, through, workspace } from '../gateway/peer.ts';
import { freshWorkspace } from '../program.ts';

/** The program gets a clock that goes `factor` seconds a second. */
async function clockOf(root: string, factor: number): Promise<Record<string, string>> {
  const file = join(root, 'clock.cjs');
  await writeFile(
    file,
    `const began = Date.now(); Date.now = () => began + Math.round(performance.now() * ${factor});`,
  );
  return { NODE_OPTIONS: `--require ${JSON.stringify(file)}` };
}

test('a call is not given up because the clock goes forward', async () => {
  const root = await workspace();
  const gateway = through(root, ['--timeout', '600'], [], await clockOf(root, 10_000));
  await gateway.initialize();
  const answer = await gateway.call('emit', { chars: 500, delay: 2_500 });
  expect(textOf(answer)).toHaveLength(500);
});

test('a command that leaves a process behind is answered although the clock goes back', async () => {
  const { root, run } = await freshWorkspace();
  const { stdout, stderr } = await run(['exec', '--', 'sh', '-c', 'echo done; sleep 20 & echo $!'], {
    env: await clockOf(root, -100),
  });
  const [first, pid] = stdout.split('\n');
  process.kill(Number(pid), 'SIGKILL');
  expect(first).toBe('done');
  expect(stderr).toContain('left a process behind');
});
