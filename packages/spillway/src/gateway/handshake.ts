/**
 * The client's handshake with the upstream. The answer is passed on as written, except that a
 * server without resources gets them, because the gateway serves stored outputs as resources. The
 * client's introduction is kept for an upstream that is restarted.
 */
import { addedMember, edited } from './json-edit.ts';
import { type AnswerRules, type Message, PROTOCOL_KEY, rulesOf } from './message.ts';

export class Handshake {
  request: Message | null = null;
  initialized: Buffer | null = null;
  #revision = '';
  /** Null before it was asked. */
  upstreamHasResources: boolean | null = null;

  rulesFor(request: Message): AnswerRules {
    const named = request.string(request.meta.get(PROTOCOL_KEY));
    return named === undefined ? rulesOf(this.#revision, false) : rulesOf(named, true);
  }

  passOn(message: Message): Buffer {
    const { bytes, result } = message;
    this.#revision = message.string(result.get('protocolVersion')) ?? this.#revision;
    const capabilities = result.get('capabilities');
    const members = message.inside(capabilities);
    if (capabilities === undefined || bytes[capabilities.value.start] !== 0x7b) return bytes;
    this.upstreamHasResources = members.has('resources');
    if (this.upstreamHasResources || !members.has('tools')) return bytes;
    return edited(bytes, [addedMember(bytes, capabilities.value, 'resources', '{}')]);
  }

  /** Null if it has not begun, or needs none. */
  again(id: string): Buffer | null {
    const written = this.request?.members.get('id');
    return written === undefined ? null : (this.request?.with(written, id) ?? null);
  }
}
