/** A server is started before its gateway has loaded, and does not outlive one that cannot open. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../bin/spillway.js', import.meta.url));
/** Ignores the end of its input, as some servers do. */
const SERVER = `require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000);`;

it('a gateway with wrong settings ends with exit code 2 and leaves no server behind', () => {
  const root = mkdtempSync(join(tmpdir(), 'spillway-early-'));
  mkdirSync(join(root, '.git'));
  const args = [PROGRAM, 'mcp', '--set', 'max_chars=many', '--', process.execPath, '-e', SERVER];
  const env = { PATH: process.env.PATH, HOME: root };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain('max_chars');
  const pid = existsSync(join(root, 'pid')) ? Number(readFileSync(join(root, 'pid'), 'utf8')) : null;
  if (pid !== null) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  rmSync(root, { recursive: true });
});
