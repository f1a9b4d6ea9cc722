/**
 * Requests of our own to an upstream, under ids that no client uses, be it another gateway. Their
 * answers go nowhere else.
 */
import { randomBytes } from '@spillway/core/store';
import { stringIn, textIn } from './json-edit.ts';
import { type Message, readMessage } from './message.ts';
import type { PendingRequests } from './pending.ts';

/** A server that always names a next page is asked no more after so many. */
const MOST_PAGES = 1_000;

export class OwnRequests {
  readonly #pending: PendingRequests;
  readonly #prefix = `spillway-${Buffer.from(randomBytes(6)).toString('hex')}`;
  #last = 0;

  constructor(pending: PendingRequests) {
    this.#pending = pending;
  }

  nextId(): string {
    return `"${this.#prefix}-${++this.#last}"`;
  }

  /** The answer to a request, once it has come; null if it does not come. */
  expect(id: string, method: string): Promise<Message | null> {
    return new Promise((settle) => {
      const rules = { stateless: false, links: false };
      this.#pending.add({ id, method, rules, call: null, progressToken: null, settle });
    });
  }

  /** All pages of the list of tools, asked for in the revision of another request. */
  async *tools(
    like: Message,
    stateless: boolean,
    send: (message: Message, id: string) => Promise<void>,
  ): AsyncGenerator<Message> {
    const meta = like.params.get('_meta');
    let cursor: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const id = this.nextId();
      const params = [
        ...(stateless && meta !== undefined ? [`"_meta":${textIn(like.bytes, meta.value)}`] : []),
        ...(cursor === undefined ? [] : [`"cursor":${JSON.stringify(cursor)}`]),
      ];
      const request = `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{${params.join(',')}}}`;
      const answered = this.expect(id, 'tools/list');
      await send(readMessage(Buffer.from(request)) as Message, id);
      const page = await answered;
      if (page === null || !page.members.has('result')) return;
      yield page;
      const next = stringIn(page.bytes, page.result.get('nextCursor'));
      if (next === undefined || next === cursor) return;
      cursor = next;
    }
  }
}
