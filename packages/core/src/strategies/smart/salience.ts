/**
 * Finds, in one pass and bounded memory, which lines of an output tell why it failed. Each line has
 * a score of its own; it passes part of it on to the lines after and before it, further inside a
 * block; a step that ended badly pulls up what stands before it. A window of the last lines waits
 * for what follows them; what leaves it competes for a bounded pool, and lines that could not get
 * in are not looked at. Units: chars for lengths and budgets, time stamps not counted; bytes for
 * places.
 */
import type { ByteRange } from '../../model/extent.ts';
import type { SelectionContext } from '../../model/strategy.ts';
import { type Candidate, charsOf, isSameLine } from './candidate.ts';
import type { Features } from './features.ts';
import { LineWindow } from './line-window.ts';
import { type Evidence, OwnScore, repeated } from './own-score.ts';
import { LEAST, Pool, priorityOf } from './pool.ts';
import { Results } from './results.ts';
import { type Seen, STRONG, Tally } from './tally.ts';
import type { Unit } from './units.ts';
import { type Lexicon, NO_CUE } from './words.ts';

const SPACE = 0x20;
/** From which repetition on the same line is only counted. */
const COUNTED_FROM = 3;
const FADE_CHARS = 3_000;
const FORWARD = { blank: 0.92, inside: 0.99, afterEnd: 0.6, inSection: 0.965, else: 0.93 };
const BACKWARD = { blank: 0.85, else: 0.88 };
/**
 * What sure lines pass on in a text that is about something else: to what belongs to them, hardly
 * further.
 */
const FORWARD_SURE = { blank: 0.5, inside: 0.9, afterEnd: 0.4, inSection: 0.5, else: 0.4 };
const BACKWARD_SURE = { blank: 0.4, else: 0.4 };
const PARENT_LINES = 6;
/** So few chars are hidden at a higher price than shown. */
const SHORT = 32;
const LIFTED = 0.95;
const BAD_END = 4;
const LAST = 4;
const AFTER_BAD_END = 0.4;
/** How far the pull of a bad end, of the end and of the beginning reach, in budgets. */
const NEAR = 0.25;
const HEAD_REACH = 0.03;
/** From here on `Math.exp` of the negative is 0. */
const NOTHING_LEFT = 746;
/** The window, in budgets; twice as much is let come together before it moves on. */
const WINDOW = 1.5;

export class Salience {
  readonly #budget: number;
  readonly #forwardBy: typeof FORWARD;
  readonly #backwardBy: typeof BACKWARD;
  readonly #needsSure: boolean;
  readonly #score: OwnScore;
  readonly #tally: Tally;
  readonly #pool: Pool;
  readonly #result: number;
  /** Lines that say what was made. */
  readonly results = new Results();
  readonly #window = new LineWindow();
  /** How many lines in a row were the same as the one before. */
  #same = 0;
  #carry = 0;
  #carryIndent = 0;
  #inSection = false;
  /** Where the diagnostic begins that the lines now belong to. */
  #frameOf: number | null = null;
  #afterEnd = false;
  #chars = 0;
  #lastEnd = -1;

  /** `budget`: the chars that may be shown. */
  constructor(budget: number, lexicon: Lexicon, context: SelectionContext = {}, evidence: Evidence = 'any') {
    this.#budget = Math.max(1, budget);
    this.#forwardBy = evidence === 'sure' ? FORWARD_SURE : FORWARD;
    this.#backwardBy = evidence === 'sure' ? BACKWARD_SURE : BACKWARD;
    this.#needsSure = evidence === 'supported';
    this.#score = new OwnScore(this.#budget, lexicon, context, evidence);
    this.#tally = new Tally(this.#budget, lexicon);
    this.#pool = new Pool(this.#budget);
    this.#result = lexicon.result;
  }

  /** `isSupported`: asked where only the lines themselves speak for what they say. */
  seen(isSupported: () => boolean): Seen {
    const counts = !this.#needsSure || this.#score.sure > 0 || isSupported();
    return counts ? this.#tally.seen : this.#tally.unseen;
  }

  /** How many lines that say so begin in some ranges at the ends of the part. */
  countIn(ranges: readonly ByteRange[], severity: 'error' | 'warning'): number {
    return this.#tally.countIn(ranges, severity);
  }

  /** Takes the next line; returns its own score. */
  add(unit: Unit): number {
    if (unit.first && (unit.bytes[unit.from + unit.stamp] ?? 0) > SPACE) this.#score.heading = unit;
    if (unit.first) this.#score.leadIn.add(unit);
    const isAgain = this.#isAgain(unit);
    const at = this.#chars;
    this.#chars += charsOf(unit);
    if (isAgain) return 0;
    this.#window.push(unit, at);
    const own = this.#look(unit);
    this.#frame(unit);
    if (this.#window.chars > this.#budget * WINDOW * 2) this.#settle();
    return own;
  }

  /** Looks at the last line, unless it has nothing to say, and gets nothing; gives its own score. */
  #look(unit: Unit): number {
    const isCued = (unit.mask & ~NO_CUE) !== 0;
    const isNew = this.#score.isNew(unit);
    if (!isCued && !isNew && this.#carry <= this.#pool.floor) {
      this.#score.skip();
      return 0;
    }
    const candidate = this.#window.candidateAt(this.#window.length - 1);
    candidate.isNew = isNew;
    this.#judge(candidate);
    this.#forward(candidate);
    return candidate.own;
  }

  /**
   * Every line that may be shown, in order, with its priority. Called once, after the last line.
   */
  finish(): Candidate[] {
    this.#backward();
    const end = this.#chars;
    const from = this.#lastEnd >= 0 && end - this.#lastEnd < end / 4 ? this.#lastEnd : end;
    const reach = NEAR * this.#budget;
    const all = this.#pool.lines.slice();
    for (let i = 0; i < this.#window.length; i++) all.push(this.#window.candidateAt(i));
    for (const candidate of all) {
      const after = candidate.at + candidate.chars;
      candidate.tail =
        after <= from
          ? LAST * Math.exp((after - from) / reach)
          : AFTER_BAD_END * LAST * Math.exp((after - end) / reach);
      // Known noise is not worth more for where it stands.
      const { contextFactor } = this.#score.featuresOf(candidate);
      candidate.tail *= contextFactor;
      // Many like lines before a bad end say no more than a few of them.
      candidate.pull *= contextFactor / repeated(candidate.before);
      this.#rank(candidate);
    }
    all.sort((a, b) => a.unit.index - b.unit.index);
    this.#lift(all);
    return all;
  }

  /** A line that was just said several times, word for word, is only counted. */
  #isAgain(unit: Unit): boolean {
    const index = this.#window.length - 1;
    const before = this.#window.unitAt(index);
    const isSame = before !== undefined && isSameLine(before, unit);
    this.#same = isSame ? this.#same + 1 : 0;
    if (!isSame || this.#same < COUNTED_FROM) return false;
    const last = this.#window.candidateAt(index);
    last.again = { count: (last.again?.count ?? 0) + 1, end: unit.end };
    if (last.own > 0 && last.features !== null)
      this.#tally.note(unit.start.bytes, last.features, kindOf(last, last.features));
    return true;
  }

  /** Its own score, and what follows from it. */
  #judge(candidate: Candidate): void {
    const features = this.#score.featuresOf(candidate);
    this.#tally.judge(features);
    if ((features.cues & this.#result) !== 0)
      this.results.add(candidate.unit, this.#window.unitAt(this.#window.length - 2));
    candidate.own = this.#score.of(candidate);
    if (candidate.own === 0) return;
    candidate.context = candidate.own;
    this.#tally.note(candidate.unit.start.bytes, features, kindOf(candidate, features));
    if (features.ends && candidate.own > 1) this.#lastEnd = this.#chars;
    if (features.raw > 2.5 && features.indent > 0) this.#liftParent(features, candidate.before);
  }

  /** What the lines before pass on, block by block. */
  #forward(candidate: Candidate): void {
    const features = this.#score.featuresOf(candidate);
    this.#carry *= this.#step(features) * fade(candidate);
    if (candidate.own >= this.#carry && candidate.own > 0) {
      this.#carry = candidate.own;
      this.#carryIndent = features.indent;
      this.#inSection = features.opens;
      this.#afterEnd = features.ends;
    } else {
      this.#pass(candidate, this.#carry);
      // What stands below a diagnostic belongs to it, and not to the one before.
      if (isDiagnostic(candidate)) this.#carry = candidate.own;
    }
  }

  /** The code below a diagnostic is indented, numbered or in a frame; blank lines are part of it. */
  #frame({ start, bytes, from, stamp }: Unit): void {
    const last = this.#window.length - 1;
    const candidate = this.#window.known(last);
    if (candidate !== null && isDiagnostic(candidate)) this.#frameOf = start.chars;
    else if (!beginsCode(bytes[from + stamp])) this.#frameOf = null;
    else if (this.#frameOf !== null) this.#window.candidateAt(last).frameOf = this.#frameOf;
  }

  /** How much of what is passed on reaches the next line. */
  #step({ kind, indent }: Features): number {
    const by = this.#forwardBy;
    if (kind === 'blank') return by.blank;
    if (kind === 'inner' || indent > this.#carryIndent) return by.inside;
    if (this.#afterEnd) return by.afterEnd;
    return this.#inSection ? by.inSection : by.else;
  }

  #pass(candidate: Candidate, score: number): void {
    const given = this.#score.taken(candidate, score);
    if (given > candidate.context) candidate.context = given;
  }

  /** A repeated message is told apart by the line above it that it belongs to. */
  #liftParent(features: Features, before: number): void {
    let score = features.raw / repeated(before);
    const last = this.#window.length - 2;
    for (let i = last; i >= 0 && i > last - PARENT_LINES; i--) {
      const above = this.#window.candidateAt(i);
      const looked = this.#score.featuresOf(above);
      if (looked.kind !== 'blank' && looked.indent < features.indent) {
        above.context = Math.max(above.context, score);
        return;
      }
      score *= looked.kind === 'blank' ? 0.8 : 0.9;
    }
  }

  /** What the lines after pass up, and what bad ends pull up. */
  #backward(): void {
    let carry = 0;
    let isPlaced = false;
    let pull = 0;
    const reach = NEAR * this.#budget;
    for (let i = this.#window.length - 1; i >= 0; i--) {
      const isReached = pull > LEAST || carry > this.#pool.floor;
      const candidate = isReached ? this.#window.candidateAt(i) : this.#window.known(i);
      // It has no score, and there is nothing for it.
      if (candidate === null) continue;
      if (pull > LEAST) {
        pull *= Math.exp(-candidate.chars / reach);
        candidate.pull = Math.max(candidate.pull, pull);
      }
      if (carry > this.#pool.floor) {
        const { kind } = this.#score.featuresOf(candidate);
        // A caret belongs to the diagnostic above it, and not to the one below.
        if (isPlaced && kind === 'inner' && !beginsWord(candidate.unit)) carry = 0;
        carry *= kind === 'blank' ? this.#backwardBy.blank : this.#backwardBy.else;
        carry *= fade(candidate);
        if (candidate.own < carry) this.#pass(candidate, carry);
      }
      if (candidate.own >= carry) {
        carry = candidate.own;
        isPlaced = isDiagnostic(candidate);
      }
      if (candidate.own > 1 && candidate.features?.ends === true) pull = BAD_END;
    }
  }

  /** Lets the older part of the window go: nothing that follows can still change it much. */
  #settle(): void {
    this.#backward();
    const gone = this.#window.countOver(this.#budget * WINDOW);
    const leaving: Candidate[] = [];
    for (let i = 0; i < gone; i++) {
      const isWorthy = this.#headOf(this.#window.offsetOf(i)) >= LEAST || this.#isBetween(i, gone);
      const candidate = isWorthy ? this.#window.candidateAt(i) : this.#window.known(i);
      if (candidate === null) continue;
      this.#rank(candidate);
      leaving.push(candidate);
    }
    this.#lift(leaving);
    this.#pool.add(leaving);
    this.#window.drop(gone);
  }

  /** Whether a line stands between two that may be shown: then it may be lifted. */
  #isBetween(index: number, end: number): boolean {
    return (
      index + 1 < end && this.#window.known(index - 1) !== null && this.#window.known(index + 1) !== null
    );
  }

  /** A line that is shorter than a marker goes with the lines around it. */
  #lift(candidates: readonly Candidate[]): void {
    for (let i = 1; i < candidates.length - 1; i++) {
      const candidate = candidates[i] as Candidate;
      if (candidate.chars > SHORT) continue;
      const above = candidates[i - 1] as Candidate;
      const below = candidates[i + 1] as Candidate;
      if (above.unit.index + 2 !== below.unit.index) continue;
      candidate.priority = Math.max(candidate.priority, LIFTED * Math.min(above.priority, below.priority));
    }
  }

  #rank(candidate: Candidate): void {
    candidate.head = this.#headOf(candidate.at);
    candidate.priority = priorityOf(candidate);
  }

  /** What a line counts for standing near the beginning, so many chars behind it. */
  #headOf(at: number): number {
    const reached = at / (HEAD_REACH * this.#budget);
    return reached < NOTHING_LEFT ? Math.exp(-reached) : 0;
  }
}

/** Whether a line says where something is wrong, and surely that it is. */
function isDiagnostic({ group, features }: Candidate): boolean {
  return group !== null && (features?.raw ?? 0) >= STRONG;
}

/** Whether the first sign of a line is a letter: it is no caret, and no line number. */
function beginsWord({ bytes, from, to, stamp }: Unit): boolean {
  let at = from + stamp;
  while (at < to && (bytes[at] as number) <= SPACE) at++;
  return ((bytes[at] ?? 0) | 0x20) >= 0x61 && ((bytes[at] ?? 0) | 0x20) <= 0x7a;
}

/** White space, a digit or a bar. */
function beginsCode(byte = 0): boolean {
  return byte <= SPACE || (byte >= 0x30 && byte <= 0x39) || byte === 0x7c;
}

/** What a line says, as a number: a diagnostic by its group, another line by its template. */
function kindOf({ group }: Candidate, { template }: Features): number {
  return group?.id ?? template;
}

function fade({ chars }: Candidate): number {
  if (chars >= fades.length) return Math.exp(-chars / FADE_CHARS);
  if (fades[chars] === 0) fades[chars] = Math.exp(-chars / FADE_CHARS);
  return fades[chars] as number;
}

/** By chars; 0 where it was not asked for yet. */
const fades = new Float64Array(512);
