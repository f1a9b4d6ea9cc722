/**
 * Reads a stream into a capture until it ends, or until somebody ends the program: SIGINT and
 * SIGTERM stop the reading, what had arrived by then is kept. A second signal ends the program at
 * once.
 */
import { constants } from 'node:os';
import type { CaptureEnd } from '@spillway/core';
import { keepMemorySmallFrom } from './memory.ts';

type Signal = 'SIGINT' | 'SIGTERM';

/**
 * What is read: chunk after chunk, each valid until the next is asked for; and what was already
 * taken from the system when reading has to end.
 */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /** Ends the source and gives what it holds. */
  rest(): readonly Uint8Array[];
}

/** Where the chunks go; false when no more is taken. */
interface ByteSink {
  write(chunk: Uint8Array): Promise<boolean>;
}

export interface Poured {
  readonly end: CaptureEnd;
  readonly signal: Signal | null;
  /** Set when the stream itself failed. */
  readonly failure?: unknown;
}

export async function pourUntilInterrupted(source: ByteSource, part: ByteSink): Promise<Poured> {
  const interruption = new Interruption();
  try {
    const signal = await pour(source, part, interruption);
    return signal === null
      ? { end: { outcome: { status: 'ok' }, complete: true }, signal }
      : { end: { outcome: { status: 'cancelled', signal }, complete: false }, signal };
  } catch (failure) {
    return { end: { outcome: { status: 'crashed' }, complete: false }, signal: null, failure };
  } finally {
    interruption.stopListening();
  }
}

/** What a shell calls the end of a program by a signal. */
export function exitCodeOf(signal: Signal): number {
  return 128 + constants.signals[signal];
}

async function pour(source: ByteSource, part: ByteSink, interruption: Interruption): Promise<Signal | null> {
  const chunks: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  let bytes = 0;
  for (;;) {
    const pending = chunks.next();
    const next = await interruption.or(pending);
    if (typeof next === 'string') {
      for (const chunk of await waiting(source, pending)) await part.write(chunk);
      return next;
    }
    const before = bytes;
    bytes += next.value?.length ?? 0;
    keepMemorySmallFrom(before, bytes);
    if (next.done === true || !(await part.write(next.value))) {
      // Whoever wrote to us may have been ended by the same signal, a moment before it reaches us.
      await soon();
      return interruption.signal;
    }
  }
}

/**
 * The first signal that arrives. Waiting for "a chunk or the signal" must not leave a reaction on a
 * promise that lives as long as the program, as `Promise.race` does: each reaction would keep its
 * chunk. Here one waiter is remembered, and the next replaces it.
 */
class Interruption {
  signal: Signal | null = null;
  #wake: (signal: Signal) => void = () => {};
  readonly #arrived = (signal: Signal) => {
    this.signal ??= signal;
    this.#wake(this.signal);
  };

  constructor() {
    process.once('SIGINT', this.#arrived).once('SIGTERM', this.#arrived);
  }

  /** The value of `work`, or the signal if that is there first. */
  or<T>(work: Promise<T>): Promise<T | Signal> {
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      work.then(resolve, reject);
      if (this.signal !== null) resolve(this.signal);
    });
  }

  stopListening(): void {
    process.off('SIGINT', this.#arrived).off('SIGTERM', this.#arrived);
  }
}

/**
 * What was read from the system but not handed on yet has arrived too: the chunk that was on its
 * way, and those behind it.
 */
async function waiting(
  source: ByteSource,
  pending: Promise<IteratorResult<Uint8Array>>,
): Promise<Uint8Array[]> {
  const onItsWay = await Promise.race([pending.catch(() => null), soon()]);
  const first = onItsWay === null || onItsWay.done === true ? [] : [onItsWay.value];
  return [...first, ...source.rest()];
}

function soon(): Promise<null> {
  return new Promise((resolve) => setImmediate(resolve, null));
}
