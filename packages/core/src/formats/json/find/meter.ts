/**
 * Bounds the work of one query, whatever it asks of whatever document: a step is about one value
 * visited. Also says when it is time to let others run.
 */
import { SpillwayError } from '../../../model/errors.ts';

/** Some seconds of work. */
const MOST_STEPS = 8_000_000;
const MOST_MS = 10_000;
const STEPS_BETWEEN_PAUSES = 250_000;
const STEPS_BETWEEN_LOOKS = 10_000;

export class Meter {
  #steps = 0;
  #pause = STEPS_BETWEEN_PAUSES;
  #look = STEPS_BETWEEN_LOOKS;
  readonly #until = performance.now() + MOST_MS;

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps < this.#look) return;
    this.#look = this.#steps + STEPS_BETWEEN_LOOKS;
    if (this.#steps > MOST_STEPS || performance.now() > this.#until)
      throw new SpillwayError(
        'invalid_argument',
        'This query takes too much work on a document of this size. Name the keys that lead to what you need instead of .., or filter fewer values.',
      );
  }

  /** True once in a while. */
  get due(): boolean {
    if (this.#steps < this.#pause) return false;
    this.#pause = this.#steps + STEPS_BETWEEN_PAUSES;
    return true;
  }
}
