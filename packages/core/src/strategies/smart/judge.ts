/**
 * Judges the lines of a part by one kind of evidence, for every strategy that asks for that kind.
 * A listener is told the own score of each line; one that comes late is told what it missed. Where
 * only lines count that surely speak, or that such a line supports, the first of a part wait for
 * one: most texts have none, and then nothing need be judged.
 */
import type { SelectionContext } from '../../model/strategy.ts';
import { type Candidate, isSure, textOf } from './candidate.ts';
import { WARNING_LABEL } from './lexicon.ts';
import type { Evidence } from './own-score.ts';
import { Salience } from './salience.ts';
import { hasErrors } from './tally.ts';
import type { Unit } from './units.ts';
import { WaitingUnits } from './waiting-units.ts';
import { type Lexicon, NO_CUE } from './words.ts';

/** Looks at each unit too, and is told its score. */
export type OwnListener = (unit: Unit, own: number) => void;

export class Judge {
  readonly #start: () => Salience;
  #started: Salience | undefined;
  readonly #lexicon: Lexicon;
  readonly #evidence: Evidence;
  /** Lines that were not judged: none of them speaks. */
  #waiting: WaitingUnits | null;
  readonly #listeners: OwnListener[] = [];
  /** The scores so far, as long as a listener may still come. */
  #scores: number[] | null = [];
  #candidates: readonly Candidate[] | undefined;

  /** `budget`: the chars that may be shown. */
  constructor(budget: number, lexicon: Lexicon, context: SelectionContext, evidence: Evidence) {
    this.#start = () => new Salience(budget, lexicon, context, evidence);
    this.#lexicon = lexicon;
    this.#evidence = evidence;
    // A line that is new speaks without a word.
    this.#waiting = evidence !== 'any' && context.isNew === undefined ? new WaitingUnits() : null;
  }

  add(unit: Unit): void {
    if (this.#waiting === null) this.#judge(unit);
    else if (!this.#waiting.isFull && !this.#maySpeak(unit)) this.#waiting.add(unit);
    else {
      this.#judgeWaiting();
      this.#judge(unit);
    }
  }

  /** What all lines so far came to. */
  get salience(): Salience {
    this.#judgeWaiting();
    return this.#salience;
  }

  get #salience(): Salience {
    this.#started ??= this.#start();
    return this.#started;
  }

  /** Whether no line surely speaks, and nothing was judged for that. */
  get isWaiting(): boolean {
    return this.#waiting !== null;
  }

  /** Whether no line speaks of a failure or warns. Asked after the last line. */
  get isQuiet(): boolean {
    // Whether what was seen counts is known only when every line was looked at.
    if (this.#evidence === 'supported') return false;
    if (this.#waiting !== null) return true;
    const seen = this.#salience.seen(() => true);
    return !hasErrors(seen) && seen.warnings === 0;
  }

  /** Whether lines so far speak of a failure; that stands, whatever follows. */
  get hasErrorsAlready(): boolean {
    return this.#waiting === null && this.#salience.seen(() => false).errors > 0;
  }

  #judgeWaiting(): void {
    const waiting = this.#waiting?.units ?? [];
    this.#waiting = null;
    for (const unit of waiting) this.#judge(unit);
  }

  /** Whether a line may be one that counts where only sure ones do. */
  #maySpeak(unit: Unit): boolean {
    const cues = unit.mask & ~NO_CUE;
    // A line without a cue is not looked at by itself; it may support others all the same.
    if (cues === 0) return this.#evidence === 'supported' && isSure(unit);
    const { warning, always } = this.#lexicon;
    return isSure(unit) || (((cues | always) & warning) !== 0 && WARNING_LABEL.test(textOf(unit)));
  }

  #judge(unit: Unit): void {
    const own = this.#salience.add(unit);
    this.#scores?.push(own);
    for (let i = 0; i < this.#listeners.length; i++) (this.#listeners[i] as OwnListener)(unit, own);
  }

  /** `missed`: the units so far. */
  listen(listener: OwnListener, missed: readonly Unit[]): void {
    // What waits it is told when that is judged.
    if (this.#waiting === null)
      for (const [i, unit] of missed.entries()) listener(unit, this.#scores?.[i] ?? 0);
    this.#listeners.push(listener);
  }

  unlisten(listener: OwnListener): void {
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
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
