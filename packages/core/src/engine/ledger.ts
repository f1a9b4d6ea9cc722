/**
 * Adds events to the ledger of the store and tells whoever observes. An answer never depends on it.
 */
import type { ArtifactId } from '../model/artifact.ts';
import type { EventType, LedgerEvent } from '../model/events.ts';
import type { Call } from '../model/output.ts';
import type { Store, WaitOptions } from '../model/store.ts';

export type EventData = NonNullable<LedgerEvent['data']>;

export interface LedgerOptions {
  readonly store: Store | null;
  readonly clock: () => number;
  readonly onEvent: (event: LedgerEvent) => void;
}

export class Ledger {
  readonly #options: LedgerOptions;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** An event that happens now. */
  event(
    type: EventType,
    { tool, session, scope }: Pick<Call, 'tool' | 'session' | 'scope'>,
    output: ArtifactId | undefined,
    data: EventData,
  ): LedgerEvent {
    const event = { type, at: this.#options.clock(), tool, session, scope, data };
    return output === undefined ? event : { ...event, output };
  }

  /** Adds an event. A store that cannot take it is no error. */
  async note(event: LedgerEvent, wait: WaitOptions = {}): Promise<void> {
    wait.signal?.throwIfAborted();
    this.tell([event]);
    await this.#options.store?.note([event], wait).catch(() => wait.signal?.throwIfAborted());
  }

  /** Tells of events that are in the store already. */
  tell(events: readonly LedgerEvent[]): void {
    for (const event of events) this.#options.onEvent(event);
  }
}
