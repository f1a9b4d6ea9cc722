/**
 * What client and upstream agreed on. The answer to `initialize` (or `server/discover`) is passed
 * on as written; a server without resources gets them, because the gateway serves stored outputs as
 * such. The client's own words are kept, to be said again to an upstream that was started anew.
 */
import { addedMember, edited, membersOf, stringIn } from './json-edit.ts';
import { type AnswerRules, type Message, metaOf, PROTOCOL_KEY, rulesOf } from './message.ts';

export class Handshake {
  #request: Message | null = null;
  #initialized: Buffer | null = null;
  #revision = '';
  /** Whether the upstream serves resources itself; unknown before it was asked. */
  upstreamHasResources: boolean | null = null;

  asked(request: Message): void {
    this.#request = request;
  }

  confirmed(notification: Message): void {
    this.#initialized = notification.bytes;
  }

  /** Which rules the answer to a request must follow. */
  rulesFor(request: Message): AnswerRules {
    const named = metaOf(request, PROTOCOL_KEY)?.value;
    return typeof named === 'string' ? rulesOf(named, true) : rulesOf(this.#revision, false);
  }

  /** The answer as the client gets it. */
  passOn(message: Message): Buffer {
    const result = message.result;
    this.#revision = stringIn(message.bytes, result.get('protocolVersion')) ?? this.#revision;
    const capabilities = result.get('capabilities');
    const members = capabilities === undefined ? null : membersOf(message.bytes, capabilities.value);
    if (capabilities === undefined || members === null) return message.bytes;
    this.upstreamHasResources = members.has('resources');
    if (this.upstreamHasResources || !members.has('tools')) return message.bytes;
    return edited(message.bytes, [addedMember(message.bytes, capabilities.value, 'resources', '{}')]);
  }

  /**
   * What the client said at the beginning, under another id; null if it has not begun, or needs no
   * beginning.
   */
  again(id: string): { readonly request: Buffer; readonly initialized: Buffer | null } | null {
    const written = this.#request?.members.get('id');
    if (this.#request === null || written === undefined) return null;
    const request = edited(this.#request.bytes, [{ ...written.value, by: id }]);
    return { request, initialized: this.#initialized };
  }
}
