/**
 * Notes what happens in sessions twice: in the counters of this process, and as events in the
 * ledger, from which statistics and metrics are made. A call without a result counts once, however
 * many requests are made while it is missing. Names and numbers only.
 */
import { createHash } from 'node:crypto';
import type { Spillway } from '../engine.ts';
import type { ArtifactId } from '../model/artifact.ts';
import type { EventType, LedgerEvent } from '../model/events.ts';
import type { SessionName } from '../model/session.ts';
import type { CounterName, Invariants } from './invariants.ts';
import type { Pair } from './pairing.ts';
import type { ShadowDifference } from './rollout/shadow.ts';
import type { RequestNumbers, WindowComposition } from './thresholds.ts';

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

  /** Our own text was offered as the result of a call; `output` is what it was made from. */
  async renderedWrite(name: SessionName, tool: string, output?: ArtifactId): Promise<void> {
    this.#options.invariants.count('rendered_writes');
    await this.note('rendered_write', name, { tool, ...(output === undefined ? {} : { output }) });
  }

  /** These calls had no result when a request was made. */
  async missing(name: SessionName, pairs: readonly Pair[]): Promise<void> {
    for (const pair of this.#uncounted('missing_results', name, pairs)) {
      this.#options.invariants.count('missing_results');
      await this.note('missing_result', name, { tool: pair.call.tool, data: { call: keyOf(pair) } });
    }
  }

  /** These results had been recorded although no message says so. */
  recovered(name: SessionName, pairs: readonly Pair[]): void {
    const fresh = this.#uncounted('recovered_results', name, pairs);
    this.#options.invariants.count('recovered_results', fresh.length);
  }

  /** A request would have been too large: it was `refused`, or new results were `reduced`. */
  async overflowAvoided(
    name: SessionName,
    { tokens, window }: RequestNumbers,
    how: 'refused' | 'reduced',
  ): Promise<void> {
    this.#options.invariants.count('overflows_avoided');
    await this.note('overflow_avoided', name, { data: { how, tokens, window: window ?? 0 } });
  }

  /** A request was made, or refused: how full the window is, and what fills it. */
  async prepared(
    name: SessionName,
    { tokens, window }: RequestNumbers,
    verdict: string,
    composition: WindowComposition,
  ): Promise<void> {
    const data = { tokens, window: window ?? 0, verdict, ...composition };
    await this.note('prepared', name, { data });
  }

  /** How the host's old text of a result differs from the original, in numbers. */
  async compared(name: SessionName, { tool, output, what, ...sizes }: ShadowDifference): Promise<void> {
    const data = {
      original_chars: sizes.original_size,
      legacy_chars: sizes.legacy_size,
      our_chars: sizes.our_size,
      lost_chars: sizes.lost_by_legacy,
      what: what.join(' '),
    };
    await this.note('compared', name, { tool, output, data });
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

  /** Adds an event. */
  async note(
    type: EventType,
    { scope, session }: SessionName,
    fields: Pick<LedgerEvent, 'tool' | 'output' | 'data'>,
  ): Promise<void> {
    const { spillway, clock } = this.#options;
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
