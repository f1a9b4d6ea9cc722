/**
 * Reads a command's streams until it has ended: passes signals on, ends it when its time is up or
 * the capture is full, and closes streams that another process still holds. SIGTERM first, SIGKILL
 * after a grace; always the whole group. Times are milliseconds.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { OpenPart } from '@spillway/core';
import { monotonicMs } from '../clock.ts';
import type { CommandStream, ProcessEnd, RunningCommand } from './command.ts';

const GRACE_MS = 2_000;
/** How long streams may be silent after the end of the command before we let go of them. */
const SILENCE_MS = 500;

/** Why it ended: by itself, or because of us. */
type Cause = 'itself' | 'signal' | 'timeout' | 'full';

export interface Watched extends ProcessEnd {
  readonly cause: Cause;
  /** From its start to its end; what it left behind does not count. */
  readonly durationMs: number;
  /** A process that it left behind still held its streams when we let go of them. */
  readonly leftBehind: boolean;
}

/** Told of each chunk before it is stored; reading goes on when it has returned. */
type Seen = (chunk: Uint8Array, stream: string) => Promise<void> | undefined;

export interface Sink {
  readonly stream: CommandStream;
  readonly part: OpenPart;
}

/** Reads all streams into their parts until the command has ended. */
export async function watchCommand(
  command: RunningCommand,
  sinks: readonly Sink[],
  options: {
    readonly timeoutMs: number | null;
    readonly signals: CommandSignals;
    readonly seen: Seen;
  },
): Promise<Watched> {
  const ending = new CommandEnding(command);
  const startedAt = monotonicMs();
  const timer =
    options.timeoutMs === null ? undefined : setTimeout(() => ending.end('timeout'), options.timeoutMs);
  options.signals.forwardTo((signal) => ending.forward(signal));
  try {
    const read = Promise.all(sinks.map((sink) => ending.pour(sink, options.seen)));
    const end = await command.exited;
    const durationMs = Math.round(monotonicMs() - startedAt);
    const leftBehind = !(await ending.finish(read, sinks));
    return { ...end, cause: ending.cause, durationMs, leftBehind };
  } finally {
    clearTimeout(timer);
    options.signals.stopListening();
    ending.stopKilling();
  }
}

class CommandEnding {
  cause: Cause = 'itself';
  readonly #command: RunningCommand;
  #lastChunkAt = 0;
  #letGo = false;
  #killer: NodeJS.Timeout | undefined;
  #signals = 0;

  constructor(command: RunningCommand) {
    this.#command = command;
  }

  /** Ends the command, by force if it ignores the signal. */
  end(cause: Cause): void {
    if (this.cause !== 'itself') return;
    this.cause = cause;
    this.#terminate('SIGTERM');
  }

  /**
   * The first signal goes on as it is. A person who repeats it wants an end: SIGTERM, then SIGKILL.
   */
  forward(signal: NodeJS.Signals): void {
    this.#signals += 1;
    if (this.cause === 'itself') this.cause = 'signal';
    if (this.#signals > 2) this.#command.signal('SIGKILL');
    else if (signal !== 'SIGINT' || this.#signals === 2)
      this.#terminate(signal === 'SIGINT' ? 'SIGTERM' : signal);
    else this.#command.signal(signal);
  }

  async pour({ stream, part }: Sink, seen: Seen): Promise<void> {
    try {
      for await (const chunk of stream.chunks) {
        this.#lastChunkAt = monotonicMs();
        // Awaited only where the reader is slow, so that both streams keep their order.
        const slow = seen(chunk, stream.name);
        if (slow !== undefined) await slow;
        if (!(await part.write(chunk))) {
          this.end('full');
          break;
        }
      }
    } catch (error) {
      // A stream that we closed ourselves ends with an error.
      if (!this.#letGo) throw error;
    }
  }

  /**
   * The process has ended: reads what is left; false if another process still holds a stream after
   * a while of silence.
   */
  async finish(read: Promise<unknown>, sinks: readonly Sink[]): Promise<boolean> {
    const over = new AbortController();
    const ended = read.finally(() => over.abort());
    // A failure is thrown where it is awaited below.
    ended.catch(() => undefined);
    this.#lastChunkAt = monotonicMs();
    while (!over.signal.aborted && monotonicMs() - this.#lastChunkAt < SILENCE_MS)
      await pause(SILENCE_MS / 10, undefined, over).catch(() => undefined);
    if (over.signal.aborted) {
      await ended;
      return true;
    }
    // A process that was told to end is killed; one that was left behind on purpose lives on.
    if (this.cause !== 'itself') this.#command.signal('SIGKILL');
    this.#letGo = true;
    for (const { stream, part } of sinks) for (const chunk of stream.close()) await part.write(chunk);
    await ended;
    return this.cause !== 'itself';
  }

  stopKilling(): void {
    clearTimeout(this.#killer);
  }

  #terminate(signal: NodeJS.Signals): void {
    this.#command.signal(signal);
    this.#killer ??= setTimeout(() => this.#command.signal('SIGKILL'), GRACE_MS);
  }
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Signals that are meant for the command. They are heard from before it starts: one that arrives
 * while it starts waits until somebody can pass it on. Else it would end this program alone, and
 * the command, which has a group of its own, would run on.
 */
export class CommandSignals {
  readonly #waiting: NodeJS.Signals[] = [];
  #forward: (signal: NodeJS.Signals) => void = (signal) => this.#waiting.push(signal);
  readonly #heard = (signal: NodeJS.Signals) => this.#forward(signal);

  constructor() {
    for (const signal of FORWARDED) process.on(signal, this.#heard);
  }

  /** Passes on what has arrived, and from now on each as it arrives. */
  forwardTo(forward: (signal: NodeJS.Signals) => void): void {
    this.#forward = forward;
    for (const signal of this.#waiting.splice(0)) forward(signal);
  }

  stopListening(): void {
    for (const signal of FORWARDED) process.off(signal, this.#heard);
  }
}
