/** Tells how far a reading of an output is, now and then, until it is done. Counts bytes. */
import { setTimeout as delay } from 'node:timers/promises';

const PROGRESS_MS = 100;

interface Reading<T> {
  readonly result: Promise<T>;
  /** Ends with the work; throws if that fails. */
  readonly progress: AsyncGenerator<number>;
}

export function withProgress<T>(start: (seen: (bytes: number) => void) => Promise<T>): Reading<T> {
  let done = 0;
  const result = start((bytes) => {
    done += bytes;
  });
  return { result, progress: bytesRead(result, () => done) };
}

async function* bytesRead(result: Promise<unknown>, done: () => number): AsyncGenerator<number> {
  for (let reported = 0; ; ) {
    const isDone = await Promise.race([result.then(() => true), delay(PROGRESS_MS, false)]);
    if (isDone) return;
    if (done() > reported) yield done();
    reported = done();
  }
}
