/**
 * Keeps a server that stalls from holding up every result. After one statement that was not answered
 * in time, or waited too long for a lock, everything fails at once, until a probe in the background
 * finds that the server answers and its locks are free. Units: milliseconds.
 */
import { SpillwayError } from '@spillway/core/store';
import { isStalled } from './failures.ts';

const FIRST_PROBE_MS = 1_000;
const LATEST_PROBE_MS = 15_000;

export class CircuitBreaker {
  #isOpen = false;
  #timer: NodeJS.Timeout | undefined;

  /** Throws while the server stalls. */
  check(): void {
    if (this.#isOpen)
      throw new SpillwayError(
        'store_unavailable',
        'The PostgreSQL server stalls: it did not answer in time, or somebody holds a lock on the tables (pg_locks on the server tells who). It is asked again as soon as it answers.',
      );
  }

  /** Opens if the error is that of a server which stalls. */
  note(error: unknown, probe: () => Promise<unknown>): void {
    if (this.#isOpen || !isStalled(error)) return;
    this.#isOpen = true;
    this.#probeIn(FIRST_PROBE_MS, probe);
  }

  /** No more probes. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #probeIn(ms: number, probe: () => Promise<unknown>): void {
    this.#timer = setTimeout(() => {
      probe().then(
        () => this.#close(),
        // Any other refusal is an answer, and comes as fast to whoever asks.
        (error: unknown) =>
          isStalled(error) ? this.#probeIn(Math.min(2 * ms, LATEST_PROBE_MS), probe) : this.#close(),
      );
    }, ms).unref();
  }

  #close(): void {
    this.#isOpen = false;
  }
}
