/**
 * Tells pages what happens. One poller asks the ledger while somebody listens; each listener gets
 * what was noted behind its own cursor. Open streams count as tabs.
 */
import type { ServerResponse } from 'node:http';
import type { LiveEvents } from './api.ts';

const POLL_MS = 250;
const SIGN_OF_LIFE_MS = 15_000;

export class LiveStream {
  readonly #poll: () => Promise<void>;
  readonly #listeners = new Set<ServerResponse>();
  #poller: NodeJS.Timeout | null = null;
  #lifeSigns: NodeJS.Timeout | null = null;
  #isPolling = false;

  /** `poll`: looks for new events, which come back through `tell`. */
  constructor(poll: () => Promise<void>) {
    this.#poll = poll;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** `missed`: what was noted since the page last heard of something. */
  listen(response: ServerResponse, cursor: string, missed: LiveEvents | null): void {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(message('hello', { cursor }));
    if (missed !== null && missed.items.length > 0) response.write(message('events', missed));
    this.#listeners.add(response);
    response.once('close', () => {
      this.#listeners.delete(response);
      if (this.#listeners.size === 0) this.#rest();
    });
    this.#poller ??= setInterval(() => this.#ask(), POLL_MS);
    this.#lifeSigns ??= setInterval(() => this.#write(': still here\n\n'), SIGN_OF_LIFE_MS);
  }

  tell(events: LiveEvents): void {
    this.#write(message('events', events));
  }

  tellSettings(problem: string | null): void {
    this.#write(message('settings', { problem }));
  }

  close(): void {
    this.#rest();
    for (const response of this.#listeners) response.end();
  }

  /** A slow store is asked again when it has answered. */
  #ask(): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    this.#poll()
      // A store that cannot be read now is asked again; the routes tell why.
      .catch(() => undefined)
      .finally(() => {
        this.#isPolling = false;
      });
  }

  #write(text: string): void {
    for (const response of this.#listeners) response.write(text);
  }

  #rest(): void {
    if (this.#poller !== null) clearInterval(this.#poller);
    if (this.#lifeSigns !== null) clearInterval(this.#lifeSigns);
    this.#poller = null;
    this.#lifeSigns = null;
  }
}

function message(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
