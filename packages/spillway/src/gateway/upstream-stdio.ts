/**
 * An upstream process, with messages on stdin and stdout; its stderr goes to ours. It gets only the
 * environment it was given. A process that ends is restarted, after a pause that doubles each time
 * it ends at once; messages wait meanwhile.
 */
import { SpillwayError } from '@spillway/core';
import { type Incoming, messagesIn } from './incoming.ts';
import { type Message, sameId } from './message.ts';
import { type Upstream, type UpstreamEvents, within } from './ports.ts';
import { type ServerCommand, ServerProcess } from './server-process.ts';
import { LineWriter } from './stdio-port.ts';
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
