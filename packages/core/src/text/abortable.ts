/**
 * Waiting that ends when a signal is aborted. The work goes on by itself, since it has the signal
 * too; if it fails later, that is not an unhandled rejection.
 */

/** The value of `work`, or a rejection with the signal's reason as soon as it is aborted. */
export async function untilAborted<T>(work: PromiseLike<T> | T, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(abortReason(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The same items; reading them rejects once the signal is aborted, also while it waits. */
export async function* abortable<T>(
  source: AsyncIterable<T> | Iterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const iterator =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let ended = false;
  try {
    for (;;) {
      if (signal.aborted) throw abortReason(signal);
      const next = await untilAborted(iterator.next(), signal);
      ended = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // A hanging source must not delay the caller.
    if (!ended) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** The reason of an aborted signal, as an AbortError or a TimeoutError. */
export function abortReason({ reason }: AbortSignal): unknown {
  const name: unknown = typeof reason === 'object' && reason !== null ? reason.name : undefined;
  if (name === 'AbortError' || name === 'TimeoutError') return reason;
  const options = { name: 'AbortError', cause: reason } as DOMExceptionInit;
  return new DOMException('The call was given up.', options);
}

interface DOMExceptionInit {
  readonly name: string;
  readonly cause: unknown;
}
