// The program as a process, with a home of its own. `crashed` tells a raw error or a signal: what a
// person must never see.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../../packages/spillway/bin/spillway.js', import.meta.url));
const RAW_ERROR =
  /\b(TypeError|RangeError|ReferenceError|SyntaxError|ENOENT|EISDIR|ERR_[A-Z_]+)\b|^ +at .+:\d+:\d+\)?$/m;

export function program(args, { cwd, home, input = '', env = {}, uid }) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const [stdout, stderr] = [[], []];
  child.stdout.on('data', (chunk) => stdout.push(chunk));
  child.stderr.on('data', (chunk) => stderr.push(chunk));
  child.stdin.on('error', () => {}).end(input);
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      const report = Buffer.concat(stderr).toString();
      resolve({
        code,
        stdout: Buffer.concat(stdout),
        stderr: report,
        crashed: signal !== null || RAW_ERROR.test(report),
      });
    });
  });
}
