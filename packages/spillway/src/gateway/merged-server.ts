/**
 * One of several merged upstreams. Client requests keep the client's ids, which are unique; our own
 * requests use ids of ours, and their answers stay here. If it is lost, only what waited for it
 * fails.
 */
import { randomBytes } from '@spillway/core/store';
import type { Incoming } from './incoming.ts';
import { edited } from './json-edit.ts';
import { type Message, readMessage, sameId } from './message.ts';
import type { Upstream, UpstreamEvents } from './ports.ts';

export interface MergedServerOptions extends Pick<UpstreamEvents, 'refused' | 'waits'> {
  readonly name: string;
  readonly received: (server: MergedServer, incoming: Incoming, about: string | null) => Promise<void>;
  readonly introduction: () => { readonly request: Message; readonly initialized: Buffer | null } | null;
}

export class MergedServer implements UpstreamEvents {
  readonly name: string;
  readonly #options: MergedServerOptions;
  readonly #own = new Map<string, (answer: Message | null) => void>();
  readonly #passed = new Set<string>();
  /** Unique, because other gateways may be clients or servers of this one. */
  readonly #prefix = `merge-${Buffer.from(randomBytes(6)).toString('hex')}`;
  #lastId = 0;
  /** Null if it needs a new connection. */
  upstream: Upstream | null = null;
  capabilities: Readonly<Record<string, unknown>> = {};
  /** Why it cannot be used, if it cannot. */
  failure: string | null = null;
  /** The last answer to each method that lists something, and the methods that wait for one. */
  readonly lists = new Map<string, readonly string[]>();
  readonly listing = new Set<string>();

  constructor(options: MergedServerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async pass(message: Message): Promise<void> {
    if (message.method !== null && message.id !== null) this.#passed.add(sameId(message.id));
    await this.upstream?.send(message.bytes, message);
  }

  ask(
    like: Message,
    params: string | null = null,
    send = (bytes: Buffer) => this.upstream?.send(bytes, readMessage(bytes)),
  ): Promise<Message | null> {
    const id = `"${this.#prefix}-${++this.#lastId}"`;
    const member = like.members.get('id');
    const given = like.members.get('params');
    const edits = [
      ...(member === undefined ? [] : [{ ...member.value, by: id }]),
      ...(params === null || given === undefined ? [] : [{ ...given.value, by: params }]),
    ];
    const answered = new Promise<Message | null>((resolve) => this.#own.set(sameId(id), resolve));
    // Unreachable: that is the answer. Sending may wait for a restarting server.
    const sent = send(edited(like.bytes, edits)) ?? Promise.reject(new Error('not connected'));
    sent.catch(() => this.#settle(id, null));
    return answered;
  }

  async received(incoming: Incoming, about: string | null): Promise<void> {
    const message = this.#isRead(incoming) ? readMessage(incoming.subarray(0, incoming.length)) : null;
    if (message !== null && message.method === null && message.id !== null) {
      if (this.#settle(message.id, message)) return;
      this.#passed.delete(sameId(message.id));
    }
    await this.#options.received(this, incoming, about);
  }

  async lost(why: string, unsent: ReadonlySet<string>): Promise<void> {
    for (const id of [...this.#own.keys()]) if (!unsent.has(id)) this.#settle(id, null);
    const passed = [...this.#passed].filter((id) => !unsent.has(id));
    for (const id of passed) this.#passed.delete(id);
    for (const id of passed) if (this.#options.waits(id)) await this.refused(id, why);
  }

  async refused(id: string, why: string): Promise<void> {
    if (!this.#settle(id, null)) await this.#options.refused(id, `${this.name}: ${why}`);
  }

  waits(id: string): boolean {
    return this.#own.has(sameId(id)) || this.#options.waits(id);
  }

  async renewed(send: (bytes: Buffer) => Promise<void>): Promise<void> {
    const introduction = this.#options.introduction();
    if (introduction === null) return;
    const answer = await this.ask(introduction.request, null, send);
    if (answer !== null && introduction.initialized !== null) await send(introduction.initialized);
  }

  #settle(id: string, answer: Message | null): boolean {
    const waiting = this.#own.get(sameId(id));
    this.#own.delete(sameId(id));
    waiting?.(answer);
    return waiting !== undefined;
  }

  /** Of large messages only the answers to our own requests. */
  #isRead(incoming: Incoming): boolean {
    if (Buffer.isBuffer(incoming)) return true;
    const { id } = incoming.scan;
    return id !== null && this.#own.has(sameId(incoming.subarray(id.start, id.end).toString()));
  }
}
