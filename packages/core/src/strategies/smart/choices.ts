/** Watches a part for lines that matter, and offers what was found as choices. */
import type { ByteRange } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import { Candidate, looksOf } from './candidate.ts';
import type { Features } from './features.ts';
import type { Judge, OwnListener } from './judge.ts';
import { SalientLine } from './salient-line.ts';
import type { Sections } from './sections.ts';
import { isError, type Seen } from './tally.ts';
import type { Unit } from './units.ts';
import type { Unusual } from './unusual.ts';
import type { Lexicon } from './words.ts';

const RESULT_PRIORITY = 6;
/** What a line must weigh to be preserved where it stands out by its shape. */
const SUPPORTED_WEIGHT = 2;

/** The part that is watched; others may watch it too. */
export interface WatchedPart {
  readonly lexicon: Lexicon;
  readonly sections: Sections;
  /** How many units it has. */
  readonly count: number;
  push(piece: Piece): void;
  /** Nothing follows. */
  finish(): void;
  /** A watch ends before the part does: what nobody else watches for is not looked at any more. */
  release(judge: Judge, unusual: Unusual): void;
}

export class Watch {
  readonly #part: WatchedPart;
  readonly #judge: Judge;
  readonly #listener: OwnListener | undefined;
  /** The lines that stand out by their shape. */
  readonly unusual: Unusual;
  #supported: readonly SalientLine[] | undefined;
  /** Whether a line that speaks of failure stands out by its shape. */
  #isSupported: boolean | undefined;
  #lines: readonly SalientLine[] | undefined;

  constructor(part: WatchedPart, judge: Judge, unusual: Unusual, listener?: OwnListener) {
    this.#part = part;
    this.#judge = judge;
    this.unusual = unusual;
    this.#listener = listener;
  }

  push(piece: Piece): void {
    this.#part.push(piece);
  }

  get sections(): Sections {
    return this.#part.sections;
  }

  /** Ends the watch, nothing follows: what was seen stands from here on. */
  end(): readonly Candidate[] {
    this.#part.finish();
    return this.#judge.candidates;
  }

  /** Whether lines so far speak of a failure; that stands, whatever follows. */
  get hasErrorsAlready(): boolean {
    return this.#judge.hasErrorsAlready;
  }

  /** Ends the watch before the part does: nothing more is asked. */
  release(): void {
    if (this.#listener !== undefined) this.#judge.unlisten(this.#listener);
    this.#part.release(this.#judge, this.unusual);
  }

  /** Whether no line speaks of a failure or warns. Ends the watch. */
  get isQuiet(): boolean {
    this.#part.finish();
    return this.#judge.isQuiet;
  }

  /** Everything that may be shown, in order. The first call ends the watch. */
  get lines(): readonly SalientLine[] {
    this.#lines ??= this.end().map((candidate) => new SalientLine(candidate, candidate.priority));
    return this.#lines;
  }

  /**
   * Lines with a word for failure that is weak by itself, and a shape that nearly no other line
   * has.
   */
  get supported(): readonly SalientLine[] {
    this.#supported ??= this.#unusualThat(
      ({ raw, warns, passes }) => raw >= SUPPORTED_WEIGHT && !warns && !passes,
    );
    return this.#supported;
  }

  #unusualThat(says: (features: Features) => boolean): readonly SalientLine[] {
    return this.unusual.lines
      .filter(({ unit }) => says(looksOf(unit, this.#part.lexicon)))
      .map(({ unit }) => this.lineOf(unit, 'unusual', SUPPORTED_WEIGHT));
  }

  /** Lines that say what was made, in order. */
  get results(): readonly SalientLine[] {
    return this.#judge.salience.results.units.map((unit) => this.lineOf(unit, 'result', RESULT_PRIORITY));
  }

  /** A unit that is to be shown for another reason. */
  lineOf(unit: Unit, cause: string, priority: number): SalientLine {
    return new SalientLine(new Candidate(unit, unit.start.chars), priority, { cause });
  }

  get seen(): Seen {
    return this.#judge.salience.seen(() => this.#hasSupport);
  }

  /** Whether a line tells of an error. Ends the watch. */
  get hasErrors(): boolean {
    this.#part.finish();
    // Without a sure line only the shape of one can support what lines say.
    if (this.#judge.isWaiting && !this.#hasSupport) return false;
    this.end();
    return this.seen.errors > 0;
  }

  get #hasSupport(): boolean {
    this.#isSupported ??= this.#unusualThat(isError).length > 0;
    return this.#isSupported;
  }

  /** How many lines that say so begin in ranges at the ends of the part. */
  countIn(ranges: readonly ByteRange[], severity: 'error' | 'warning'): number {
    return this.#judge.salience.countIn(ranges, severity);
  }

  /** How many units the part has. */
  get count(): number {
    return this.#part.count;
  }
}
