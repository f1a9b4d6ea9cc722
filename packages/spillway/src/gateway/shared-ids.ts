/**
 * Several clients on one upstream connection: each request goes out under an id and a progress
 * token of ours, and what comes back gets the client's again. Everything else of a message stays as
 * it was written.
 */

import type { HttpStreams } from './http-streams.ts';
import { type Edit, edited, textIn } from './json-edit.ts';
import { type Message, readMessage, sameId } from './message.ts';
import type { ClientPort } from './ports.ts';
import type { Spooled } from './spool.ts';

interface Borrowed {
  readonly id: string;
  readonly token: string | null;
}

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

export class SharedIds implements ClientPort {
  readonly #streams: HttpStreams;
  readonly #borrowed = new Map<string, Borrowed>();
  #last = 0;

  constructor(streams: HttpStreams) {
    this.#streams = streams;
  }

  /** The request as it goes upstream. */
  outgoing(message: Message): Message {
    const own = `"shared-${++this.#last}"`;
    const id = message.members.get('id');
    const token = message.meta.get('progressToken')?.value;
    const edits: Edit[] = [];
    if (id !== undefined) edits.push({ ...id.value, by: own });
    if (token !== undefined) edits.push({ ...token, by: own });
    this.#borrowed.set(own, {
      id: message.id ?? 'null',
      token: token === undefined ? null : textIn(message.bytes, token),
    });
    return readMessage(edited(message.bytes, edits)) as Message;
  }

  /** Whether a request was still to be answered. */
  forget(own: string): boolean {
    return this.#borrowed.delete(own);
  }

  async send(bytes: Buffer | Spooled, about: string | null): Promise<void> {
    // A message too large to be held is an answer that was not to be looked at; it goes to who
    // waits for it, under the id it has.
    if (!Buffer.isBuffer(bytes)) return this.#streams.send(bytes, about);
    const message = readMessage(bytes);
    if (message === null) return;
    if (message.method === null) return this.#answer(message);
    const { owner, edits } = this.#ownerOf(message);
    return this.#streams.send(edits.length === 0 ? bytes : edited(bytes, edits), owner ?? about);
  }

  #answer(message: Message): Promise<void> {
    const own = sameId(message.id ?? 'null');
    const borrowed = this.#borrowed.get(own);
    const id = message.members.get('id');
    if (borrowed === undefined || id === undefined) return Promise.resolve();
    this.#borrowed.delete(own);
    return this.#streams.sendAs(own, edited(message.bytes, [{ ...id.value, by: borrowed.id }]));
  }

  /** Whose a notification is, by its token or its subscription. */
  #ownerOf(message: Message): { readonly owner: string | null; readonly edits: readonly Edit[] } {
    for (const [range, kind] of [
      [message.params.get('progressToken')?.value, 'token'],
      [message.meta.get(SUBSCRIPTION_KEY)?.value, 'id'],
    ] as const) {
      const own = range === undefined ? '' : textIn(message.bytes, range);
      const borrowed = this.#borrowed.get(own);
      if (range === undefined || borrowed === undefined) continue;
      return { owner: own, edits: [{ ...range, by: borrowed[kind] ?? 'null' }] };
    }
    return { owner: null, edits: [] };
  }
}
