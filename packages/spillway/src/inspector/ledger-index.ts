/**
 * The ledger as the inspector follows it: read once, then from its last event on. Holds what became
 * of each output and what each session last sent; memory grows with the outputs, not with their
 * size.
 */
import type { LedgerEvent, Store } from '@spillway/core';
import { type Ledger, LedgerReading, type OutputTrail } from '../observe/ledger.ts';

const PAGE_EVENTS = 1_000;
export class LedgerIndex {
  readonly #isOwn: (scope: string) => boolean;
  readonly #reading = new LedgerReading();
  readonly #events = new Map<string, LedgerEvent[]>();
  readonly #trails = new Map<string, OutputTrail[]>();
  readonly #prepared = new Map<string, LedgerEvent>();
  readonly #scopes = new Set<string>();
  #cursor = '';
  #under: Promise<readonly LedgerEvent[]> | null = null;

  /** `isOwn`: whether a scope belongs to the workspace that is looked at. */
  constructor(isOwn: (scope: string) => boolean) {
    this.#isOwn = isOwn;
  }

  /** Where the ledger ended when it was last looked at. */
  get cursor(): string {
    return this.#cursor;
  }

  catchUp(store: Store): Promise<readonly LedgerEvent[]> {
    this.#under ??= this.#read(store).finally(() => {
      this.#under = null;
    });
    return this.#under;
  }

  get ledger(): Ledger {
    return this.#reading.ledger;
  }

  get scopes(): readonly string[] {
    return [...this.#scopes];
  }

  trail(id: string): OutputTrail | undefined {
    return this.#reading.trail(id);
  }

  /** The outputs of a session, oldest first. */
  trailsOf(scope: string, session: string): readonly OutputTrail[] {
    return this.#trails.get(keyOf(scope, session)) ?? [];
  }

  eventsOf(id: string): readonly LedgerEvent[] {
    return this.#events.get(id) ?? [];
  }

  preparedIn(scope: string, session: string): LedgerEvent | undefined {
    return this.#prepared.get(keyOf(scope, session));
  }

  get lastPrepared(): LedgerEvent | undefined {
    return [...this.#prepared.values()].sort((a, b) => b.at - a.at)[0];
  }

  async #read(store: Store): Promise<readonly LedgerEvent[]> {
    const fresh: LedgerEvent[] = [];
    for (;;) {
      const after = this.#cursor === '' ? {} : { after: this.#cursor };
      const { items, next, end } = await store.events({ limit: PAGE_EVENTS, ...after });
      this.#cursor = end ?? next ?? this.#cursor;
      for (const event of items.filter(({ scope }) => this.#isOwn(scope))) {
        this.#take(event);
        fresh.push(event);
      }
      if (next === undefined) return fresh;
    }
  }

  #take(event: LedgerEvent): void {
    this.#reading.take(event);
    this.#scopes.add(event.scope);
    const { type, output, scope, session = '' } = event;
    if (type === 'prepared') this.#prepared.set(keyOf(scope, session), event);
    if (output === undefined) return;
    added(this.#events, output, event);
    const trail = type === 'captured' ? this.#reading.trail(output) : undefined;
    if (trail !== undefined) added(this.#trails, keyOf(scope, session), trail);
  }
}

function added<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function keyOf(scope: string, session: string): string {
  return JSON.stringify([scope, session]);
}
