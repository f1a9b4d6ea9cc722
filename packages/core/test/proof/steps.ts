/**
 * Counts the steps that the sources of the core take: how often each of their blocks was entered,
 * as the engine counts it for coverage, and the kilobytes that were joined. A count, not a time:
 * the same on a busy machine. Counting has to begin before the sources are loaded.
 */
import { Session } from 'node:inspector/promises';

const SOURCES = '/packages/core/src/';

export class StepCounter {
  readonly #session = new Session();
  readonly #concat = Buffer.concat;
  #joined = 0;

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    Buffer.concat = ((list, total) => {
      const joined = this.#concat(list, total);
      this.#joined += joined.length;
      return joined;
    }) as typeof Buffer.concat;
  }

  /** The steps of some work. */
  async of(work: () => Promise<unknown>): Promise<number> {
    await this.#taken();
    await work();
    return this.#taken();
  }

  async stop(): Promise<void> {
    Buffer.concat = this.#concat;
    await this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  /** The steps since it was last asked. */
  async #taken(): Promise<number> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    let steps = this.#joined / 1_024;
    this.#joined = 0;
    for (const { url, functions } of result) {
      if (!url.includes(SOURCES)) continue;
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
    }
    return steps;
  }
}
