/**
 * The process of an upstream server: stdin and stdout are pipes, stderr is ours. It leads a process
 * group, so that its children end with it. None outlives this program. Loads little, so that a
 * server starts while the gateway still loads.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Children of a server may hold its output open for this long. */
const LINGER_MS = 10_000;

const running = new Set<ServerProcess>();
let isWatching = false;

export class ServerProcess {
  readonly startedAt: number;
  /** How it ended, as part of a sentence. */
  readonly exit: Promise<string>;
  readonly #child: Child;

  constructor({ command, args, env, cwd }: ServerCommand) {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#child = child;
    this.startedAt = performance.now();
    endWithUs(this);
    // The exit reports a server that is gone; ignore the broken pipe before it.
    child.stdin.on('error', () => undefined);
    this.exit = new Promise<string>((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        resolve(`it could not be started: ${whyNotStarted(error, command)}`),
      );
      child.once('exit', (code, signal) => {
        resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
        setTimeout(() => child.stdout.destroy(), LINGER_MS).unref();
      });
    });
  }

  get stdin(): Writable {
    return this.#child.stdin;
  }

  get stdout(): Readable {
    return this.#child.stdout;
  }

  over(): void {
    running.delete(this);
  }

  kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    try {
      if (pid !== undefined && process.platform !== 'win32') process.kill(-pid, signal);
      else this.#child.kill(signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function endWithUs(server: ServerProcess): void {
  running.add(server);
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const one of running) one.kill('SIGKILL');
  });
}

function whyNotStarted({ code, name }: NodeJS.ErrnoException, command: string): string {
  if (code === 'ENOENT') return `there is no program ${JSON.stringify(command)}, or no such folder`;
  return code === 'EACCES' ? `${JSON.stringify(command)} may not be run` : (code ?? name);
}
