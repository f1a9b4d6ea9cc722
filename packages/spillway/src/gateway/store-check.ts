/**
 * Whether the store of the workspace can be opened. Where it cannot, a result that is cut is lost
 * for good, so results of ordinary size are passed on whole instead, and the log says so. Looked at
 * when it first matters, and again from time to time while it fails.
 */
import type { Store } from '@spillway/core';
import { LOG } from './wording.ts';

const AGAIN_MS = 30_000;

export class StoreCheck {
  readonly #store: Store | null;
  readonly #log: (line: string) => void;
  #opens: Promise<boolean> | null = null;
  #isReported = false;

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
      await this.#store?.usage();
      if (this.#store !== null) return true;
    } catch {
      // Why is what `spillway doctor` tells.
    }
    if (!this.#isReported) this.#log(LOG.storeClosed);
    this.#isReported = true;
    setTimeout(() => {
      this.#opens = null;
    }, AGAIN_MS).unref();
    return false;
  }
}
