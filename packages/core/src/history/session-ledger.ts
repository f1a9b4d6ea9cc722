/**
 * Notes what happens in sessions twice: in the counters of this process, and as events in the
 * ledger, from which statistics and metrics are made. A call without a result counts once, however
 * many requests are made while it is missing. Names and numbers only.
 */
import { createHash } from 'node:crypto';
import type { Spillway } from '../engine.ts';
import type { EventType, LedgerEvent } from '../model/events.ts';
import type { SessionName } from '../model/session.ts';
import type { CounterName, Invariants } from './invariants.ts';
import type { Pair } from './pairing.ts';

/** Calls that are remembered as counted; past that, all are forgotten. */
const MOST_CALLS = 10_000;

export interface SessionLedgerOptions {
  readonly spillway: Spillway;
  readonly invariants: Invariants;
  readonly clock: () => number;
}

export class SessionLedger {
  readonly #options: SessionLedgerOptions;
  readonly #counted = new Set<string>();

  constructor(options: SessionLedgerOptions) {
    this.#options = options;
  }

  /** These calls had no result when a request was made. */
  async missing(name: SessionName, pairs: readonly Pair[]): Promise<void> {
    for (const pair of this.#uncounted('missing_results', name, pairs)) {
      const facts = { tool: pair.call.tool, data: { call: keyOf(pair) } };
      await this.note('missing_result', name, facts, 'missing_results');
    }
  }

  /** These results had been recorded although no message says so. */
  recovered(name: SessionName, pairs: readonly Pair[]): void {
    const fresh = this.#uncounted('recovered_results', name, pairs);
    this.#options.invariants.count('recovered_results', fresh.length);
  }

  #uncounted(counter: CounterName, { scope, session }: SessionName, pairs: readonly Pair[]): Pair[] {
    return pairs.filter((pair) => {
      const key = JSON.stringify([counter, scope, session, keyOf(pair)]);
      if (this.#counted.has(key)) return false;
      if (this.#counted.size >= MOST_CALLS) this.#counted.clear();
      this.#counted.add(key);
      return true;
    });
  }

  /** Adds an event, and counts it where it has a counter. */
  async note(
    type: EventType,
    { scope, session }: SessionName,
    fields: Pick<LedgerEvent, 'tool' | 'output' | 'data'>,
    counter?: CounterName,
  ): Promise<void> {
    const { spillway, invariants, clock } = this.#options;
    if (counter !== undefined) invariants.count(counter);
    await spillway.note({ type, at: clock(), scope, session, ...fields });
  }
}

/** Names a call in a session, also where a provider uses one id for several. */
function keyOf({ call: { callId }, from }: Pair): string {
  return createHash('sha256')
    .update(JSON.stringify([callId, from]))
    .digest('base64url')
    .slice(0, 16);
}
