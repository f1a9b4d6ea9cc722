/** Whatever goes wrong, the original result passes, and why is told without its content. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freshWorkspace, numberedLines, PROGRAM, started } from '../program.ts';
import { bash, claudeCall, hooked } from './hooked.ts';

const SECRET = 'hunter2-secret';
const LONG = numberedLines(3_000, SECRET);

describe.concurrent('a hook', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', `{"tool_response": ${SECRET}`],
    ['a list', `["${SECRET}"]`],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0, 1])],
  ])('that is given %s answers nothing, and says so', async (_, input) => {
    const { code, stdout, stderr } = await hooked(await freshWorkspace(), 'claude-code', input);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^spillway: What came in is not .*\. The result passed as it was\.\n$/);
    expect(stderr).not.toContain(SECRET);
  });

  it('whose fields are of other types than documented answers nothing', async () => {
    const workspace = await freshWorkspace();
    const call = claudeCall(workspace, 'Bash', {}, bash(LONG));
    for (const wrong of [
      { tool_name: 5 },
      { tool_response: null },
      { tool_response: { stdout: 5, stderr: {} } },
      { tool_name: 'Read', tool_response: { type: 'text', file: { content: [] } } },
      { tool_name: 'mcp__x__y', tool_response: [1, 'two', null] },
    ])
      expect(await hooked(workspace, 'claude-code', { ...call, ...wrong })).toMatchObject({
        code: 0,
        stdout: '',
        stderr: '',
      });
  });

  it('bounds a result of 50 MB', async () => {
    const workspace = await freshWorkspace();
    const line = `${'x'.repeat(99)}\n`;
    const call = claudeCall(workspace, 'mcp__x__y', {}, [{ type: 'text', text: line.repeat(500_000) }]);
    const { code, stdout } = await hooked(workspace, 'claude-code', call);
    expect(code).toBe(0);
    expect(stdout).toContain('50,000,000 chars');
    expect(stdout.length).toBeLessThan(20_000);
  }, 60_000);

  it('whose store cannot be opened answers nothing, and says so', async () => {
    const workspace = await freshWorkspace({ SPILLWAY_STORE: '/dev/null/store' });
    const ran = await hooked(workspace, 'claude-code', claudeCall(workspace, 'Bash', {}, bash(LONG)));
    expect([ran.code, ran.stdout]).toEqual([0, '']);
    expect(ran.stderr).toContain('The result passed as it was.');
    expect(ran.stderr).not.toContain(SECRET);
  });

  it('whose settings are not valid answers nothing, and names them', async () => {
    const workspace = await freshWorkspace({ TRUNCATION_INLINE_LIMIT: 'many' });
    const ran = await hooked(workspace, 'claude-code', claudeCall(workspace, 'Bash', {}, bash(LONG)));
    expect([ran.code, ran.stdout]).toEqual([0, '']);
    expect(ran.stderr).toContain('TRUNCATION_INLINE_LIMIT');
  });

  it('that is asked for in a wrong way never ends with 2, which would block an agent', async () => {
    const workspace = await freshWorkspace();
    for (const args of [['claud-code'], ['claude-code', '--what'], ['claude-code', '--timeout', 'x'], []])
      expect((await workspace.run(['hook', ...args], { input: '{}' })).code, args.join(' ')).toBe(1);
  });

  it('whose agent never ends what it writes gives up in time, and not with 2', async () => {
    const { root } = await freshWorkspace();
    const { child, ended } = started(root, ['hook', 'claude-code', '--timeout', '1']);
    child.stdin.write('{"tool_response": ');
    expect(await ended).toEqual({
      code: null,
      stdout: '',
      stderr: 'spillway: Nothing was ready after 1 s. The result passed as it was.\n',
    });
  });

  it('that is stuck in its work ends at once by the signal with which agents end it', async () => {
    const workspace = await freshWorkspace();
    const stuck = join(workspace.root, 'stuck.cjs');
    await writeFile(stuck, `JSON.parse = () => { require('fs').writeSync(2, 'stuck'); for (;;); };`);
    const child = spawn(process.execPath, ['--require', stuck, PROGRAM, 'hook', 'claude-code'], {
      cwd: workspace.root,
      env: { PATH: process.env.PATH, HOME: workspace.root },
    });
    child.stdin.end('{}');
    await once(child.stderr, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
  });

  it('whose workspace is gone answers nothing', async () => {
    const workspace = await freshWorkspace();
    const call = { ...claudeCall(workspace, 'Bash', {}, bash(LONG)), cwd: '/proc/none/such' };
    expect(await hooked(workspace, 'claude-code', call)).toMatchObject({ code: 0, stdout: '' });
  });
});

const mounted: string[] = [];
afterAll(async () => {
  for (const folder of mounted) {
    execFileSync('umount', ['-l', folder]);
    await rm(folder, { recursive: true });
  }
});

const disk = await smallDisk();
describe.skipIf(disk === null)('a hook on a full disk (skipped where mounting is not allowed)', () => {
  it('answers nothing, and says so', async () => {
    const workspace = await freshWorkspace({ SPILLWAY_STORE: disk ?? '' });
    const call = claudeCall(
      workspace,
      'Bash',
      { command: 'make' },
      bash(numberedLines(200_000, `${SECRET} and more than fits`)),
    );
    const { code, stdout, stderr } = await hooked(workspace, 'claude-code', call);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('The result passed as it was.');
    expect(stderr).not.toContain(SECRET);
  });
});

async function smallDisk(): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-hook-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
    mounted.push(folder);
    await chmod(folder, 0o700);
    return folder;
  } catch {
    await rm(folder, { recursive: true });
    return null;
  }
}
