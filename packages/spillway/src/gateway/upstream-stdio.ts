/**
 * An upstream process, with messages on stdin and stdout; its stderr goes to ours. It gets only the
 * environment it was given. A process that ends is restarted, after a pause that doubles each time
 * it ends at once; messages wait meanwhile.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { SpillwayError } from '@spillway/core';
import { type Incoming, type Large, messagesIn, piecesOf } from './incoming.ts';
import { type Message, sameId } from './message.ts';
import { type ClientPort, type Upstream, type UpstreamEvents, within } from './ports.ts';
import { LOG, RESULT } from './wording.ts';

export interface StdioUpstreamOptions extends ServerCommand {
  /** The first process, where it was started before. */
  readonly started?: ServerProcess;
  readonly events: UpstreamEvents;
  readonly log: (line: string) => void;
  /** The first process ended before it said anything, or there is no such program. */
  readonly failed: (why: string) => void;
}

const HOLD_BYTES = 1024 * 1024;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** A process that lived this long did not fail to start. */
const STEADY_MS = 10_000;
/** After this many failed starts, calls are refused at once. */
const MOST_FAILURES = 5;
/**
 * How long a server may take to end by itself, then after SIGTERM. Clients kill us 2 s after their
 * SIGTERM, so then it gets no time.
 */
const PATIENCE_MS = 1_000;
/** How long a restarted server may take to answer the introduction. */
const INTRODUCTION_MS = 60_000;

export class StdioUpstream implements Upstream {
  readonly #options: StdioUpstreamOptions;
  #server: ServerProcess | null = null;
  #writer: LineWriter | null = null;
  #ready = Promise.withResolvers<void>();
  readonly #unsent = new Set<string>();
  #failures = 0;
  #spoke = false;
  arriving: number | null = null;
  #closing = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: StdioUpstreamOptions) {
    this.#options = options;
    this.#ready.resolve();
    this.#start(options.started ?? new ServerProcess(options));
  }

  async send(bytes: Incoming, message: Message | null): Promise<void> {
    if (this.#failures >= MOST_FAILURES && this.#writer === null)
      throw new SpillwayError('store_unavailable', LOG.endsAtOnce);
    const id = message?.method == null || message.id === null ? null : sameId(message.id);
    if (id !== null) this.#unsent.add(id);
    await this.#ready.promise;
    if (id !== null) this.#unsent.delete(id);
    await this.#writer?.send(bytes);
  }

  restart(): void {
    this.#options.log(LOG.restarting);
    this.arriving = null;
    this.#ready = Promise.withResolvers();
    this.#server?.kill('SIGKILL');
  }

  async close(hurry: Promise<unknown> = new Promise(() => undefined)): Promise<void> {
    this.#closing = true;
    const server = this.#server;
    if (server === null) return;
    server.stdin.end();
    const hurried = hurry.then(() => 'late' as const);
    if ((await within(Promise.race([this.#ended, hurried]), PATIENCE_MS)) !== 'late') return;
    server.kill('SIGTERM');
    if ((await within(this.#ended, PATIENCE_MS)) !== 'late') return;
    server.kill('SIGKILL');
    await within(this.#ended, PATIENCE_MS);
  }

  #start(server: ServerProcess): void {
    this.#server = server;
    this.#writer = new LineWriter(server.stdin);
    this.#ended = Promise.all([server.exit, this.#read(server)]).then(([how]) => {
      server.over();
      return this.#gone(how, performance.now() - server.startedAt);
    });
  }

  async #read(server: ServerProcess): Promise<void> {
    try {
      const arriving = (at: number | null) => {
        this.arriving = at;
      };
      for await (const incoming of messagesIn(server.stdout, { hold: HOLD_BYTES, by: 'line', arriving })) {
        this.#spoke = true;
        await this.#options.events.received(incoming, null);
      }
    } catch (error) {
      this.#options.log(
        LOG.readingEnded(error instanceof SpillwayError ? error.message : (error as Error).name),
      );
      server.kill('SIGKILL');
    }
  }

  async #gone(how: string, livedMs: number): Promise<void> {
    this.#server = null;
    this.#writer = null;
    if (this.#closing) return;
    // Callers that already wait since the restart keep waiting.
    const waiting = this.#ready;
    this.#ready = Promise.withResolvers();
    this.#ready.promise.then(waiting.resolve);
    const why = RESULT.ended(how);
    this.#failures = livedMs >= STEADY_MS ? 1 : this.#failures + 1;
    if (!this.#spoke) {
      await this.#options.events.lost(why, this.#unsent);
      return this.#options.failed(LOG.endedUnheard(how));
    }
    await this.#options.events.lost(why, this.#unsent);
    await this.#again();
  }

  async #again(): Promise<void> {
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    this.#options.log(LOG.startingAgain(pause));
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (this.#closing) return;
    const server = new ServerProcess(this.#options);
    this.#start(server);
    const late = setTimeout(() => {
      this.#options.log(LOG.unanswered);
      server.kill('SIGKILL');
    }, INTRODUCTION_MS);
    await this.#options.events.renewed(async (bytes) => this.#writer?.send(bytes));
    clearTimeout(late);
    if (this.#server === server) this.#ready.resolve();
  }
}

// The process of an upstream server: stdin and stdout are pipes, stderr is ours. It leads a process
// group, so that its children end with it. None outlives this program. Loads little, so that a
// server starts while the gateway still loads.

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

// Messages as lines, one after the other; resolves when the reader can take more.

const NEWLINE = Buffer.from('\n');

export class LineWriter implements ClientPort {
  readonly #stream: Writable;
  #queue: Promise<void> | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  send(message: Incoming): Promise<void> {
    if (this.#queue === null && Buffer.isBuffer(message)) return this.#line(message);
    const turn = (this.#queue ?? Promise.resolve()).then(() =>
      Buffer.isBuffer(message) ? this.#line(message) : this.#copy(message),
    );
    const tail = turn
      .catch(() => undefined)
      .finally(() => {
        if (this.#queue === tail) this.#queue = null;
      });
    this.#queue = tail;
    return turn;
  }

  async #line(message: Buffer): Promise<void> {
    if (this.#stream.destroyed) return;
    if (!this.#stream.write(Buffer.concat([oneLine(message), NEWLINE]))) await drained(this.#stream);
  }

  async #copy(message: Large): Promise<void> {
    for (const chunk of piecesOf(message)) {
      if (this.#stream.destroyed) return;
      if (!this.#stream.write(oneLine(chunk))) await drained(this.#stream);
    }
    if (!this.#stream.write(NEWLINE)) await drained(this.#stream);
  }
}

/** Also resolves when the stream is closed. */
export async function drained(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.errored !== null) return;
  const stop = new AbortController();
  await Promise.race([
    once(stream, 'drain', { signal: stop.signal }),
    once(stream, 'close', { signal: stop.signal }),
  ]).catch(() => undefined);
  stop.abort();
}

/** Outside of strings, JSON allows a space for a line end. */
export function oneLine(bytes: Uint8Array): Uint8Array {
  return bytes.includes(0x0a) || bytes.includes(0x0d)
    ? bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte))
    : bytes;
}
