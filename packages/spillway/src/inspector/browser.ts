/**
 * Opens a page in the person's browser. Only somebody who sits at a terminal of this machine
 * has one to be opened: not over SSH, and not in CI.
 */
import { spawn } from 'node:child_process';
import { isTerminal } from '../terminal.ts';

const STDOUT = 1;

export function hasBrowser(env: Readonly<Record<string, string | undefined>>): boolean {
  const isRemote = ['SSH_CONNECTION', 'SSH_CLIENT', 'SSH_TTY', 'CI'].some((name) => (env[name] ?? '') !== '');
  return isTerminal(STDOUT) && !isRemote;
}

/** `file`: a page on disk. Never an address with a secret, which every account could read. */
export function openBrowser(file: string): void {
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open', file]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', file]
        : ['xdg-open', file];
  const child = spawn(program as string, args, { stdio: 'ignore', detached: true });
  // The address was printed: without a browser nothing is lost.
  child.on('error', () => undefined);
  child.unref();
}
