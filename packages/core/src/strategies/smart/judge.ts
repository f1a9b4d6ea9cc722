/**
 * Judges the lines of a part by one kind of evidence, for every strategy that asks for that kind.
 * A listener is told the own score of each line; one that comes late is told what it missed.
 */
import type { SelectionContext } from '../../model/strategy.ts';
import type { Candidate } from './candidate.ts';
import type { Evidence } from './own-score.ts';
import { Salience } from './salience.ts';
import type { Unit } from './units.ts';
import type { Lexicon } from './words.ts';

/** Looks at each unit too, and is told its score. */
export type OwnListener = (unit: Unit, own: number) => void;

export class Judge {
  readonly salience: Salience;
  readonly #listeners: OwnListener[] = [];
  /** The scores so far, as long as a listener may still come. */
  #scores: number[] | null = [];
  #candidates: readonly Candidate[] | undefined;

  /** `budget`: the chars that may be shown. */
  constructor(budget: number, lexicon: Lexicon, context: SelectionContext, evidence: Evidence) {
    this.salience = new Salience(budget, lexicon, context, evidence);
  }

  add(unit: Unit): void {
    const own = this.salience.add(unit);
    this.#scores?.push(own);
    for (const listener of this.#listeners) listener(unit, own);
  }

  /** `missed`: the units so far. */
  listen(listener: OwnListener, missed: readonly Unit[]): void {
    for (const [i, unit] of missed.entries()) listener(unit, this.#scores?.[i] ?? 0);
    this.#listeners.push(listener);
  }

  /** Nobody comes any more. */
  forget(): void {
    this.#scores = null;
  }

  /** Every line that may be shown, in order. Asked after the last line. */
  get candidates(): readonly Candidate[] {
    this.#candidates ??= this.salience.finish();
    return this.#candidates;
  }
}
