/**
 * A command that runs: its streams to read, its end to wait for, and ways to end it. It leads a
 * process group of its own, so that what it started ends with it; a signal of the terminal reaches
 * us alone and is passed on by whoever holds this.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { SpillwayError } from '@spillway/core';

export interface CommandLine {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** How a process ended: one of the two. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A stream of the command, by the name of the part it becomes. */
export interface CommandStream {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Stops reading: gives what was read from the system but not handed on, and lets go. */
  close(): readonly Uint8Array[];
}

export interface RunningCommand {
  readonly streams: readonly CommandStream[];
  /** The process has ended; others of its group may live on and hold its streams. */
  readonly exited: Promise<ProcessEnd>;
  signal(signal: NodeJS.Signals): void;
}

export type StreamNames = readonly string[];

/** Starts a command with a pipe for each name; standard input is ours. */
export async function startCommand(
  { argv, cwd, env }: CommandLine,
  names: StreamNames,
): Promise<RunningCommand> {
  const [program = '', ...args] = argv;
  const pipes = makePipes(names.length);
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['inherit', ...names.map((_, i) => pipes?.[i]?.write ?? ('pipe' as const))],
    detached: process.platform !== 'win32',
  });
  for (const { write } of pipes ?? []) closeSync(write);
  await once(child, 'spawn').catch((error) => {
    for (const { read } of pipes ?? []) read.destroy();
    return Promise.reject(cannotRun(program, error));
  });
  return {
    streams: names.map((name, i) => ofPipe(name, pipes?.[i]?.read ?? (child.stdio[i + 1] as Readable))),
    exited: once(child, 'exit').then(([code, signal]) => ({ code, signal })),
    signal: (signal) => signalGroup(child.pid, signal),
  };
}

/** Refuses a program that cannot be found or run, before anything is recorded of it. */
export function mustBeRunnable({ argv: [program = ''], cwd, env }: CommandLine): void {
  const folders = program.includes('/') ? [''] : (env.PATH ?? '').split(delimiter);
  if (process.platform === 'win32') return;
  let refused = 'ENOENT';
  for (const folder of folders) {
    const path = resolve(cwd, folder, program);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return;
      refused = 'EACCES';
    } catch {
      if (existsSync(path)) refused = 'EACCES';
    }
  }
  throw cannotRun(program, { code: refused });
}

/** As a shell says it: 127 for a program that is not there, 126 for one that cannot be run. */
export class CannotRun extends SpillwayError {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super('invalid_argument', message);
    this.exitCode = exitCode;
  }
}

export function cannotRun(program: string, { code }: Pick<NodeJS.ErrnoException, 'code'>): CannotRun {
  const name = JSON.stringify(program.slice(0, 200));
  return code === 'ENOENT'
    ? new CannotRun(`There is no program ${name}. Check its name, PATH and --cwd.`, 127)
    : new CannotRun(`The program ${name} cannot be run (${code}).`, 126);
}

function ofPipe(name: string, pipe: Readable): CommandStream {
  // At the end of a process Node throws away what nobody reads; this says that somebody will.
  pipe.on('readable', () => {});
  return {
    name,
    chunks: pipe,
    close() {
      const chunks: Uint8Array[] = [];
      for (let chunk: Uint8Array | null = pipe.read(); chunk !== null; chunk = pipe.read())
        chunks.push(chunk);
      pipe.destroy();
      return chunks;
    },
  };
}

/** Windows has no groups: there the process alone gets it. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    // ESRCH: nobody is left in the group.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

// Real pipes between a command and us. Node joins parent and child by sockets, in which every small
// write takes a place of its own: a few hundred lines fill one, and what a program that ends in a
// hurry could not write is gone. A pipe holds 64 KB, as behind a shell. Node cannot make a pipe, so
// it is a named one whose name is gone before the command starts. Where there is none (Windows, no
// writable folder) or it cannot be read (Bun), sockets do.

interface PipeEnds {
  readonly read: Readable;
  /** The descriptor that the command writes to. */
  readonly write: number;
}

/**
 * So many pipes; null where they cannot be made. The caller closes the ends to write to once the
 * command has them.
 */
function makePipes(count: number): readonly PipeEnds[] | null {
  if (process.platform === 'win32' || process.versions.bun !== undefined) return null;
  let folder: string | undefined;
  const opened: number[] = [];
  try {
    folder = mkdtempSync(join(tmpdir(), 'spillway-'));
    const names = Array.from({ length: count }, (_, i) => join(folder as string, `${i}`));
    execFileSync('mkfifo', ['-m', '600', ...names], { stdio: 'ignore' });
    const ends = names.map((name) => {
      // Without waiting for a writer; then there is a reader, and the other end need not wait
      // either.
      const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
      opened.push(read);
      const write = openSync(name, constants.O_WRONLY);
      opened.push(write);
      return { read, write };
    });
    return ends.map(({ read, write }) => ({ read: new Socket({ fd: read, writable: false }), write }));
  } catch {
    for (const fd of opened) closeSync(fd);
    return null;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
