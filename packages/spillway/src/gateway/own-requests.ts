/** Requests of our own to an upstream, under ids that no client uses. Their answers go nowhere else. */
import { stringIn, textIn } from './json-edit.ts';
import { type Message, readMessage, within } from './message.ts';
import type { PendingRequests } from './pending.ts';

export class OwnRequests {
  readonly #pending: PendingRequests;
  #last = 0;

  constructor(pending: PendingRequests) {
    this.#pending = pending;
  }

  nextId(): string {
    return `"spillway-${++this.#last}"`;
  }

  /** The answer to a request, once it has come; null if it does not come. */
  expect(id: string, method: string): Promise<Message | null> {
    return new Promise((settle) => {
      const era = { stateless: false, links: false };
      this.#pending.add({ id, method, request: null, era, call: null, progressToken: null, settle });
    });
  }

  /** All pages of the list of tools, asked for in the revision of another request. */
  async *tools(
    like: Message,
    stateless: boolean,
    send: (message: Message, id: string) => Promise<void>,
  ): AsyncGenerator<Message> {
    const meta = within(like, 'params').get('_meta');
    let cursor: string | undefined;
    do {
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
      cursor = stringIn(page.bytes, within(page, 'result').get('nextCursor'));
    } while (cursor !== undefined);
  }
}
