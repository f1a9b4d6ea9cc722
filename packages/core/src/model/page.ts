/** Pages of a listing, and what every call that waits may be given. */

/** What every call of a store that waits may be given, as its last argument. */
export interface WaitOptions {
  /**
   * Ends the wait: the call rejects with the reason of the signal. A write that has begun is
   * finished, and resolves; one that waits its turn is not begun.
   */
  readonly signal?: AbortSignal;
}

/** One page of a listing. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Pass it as `after` to go on; absent on the last page. */
  readonly next?: string;
}

/** Which page of a listing. */
export interface Paged {
  readonly limit?: number;
  readonly after?: string;
}
