/**
 * The sessions of clients over HTTP, each found only by who began it. A session is used while a
 * request of it is unanswered or its client listens; one that is not used for long is ended. A
 * principal has at most so many: room for a new one is made by ending the one that was not used for
 * the longest time.
 */
import { randomUUID } from 'node:crypto';
import type { HttpStreams } from './http-streams.ts';
import type { Upstream } from './ports.ts';
import type { Relay } from './relay.ts';

export interface HttpSessionsOptions {
  /** Milliseconds after which a session that is not used is ended. */
  readonly idleMs: number;
  /** Sessions that a principal may have. */
  readonly most: number;
  readonly ended: (line: HttpLine) => void;
}

interface Session {
  readonly line: HttpLine;
  lastUsed: number;
}

export class HttpSessions {
  readonly #options: HttpSessionsOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #beginning = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#endIdle(), Math.min(60_000, Math.ceil(options.idleMs / 4)));
    this.#timer.unref();
  }

  /** Begins a session: its id and its line. Null while a principal uses all that it may have. */
  async begin(
    principal: string,
    connect: (lost: () => void) => Promise<HttpLine>,
  ): Promise<{ readonly id: string; readonly line: HttpLine } | null> {
    if (!this.#makeRoom(principal)) return null;
    const id = randomUUID();
    this.#count(principal, 1);
    try {
      const line = await connect(() => this.#sessions.delete(id));
      this.#sessions.set(id, { line, lastUsed: performance.now() });
      return { id, line };
    } finally {
      this.#count(principal, -1);
    }
  }

  find(id: string, principal: string): HttpLine | null {
    const session = this.#sessions.get(id);
    if (session === undefined || session.line.principal !== principal) return null;
    session.lastUsed = performance.now();
    return session.line;
  }

  delete(id: string): void {
    this.#sessions.delete(id);
  }

  /** All of them, which then are none of ours any more. */
  close(): readonly HttpLine[] {
    clearInterval(this.#timer);
    const lines = [...this.#sessions.values()].map(({ line }) => line);
    this.#sessions.clear();
    return lines;
  }

  #count(principal: string, by: number): void {
    this.#beginning.set(principal, (this.#beginning.get(principal) ?? 0) + by);
  }

  #makeRoom(principal: string): boolean {
    const own = [...this.#sessions].filter(([, { line }]) => line.principal === principal);
    if (own.length + (this.#beginning.get(principal) ?? 0) < this.#options.most) return true;
    const [oldest] = own
      .filter(([, { line }]) => !line.streams.busy)
      .sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    if (oldest === undefined) return false;
    this.#end(...oldest);
    return true;
  }

  #endIdle(): void {
    const now = performance.now();
    for (const [id, session] of this.#sessions) {
      if (session.line.streams.busy) session.lastUsed = now;
      else if (session.lastUsed < now - this.#options.idleMs) this.#end(id, session);
    }
  }

  #end(id: string, { line }: Session): void {
    this.#sessions.delete(id);
    this.#options.ended(line);
  }
}

// A client over HTTP, its relay and its upstream, and how they end together.

export interface HttpLine {
  readonly principal: string;
  readonly relay: Relay;
  readonly upstream: Upstream;
  readonly streams: HttpStreams;
}

/** Ends a line. Whoever waits for an answer gets an error that says why. */
export async function endLine({ streams, upstream, relay }: HttpLine, why: string): Promise<void> {
  await relay.refuseAll(why);
  streams.close();
  await upstream.close();
  await relay.close();
}
