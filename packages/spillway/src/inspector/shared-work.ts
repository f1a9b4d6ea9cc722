/**
 * Work that takes long, and that several requests may wait for: it is done once, and its result is
 * kept for the next ones. It ends when the last request that waits for it has gone away.
 */
interface Work<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
  isDone: boolean;
}

export class SharedWork<T> {
  readonly #most: number;
  readonly #works = new Map<string, Work<T>>();

  /** `most`: results that are kept. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The result under a key; `start` begins the work where nobody has. */
  async get(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const work = this.#works.get(key) ?? this.#begin(key, start);
    work.waiting++;
    const leave = () => {
      work.waiting--;
      if (work.waiting > 0 || work.isDone) return;
      this.#works.delete(key);
      work.abort.abort();
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([work.result, aborted(signal)]);
    } finally {
      signal.removeEventListener('abort', leave);
      if (!signal.aborted) work.waiting--;
    }
  }

  #begin(key: string, start: (signal: AbortSignal) => Promise<T>): Work<T> {
    const abort = new AbortController();
    const work: Work<T> = { result: start(abort.signal), abort, waiting: 0, isDone: false };
    this.#works.set(key, work);
    work.result.then(
      () => {
        work.isDone = true;
      },
      // Whoever waits is told; the next one tries again.
      () => this.#works.get(key) === work && this.#works.delete(key),
    );
    const [oldest] = this.#works.keys();
    if (this.#works.size > this.#most && oldest !== undefined) this.#works.delete(oldest);
    return work;
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
