/**
 * What the history promises, by name, and what it counts. In development a broken promise throws;
 * in production it is counted, and the harmless way is taken. Counters hold numbers only.
 */
import { SpillwayError } from '../model/errors.ts';

/** The promises of the history. */
export type InvariantName =
  | 'canonical_tool_result_is_lossless'
  | 'transport_truncation_must_not_mutate_canonical_history';

/** What is counted. */
export type CounterName =
  /** Results written to the store; one that was there already is not written again. */
  | 'canonical_writes'
  /** Attempts to record what our own renderer had made of the same call; the target is 0. */
  | 'rendered_writes'
  /** Imported results that were our own views, and refer to the outputs behind them now. */
  | 'relinked_results'
  /** Imported results that look as if somebody else had cut them. */
  | 'suspected_truncations'
  /** Calls that had no result when a request was prepared, each once. */
  | 'missing_results'
  /** Results found in the store that no message refers to, each counted once. */
  | 'recovered_results'
  /** Results and messages that could not be stored when they came, and were held in memory. */
  | 'unstored_results'
  | 'unstored_messages'
  /** Requests that were refused or whose new results were made smaller. */
  | 'overflows_avoided'
  | InvariantName;

/** How often each has happened since the history was opened. */
export type Counters = Readonly<Record<CounterName, number>>;

/** Watches the promises. */
export class Invariants {
  readonly #mode: 'throw' | 'count';
  readonly #onCount: (name: CounterName, by: number) => void;
  readonly #counters: Record<CounterName, number> = {
    canonical_writes: 0,
    rendered_writes: 0,
    relinked_results: 0,
    suspected_truncations: 0,
    missing_results: 0,
    recovered_results: 0,
    unstored_results: 0,
    unstored_messages: 0,
    overflows_avoided: 0,
    canonical_tool_result_is_lossless: 0,
    transport_truncation_must_not_mutate_canonical_history: 0,
  };

  constructor(mode: 'throw' | 'count', onCount: (name: CounterName, by: number) => void) {
    this.#mode = mode;
    this.#onCount = onCount;
  }

  /** Whether promises are checked at the cost of reading things back. */
  get thorough(): boolean {
    return this.#mode === 'throw';
  }

  get counters(): Counters {
    return { ...this.#counters };
  }

  count(name: CounterName, by = 1): void {
    if (by === 0) return;
    this.#counters[name] += by;
    this.#onCount(name, by);
  }

  /** A promise is about to be broken. */
  broken(name: InvariantName, advice: string): void {
    this.count(name);
    if (this.#mode === 'throw') throw new SpillwayError('invariant', `${name}: ${advice}`);
  }
}
