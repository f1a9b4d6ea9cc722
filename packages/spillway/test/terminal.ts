/** Runs the built program on a real terminal, as a person does: everything it writes is recorded, keys can be typed. */
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';

const PROGRAM = fileURLToPath(new URL('../bin/spillway.js', import.meta.url));

export interface TerminalSession {
  /** All that was written so far, escape sequences included. */
  readonly seen: () => string;
  readonly type: (keys: string) => void;
  /** Resolves when the recording matches. */
  readonly until: (pattern: RegExp) => Promise<void>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
}

export function onTerminal(
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly columns?: number;
  },
): TerminalSession {
  const { cwd, env = {}, columns: cols = 100 } = options;
  const pty = spawn(process.execPath, [PROGRAM, ...args], {
    cols,
    rows: 30,
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, TERM: 'xterm', ...env },
  });
  let seen = '';
  const waiting: { readonly pattern: RegExp; readonly resolve: () => void }[] = [];
  pty.onData((data) => {
    seen += data;
    for (const { pattern, resolve } of waiting) if (pattern.test(seen)) resolve();
  });
  return {
    seen: () => seen,
    type: (keys) => pty.write(keys),
    until: (pattern) =>
      pattern.test(seen)
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            waiting.push({ pattern, resolve });
          }),
    ended: new Promise((resolve) => {
      pty.onExit(({ exitCode }) => resolve(exitCode));
    }),
  };
}
