/**
 * What the parts of a history share: the session, its store, what is counted, and the ledger. Events
 * and counters hold numbers and names only. In development a broken promise throws; in production it
 * is counted, and the harmless way is taken.
 */

import { createHash } from 'node:crypto';
import type { Holding } from '../engine/holding.ts';
import type { Spillway } from '../engine.ts';
import { SpillwayError } from '../model/errors.ts';
import type { EventType, LedgerEvent } from '../model/events.ts';
import type { SessionName } from '../model/session.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import { withSignal } from '../stores/waiting.ts';
import type { Pair } from './pairing.ts';
import type { TokenCounts } from './token-counts.ts';

export interface SessionContext {
  readonly name: SessionName;
  readonly spillway: Spillway;
  readonly holding: Holding;
  readonly store: Store;
  readonly ledger: SessionLedger;
  readonly counts: TokenCounts;
  readonly clock: () => number;
  /** Ends reading; recording is always finished. */
  readonly wait: WaitOptions;
}

/** The same for one call, whose signal ends reading. */
export function forCall(context: SessionContext, { signal }: WaitOptions): SessionContext {
  if (signal === undefined) return context;
  signal.throwIfAborted();
  return { ...context, wait: { signal }, store: withSignal(context.store, signal) };
}

/** Names a call in a session, also where a provider uses one id for several. */
function keyOf({ call: { callId }, from }: Pair): string {
  return createHash('sha256')
    .update(JSON.stringify([callId, from]))
    .digest('base64url')
    .slice(0, 16);
}

/** Promises of the history that were about to be broken. */
const PROMISES = [
  'canonical_tool_result_is_lossless',
  'transport_truncation_must_not_mutate_canonical_history',
] as const;

/** The promises of the history. */
export type InvariantName = (typeof PROMISES)[number];

const COUNTERS = [
  /** Results written to the store; one that was there already is not written again. */
  'canonical_writes',
  /** Attempts to record what our own renderer had made of the same call; the target is 0. */
  'rendered_writes',
  /** Imported results that were our own views, and refer to the outputs behind them now. */
  'relinked_results',
  /** Imported results that look as if somebody else had cut them. */
  'suspected_truncations',
  /** Calls that had no result when a request was prepared, each once. */
  'missing_results',
  /** Results and messages that could not be stored when they came, and were held in memory. */
  'unstored_results',
  'unstored_messages',
  /** Requests that were refused or whose new results were made smaller. */
  'overflows_avoided',
  ...PROMISES,
] as const;

/** What is counted. */
export type CounterName = (typeof COUNTERS)[number];

/** How often each has happened since the history was opened. */
export type Counters = Readonly<Record<CounterName, number>>;

/** Calls that are remembered as counted; past that, all are forgotten. */
const MOST_CALLS = 10_000;

/**
 * Tells the ledger what happens in sessions, counts it, and watches the promises: one that is about
 * to be broken throws, or is only counted.
 */
export class SessionLedger {
  readonly #spillway: Spillway;
  readonly #clock: () => number;
  /** Whether promises are checked at the cost of reading things back. */
  readonly isThorough: boolean;
  readonly #counters = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Record<CounterName, number>;
  readonly #counted = new Set<string>();

  constructor(spillway: Spillway, mode: 'throw' | 'count', clock: () => number) {
    this.#spillway = spillway;
    this.#clock = clock;
    this.isThorough = mode === 'throw';
  }

  get counters(): Counters {
    return { ...this.#counters };
  }

  count(name: CounterName, by = 1): void {
    this.#counters[name] += by;
  }

  broken(name: InvariantName, advice: string): void {
    this.count(name);
    if (this.isThorough) throw new SpillwayError('invariant', `${name}: ${advice}`);
  }

  /** These calls had no result when a request was made; each is told once. */
  async missing(name: SessionName, pairs: readonly Pair[]): Promise<void> {
    for (const pair of pairs) {
      const call = keyOf(pair);
      const key = JSON.stringify([name.scope, name.session, call]);
      if (this.#counted.has(key)) continue;
      if (this.#counted.size >= MOST_CALLS) this.#counted.clear();
      this.#counted.add(key);
      await this.note('missing_result', name, { tool: pair.call.tool, data: { call } }, 'missing_results');
    }
  }

  /** Adds an event, and counts it where it has a counter. */
  async note(
    type: EventType,
    { scope, session }: SessionName,
    fields: Pick<LedgerEvent, 'tool' | 'output' | 'data'>,
    counter?: CounterName,
  ): Promise<void> {
    if (counter !== undefined) this.count(counter);
    await this.#spillway.note({ type, at: this.#clock(), scope, session, ...fields });
  }
}
