/**
 * Results of calls that no message made. A run that is given up leaves what its tools did in the
 * store, while the framework forgets the message that made the calls: the next request must still
 * tell the model what it did. They are the outputs of the session that began behind its last message
 * and belong to no call that is kept or given.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import type { MessageRecord, MessageResult } from '../../model/message.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { Store } from '../../model/store.ts';
import type { SessionName } from '../read-session.ts';
import type { ImportedMessage } from './shape.ts';

/** More calls are not under way when a run is given up. */
const MOST = 50;
/** Outputs that a history makes itself. */
const OWN = /^(?:attachment|message|messages)\//;

export class UnsaidResults {
  readonly #calls = new Set<string>();
  readonly #outputs = new Set<ArtifactId>();
  /** When the last message was said; null while there is none. */
  #since: number | null = null;

  kept({ at, parts }: MessageRecord): void {
    this.#since = at;
    for (const part of parts) {
      if (part.type === 'call' || part.type === 'result') this.#calls.add(part.callId);
      if (part.type === 'result') this.#outputs.add(part.output);
    }
  }

  given({ parts }: ImportedMessage): void {
    for (const part of parts)
      if (part.type === 'call' || part.type === 'result') this.#calls.add(part.callId);
  }

  /** The results, oldest first. */
  async find(store: Pick<Store, 'list'>, name: SessionName): Promise<readonly MessageResult[]> {
    const since = this.#since;
    if (since === null) return [];
    const { items } = await store.list({ ...name, show: 'all', limit: MOST });
    return items
      .filter((output) => output.startedAt >= since && this.#isUnsaid(output))
      .map(asResult)
      .reverse();
  }

  #isUnsaid({ id, callId, retiredAt }: OutputRecord): boolean {
    if (callId === undefined || OWN.test(callId) || retiredAt !== undefined) return false;
    return !this.#calls.has(callId) && !this.#outputs.has(id);
  }
}

function asResult({ id, callId = '', tool, outcome }: OutputRecord): MessageResult {
  return { type: 'result', callId, tool, output: id, status: outcome.status, unsaid: true };
}
