/** A signal ends a wait. The work behind it is not stopped. */
import type { Reading, Store } from '../model/store.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { callStore, storeOf } from './assembling.ts';

/** Resolves with the promise, or rejects with the reason of the signal if that comes first. */
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

/** Whether an error is the reason of an aborted signal. */
export function isAbort(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && error === signal.reason;
}

/** The same store, with every call bound to the signal. */
export function withSignal(store: Store, signal: AbortSignal | undefined): Store {
  if (signal === undefined) return store;
  return storeOf(
    async (method, args, options) => {
      signal.throwIfAborted();
      const answer = await callStore(store, method, args, { signal, ...options });
      if (method !== 'read') return answer;
      const { at, pieces } = answer as Reading;
      return { at, pieces: checkedPieces(pieces, signal) };
    },
    () => store.close(),
  );
}

async function* checkedPieces(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    yield piece;
    await pauseAtTimes();
    signal.throwIfAborted();
  }
}
