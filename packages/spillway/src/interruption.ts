/**
 * Reads a stream into a capture until it ends, or until somebody ends the program: SIGINT and SIGTERM stop the reading, what had arrived by
 * then is kept. A second signal ends the program at once.
 */
import { constants } from 'node:os';
import type { CaptureEnd, OpenPart } from '@spillway/core';

type Signal = 'SIGINT' | 'SIGTERM';

/** What is read: chunk after chunk, and what was already taken from the system when reading has to end. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /** Ends the source and gives what it holds. */
  rest(): readonly Uint8Array[];
}

export interface Poured {
  readonly end: CaptureEnd;
  readonly signal: Signal | null;
  /** Set when the stream itself failed. */
  readonly failure?: unknown;
}

export async function pourUntilInterrupted(source: ByteSource, part: OpenPart): Promise<Poured> {
  const { promise: interrupted, resolve } = Promise.withResolvers<Signal>();
  process.once('SIGINT', resolve).once('SIGTERM', resolve);
  try {
    const signal = await pour(source, part, interrupted);
    return signal === null
      ? { end: { outcome: { status: 'ok' }, complete: true }, signal }
      : { end: { outcome: { status: 'cancelled', signal }, complete: false }, signal };
  } catch (failure) {
    return { end: { outcome: { status: 'crashed' }, complete: false }, signal: null, failure };
  } finally {
    process.off('SIGINT', resolve).off('SIGTERM', resolve);
  }
}

/** What a shell calls the end of a program by a signal. */
export function exitCodeOf(signal: Signal): number {
  return 128 + constants.signals[signal];
}

async function pour(
  source: ByteSource,
  part: OpenPart,
  interrupted: Promise<Signal>,
): Promise<Signal | null> {
  const chunks: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  for (;;) {
    const pending = chunks.next();
    const next = await Promise.race([pending, interrupted]);
    if (typeof next === 'string') {
      for (const chunk of await waiting(source, pending)) await part.write(chunk);
      return next;
    }
    if (next.done === true || !(await part.write(next.value))) return signalOf(interrupted);
  }
}

/** What was read from the system but not handed on yet has arrived too: the chunk that was on its way, and those behind it. */
async function waiting(
  source: ByteSource,
  pending: Promise<IteratorResult<Uint8Array>>,
): Promise<Uint8Array[]> {
  const onItsWay = await Promise.race([pending.catch(() => null), soon()]);
  const first = onItsWay === null || onItsWay.done === true ? [] : [onItsWay.value];
  return [...first, ...source.rest()];
}

/** Whoever wrote to us may have been ended by the same signal, a moment before it reaches us. */
async function signalOf(interrupted: Promise<Signal>): Promise<Signal | null> {
  return Promise.race([interrupted, soon()]);
}

function soon(): Promise<null> {
  return new Promise((resolve) => setImmediate(resolve, null));
}
