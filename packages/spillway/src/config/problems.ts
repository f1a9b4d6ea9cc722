/**
 * What is wrong with a configuration, collected so that one run tells everything; one problem is
 * one sentence. Reading ends at the twentieth: nobody mends more at once, and each costs time.
 */
import { SpillwayError } from '@spillway/core';

const MOST_PROBLEMS = 20;

export class Problems {
  readonly #found: string[] = [];

  add(message: string): void {
    this.#found.push(message);
    if (this.#isFull) this.throwIfAny();
  }

  /**
   * Does something that may refuse; a refusal becomes a problem, and the work goes on elsewhere.
   */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof SpillwayError) || this.#isFull) throw error;
      this.add(error.message);
      return undefined;
    }
  }

  /** Nothing starts on a half-read configuration. */
  throwIfAny(): void {
    const error = this.error();
    if (error !== null) throw error;
  }

  error(): InvalidConfiguration | null {
    return this.#found.length > 0 ? new InvalidConfiguration(this.#found, this.#isFull) : null;
  }

  get #isFull(): boolean {
    return this.#found.length >= MOST_PROBLEMS;
  }
}

export class InvalidConfiguration extends SpillwayError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], more = false) {
    const [only = ''] = problems;
    const head = `The configuration has ${more ? 'at least ' : ''}${problems.length} problems:`;
    super(
      'invalid_policy',
      problems.length === 1 ? only : [head, ...problems.map((line) => `  ${line}`)].join('\n'),
    );
    this.problems = [...problems];
  }
}

export function invalid(message: string): SpillwayError {
  return new SpillwayError('invalid_policy', message);
}
