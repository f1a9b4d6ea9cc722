/**
 * Whether the store of the workspace can be opened. Where it cannot, a result that is cut is lost
 * for good, so results of ordinary size are passed on whole instead, and the log says so. Looked at
 * when it first matters, and again while it fails: soon at first, since a server may only have
 * started again, then less and less often.
 */
import type { Store } from '@spillway/core';
import { LOG } from './wording.ts';

const SOONEST_MS = 1_000;
const LATEST_MS = 30_000;

export class StoreCheck {
  readonly #store: Store | null;
  readonly #log: (line: string) => void;
  #opens: Promise<boolean> | null = null;
  #againMs = SOONEST_MS;

  constructor(store: Store | null, log: (line: string) => void) {
    this.#store = store;
    this.#log = log;
  }

  opens(): Promise<boolean> {
    this.#opens ??= this.#look();
    return this.#opens;
  }

  async #look(): Promise<boolean> {
    try {
      // The cheapest thing that opens it, on a store of any size.
      await this.#store?.sessions({ limit: 1 });
      if (this.#store !== null) return true;
    } catch {
      // Why is what `spillway doctor` tells.
    }
    if (this.#againMs === SOONEST_MS) this.#log(LOG.storeClosed);
    setTimeout(() => {
      this.#opens = null;
    }, this.#againMs).unref();
    this.#againMs = Math.min(2 * this.#againMs, LATEST_MS);
    return false;
  }
}
