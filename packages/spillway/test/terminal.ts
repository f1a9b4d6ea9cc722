/**
 * Runs the built program on a real terminal, as a person does: everything it writes is recorded,
 * keys can be typed.
 */
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';

const PROGRAM = fileURLToPath(new URL('../bin/spillway.js', import.meta.url));

/** The sequences that the program itself writes: dimness, and a line that is written over. */
export const DIM = '\x1b[2m';
export const PLAIN = '\x1b[22m';
export const CLEARED = '\r\x1b[K';

/** What is left on the screen: lines that were written over are gone. */
export function onScreen(recording: string): string {
  return recording
    .split('\r\n')
    .map((line) => line.split(CLEARED).at(-1) ?? '')
    .join('\n');
}

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
