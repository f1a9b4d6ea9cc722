/**
 * A store whose every call ends with one signal: for work that asks the store many times on behalf
 * of one call. Reading a part looks at the signal before each piece and lets others run in between,
 * so a scan of a large part stops at the next piece. Calls reject with the reason of the signal.
 */
import type { Reading, Store } from '../model/store.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { callStore, storeOf } from './assembling.ts';

/** The same store, with every call bound to the signal. */
export function withSignal(store: Store, signal: AbortSignal | undefined): Store {
  if (signal === undefined) return store;
  return storeOf(
    async (method, args, options) => {
      signal.throwIfAborted();
      const answer = await callStore(store, method, args, { signal, ...options });
      return method === 'read' ? checked(answer as Reading, signal) : answer;
    },
    () => store.close(),
  );
}

function checked({ at, pieces }: Reading, signal: AbortSignal): Reading {
  return { at, pieces: checkedPieces(pieces, signal) };
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
