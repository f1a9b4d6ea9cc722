/** Waits that a signal may end. What was waited for goes on, and its outcome is nobody's. */

/**
 * The promise, or the reason of the signal if that comes first. A write that has begun is waited
 * for all the same.
 */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  hasBegun = () => false,
): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => {
      if (!hasBegun()) reject(signal.reason);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Whether an error is only that the signal was given. */
export function isAbort(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && error === signal.reason;
}
