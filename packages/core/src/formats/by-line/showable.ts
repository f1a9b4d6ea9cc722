/**
 * How much of a text could be shown at all where things are shown whole or not: if nearly
 * everything is in things that are longer than the reach, a text strategy shows more.
 */
const LEAST_SHARE = 0.35;

export class Showable {
  readonly #reachChars: number;
  #short = 0;
  #all = 0;

  constructor(reachChars: number) {
    this.#reachChars = reachChars;
  }

  add(chars: number): void {
    this.#all += chars;
    if (chars <= this.#reachChars * 0.9) this.#short += chars;
  }

  /** Whether there is more than fits, and too little of it can be shown. */
  get tooLittle(): boolean {
    return this.#all > this.#reachChars && this.#short < this.#reachChars * LEAST_SHARE;
  }
}
