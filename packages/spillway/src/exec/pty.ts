/**
 * A command on a terminal of its own, for programs that behave otherwise there. Its output is one
 * stream, in the true order. Needs `@lydell/node-pty`, which is node-pty with its binaries and
 * without a compiler; it is not installed with us.
 */
import type { IPty } from '@lydell/node-pty';
import { SpillwayError } from '@spillway/core';
import { isTerminal } from '../terminal.ts';
import {
  type CommandLine,
  type CommandStream,
  cannotRun,
  type ProcessEnd,
  type RunningCommand,
  signalGroup,
} from './command.ts';

/** Where the reader has no terminal either. */
const SIZE = { cols: 120, rows: 40 };
/** Chunks that may wait to be stored before the terminal has to. */
const MOST_WAITING = 16;

export async function startOnTerminal(
  { argv, cwd, env }: CommandLine,
  name: string,
): Promise<RunningCommand> {
  const { spawn } = await terminalLibrary();
  const [program = '', ...args] = argv;
  const { columns: cols = SIZE.cols, rows = SIZE.rows } = isTerminal(1) ? process.stdout : {};
  const pty = attempt(program, () =>
    // Bytes, not text: characters may be split, and what is not UTF-8 is kept.
    spawn(program, args, { name: 'xterm-256color', cols, rows, cwd, env: defined(env), encoding: null }),
  );
  const { promise: exited, resolve } = Promise.withResolvers<ProcessEnd>();
  pty.onExit(({ exitCode, signal }) => resolve(endOf(exitCode, signal)));
  return {
    streams: [streamOf(pty, name, exited)],
    exited,
    signal: (signal) => signalGroup(pty.pid, signal),
  };
}

/** What makes terminals; refuses if it is not installed. */
export async function terminalLibrary() {
  try {
    return await import('@lydell/node-pty');
  } catch {
    throw new SpillwayError(
      'invalid_argument',
      '--pty needs the package @lydell/node-pty, which is not there. Install it beside spillway: `npm install @lydell/node-pty`.',
    );
  }
}

function attempt<T>(program: string, start: () => T): T {
  try {
    return start();
  } catch (error) {
    throw cannotRun(program, error as NodeJS.ErrnoException);
  }
}

/** Its chunks, with the terminal waiting while too many are not taken. */
function streamOf(pty: IPty, name: string, exited: Promise<unknown>): CommandStream {
  const waiting: Uint8Array[] = [];
  let ended = false;
  let wake = () => {};
  pty.onData((data: string | Uint8Array) => {
    waiting.push(typeof data === 'string' ? Buffer.from(data) : data);
    if (waiting.length === MOST_WAITING) pty.pause();
    wake();
  });
  void exited.then(() => {
    ended = true;
    wake();
  });
  return {
    name,
    chunks: {
      async *[Symbol.asyncIterator]() {
        for (;;) {
          const chunk = waiting.shift();
          if (chunk !== undefined) {
            if (waiting.length === MOST_WAITING - 1) pty.resume();
            yield chunk;
          } else if (ended) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    },
    close() {
      ended = true;
      wake();
      return waiting.splice(0);
    },
  };
}

function endOf(exitCode: number, signal: number | undefined): ProcessEnd {
  if (signal === undefined || signal === 0) return { code: exitCode, signal: null };
  const { signals } = process.getBuiltinModule('node:os').constants;
  const name = Object.entries(signals).find(([, number]) => number === signal)?.[0];
  return { code: null, signal: (name ?? 'SIGKILL') as NodeJS.Signals };
}

function defined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
