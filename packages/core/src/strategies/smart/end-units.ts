/**
 * The first and the last lines of a part, as units, in a few budgets of memory. Units: chars as
 * stored.
 */
import { copiesOf, type Unit } from './units.ts';

/** Chars that may be held beyond what is needed, so that it is seldom tidied up. */
const MOST_UNUSED = 65_536;

/** The first lines of a part. */
export class Opening {
  readonly #budget: number;
  units: Unit[] = [];
  #chars = 0;

  /** `budget`: the chars that may be shown. */
  constructor(budget: number) {
    this.#budget = budget;
  }

  add(unit: Unit): void {
    if (this.#chars > this.#budget) return;
    this.units.push(unit);
    this.#chars += unit.end.chars - unit.start.chars;
    if (this.#chars > this.#budget) this.units = copiesOf(this.units);
  }
}

/** The last lines of a part. */
export class Ending {
  readonly #budget: number;
  #units: Unit[] = [];
  #chars = 0;

  /** `budget`: the chars that may be shown. */
  constructor(budget: number) {
    this.#budget = budget;
  }

  add(unit: Unit): void {
    this.#units.push(unit);
    this.#chars += unit.end.chars - unit.start.chars;
    if (this.#chars > 4 * this.#budget + MOST_UNUSED) this.#forget();
  }

  /** The last one first. */
  get units(): readonly Unit[] {
    return this.#units.toReversed();
  }

  #forget(): void {
    let first = 0;
    for (; this.#chars > this.#budget; first++) {
      const unit = this.#units[first] as Unit;
      this.#chars -= unit.end.chars - unit.start.chars;
    }
    this.#units = copiesOf(this.#units.slice(Math.max(0, first - 1)));
    this.#chars = this.#units.reduce((sum, { start, end }) => sum + end.chars - start.chars, 0);
  }
}
