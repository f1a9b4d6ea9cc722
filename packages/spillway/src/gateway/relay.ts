/**
 * One client, one upstream, and the messages between them, as bytes. Looked at are: the handshake,
 * the list of tools, tool calls and their results, and resources under `artifact://`. All else
 * passes. Every request is answered once: by the upstream, or by us when the upstream crashed or
 * gave no sign for too long. Nothing that either side sends ends the relay.
 */
import { Arrivals } from './arrivals.ts';
import { ClientSide } from './client-side.ts';
import type { Incoming } from './framing.ts';
import { Handshake } from './handshake.ts';
import { OwnRequests } from './own-requests.ts';
import { PendingRequests, type ToolCall } from './pending.ts';
import type { Upstream, UpstreamEvents } from './ports.ts';
import { RelayLine, type RelayOptions } from './relay-line.ts';
import { UpstreamSide } from './upstream-side.ts';
import { sentence } from './wording.ts';

export class Relay implements UpstreamEvents {
  readonly #options: RelayOptions;
  readonly #pending: PendingRequests;
  readonly #own: OwnRequests;
  readonly #handshake = new Handshake();
  readonly #line: RelayLine;
  readonly #clientSide: ClientSide;
  readonly #upstreamSide: UpstreamSide;
  readonly #arrivals: Arrivals;

  constructor(options: RelayOptions) {
    this.#options = options;
    const { timeoutMs, client, log } = options;
    this.#pending = new PendingRequests({
      timeoutMs,
      expired: (pending) => this.#line.expired(pending),
    });
    this.#own = new OwnRequests(this.#pending);
    this.#line = new RelayLine({ client, timeoutMs, log, pending: this.#pending });
    const tasks = new Map<string, ToolCall>();
    const parts = { ...options, tasks, line: this.#line, handshake: this.#handshake };
    this.#clientSide = new ClientSide({ ...parts, pending: this.#pending, own: this.#own });
    this.#upstreamSide = new UpstreamSide({ ...parts, pending: this.#pending });
    this.#arrivals = new Arrivals({
      ...options,
      pending: this.#pending,
      whole: (bytes, about) => this.#upstreamSide.arrived(bytes, about),
      restart: () => this.#line.upstream?.restart(),
    });
  }

  attach(upstream: Upstream): void {
    this.#line.upstream = upstream;
  }

  /** A message from the client. */
  fromClient(incoming: Incoming): Promise<void> {
    return this.#clientSide.take(incoming).catch((error: unknown) => this.#options.log(sentence(error)));
  }

  async received(incoming: Incoming, about: string | null): Promise<void> {
    const taken =
      incoming.kind === 'whole'
        ? this.#upstreamSide.arrived(incoming.bytes, about)
        : this.#arrivals.large(incoming, about);
    await taken.catch((error: unknown) => this.#options.log(sentence(error)));
  }

  async lost(why: string, unsent: ReadonlySet<string>): Promise<void> {
    for (const pending of this.#pending.takeAllBut(unsent))
      if (!pending.abandoned) await this.#line.giveUp(pending, why);
  }

  /** Answers every request that waits with an error: nothing will answer it any more. */
  async refuseAll(why: string): Promise<void> {
    for (const pending of this.#pending.takeAllBut(new Set()))
      if (!pending.abandoned) await this.#line.refuse(pending, why);
  }

  refused(id: string, why: string): Promise<void> {
    return this.#line.refused(id, why);
  }

  waits(id: string): boolean {
    return this.#pending.get(id) !== undefined;
  }

  async renewed(send: (bytes: Buffer) => Promise<void>): Promise<void> {
    const id = this.#own.nextId();
    const again = this.#handshake.again(id);
    if (again === null) return;
    const answered = this.#own.expect(id, 'initialize');
    await send(again.request);
    if ((await answered) !== null && again.initialized !== null) await send(again.initialized);
  }

  /** Lets requests that were made be answered, for so long. */
  async answered(mostMs: number): Promise<void> {
    await this.#pending.answered(mostMs);
    await this.#line.settled();
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#pending.close();
    await this.#line.settled();
    await this.#options.results.settled();
  }
}
