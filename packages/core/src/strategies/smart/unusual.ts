/**
 * Lines that stand out by their shape alone: in an output that says the same over and over, a line
 * whose shape occurs at most three times is a finding without any word for failure. Candidates are
 * held in a few budgets of memory and looked at again at the end, when it is known which words are
 * common. Short texts are looked at when somebody asks, as far as that takes. Units: chars for room.
 */
import { Shapes } from './shapes.ts';
import { copiesOf, type Unit } from './units.ts';
import { WaitingUnits } from './waiting-units.ts';
import { NO_CUE } from './words.ts';

/** A line that stands out, and how many lines have its shape. */
export interface UnusualLine {
  readonly unit: Unit;
  readonly count: number;
}

/** A shape that occurs so often is no longer unusual. */
const RARE = 3;
/** So much of an output must have shapes that are not rare. */
const REPETITIVE = 0.9;
const FEWEST_LINES = 40;
/** Held in budgets: candidates, and how many more may come together. */
const BUDGETS = 2;
/** An output with so many lines that stood out and could not be held is not repetitive. */
const MOST_DROPPED = 4_000;

/**
 * In a long output every so many lines are enough to know which shapes are common, where only lines
 * with a cue may be shown.
 */
const SAMPLED_FROM = 2_000;
const SAMPLED = 8;

const ZERO = 0x30;
const ONE = 0x31;
const NINE = 0x39;

export class Unusual {
  readonly #which: 'all' | 'cued';
  readonly #most: number;
  readonly #shapes = new Shapes();
  /** What nobody asked about yet, and how much of it was looked at all the same. */
  #waiting: WaitingUnits | null = new WaitingUnits();
  #looked = 0;
  #held: Unit[] = [];
  #heldChars = 0;
  #dropped = 0;
  /**
   * Lines that stood out when they came, and are not held: most of them because their words were
   * not common yet.
   */
  #passedBy = 0;

  /**
   * `budget`: the chars that may be shown. `which`: all lines that stand out, or those that hold a
   * cue.
   */
  constructor(budget: number, which: 'all' | 'cued' = 'all') {
    this.#which = which;
    this.#most = Math.max(4_000, budget * BUDGETS);
  }

  add(unit: Unit): void {
    if (this.#waiting?.isFull === false) this.#waiting.add(unit);
    else {
      if (this.#waiting !== null) this.#lookAll();
      this.#look(unit);
    }
  }

  /** Looks at all that waits. */
  #lookAll(): void {
    const units = this.#waiting?.units ?? [];
    while (this.#looked < units.length) this.#look(units[this.#looked++] as Unit);
    this.#waiting = null;
  }

  /** Looks at what waits until it is certain that it is not repetitive: of source code that is soon. */
  #isSurelyVaried(): boolean {
    const units = this.#waiting?.units ?? [];
    const most = units.length * (1 - REPETITIVE);
    while (this.#looked < units.length && this.#passedBy <= most) this.#look(units[this.#looked++] as Unit);
    return this.#passedBy > most;
  }

  #look(unit: Unit): void {
    if (this.#dropped > MOST_DROPPED || !unit.first) return;
    const isHeld = this.#which === 'all' || (unit.mask & ~NO_CUE) !== 0;
    if (!isHeld && this.#shapes.lines > SAMPLED_FROM && unit.index % SAMPLED !== 0) return;
    const before = this.#shapes.count(unit);
    const last = this.#held.at(-1);
    if (last?.index === unit.index - 1 && startsCount(last, unit)) this.#held.pop();
    if (before < 0 || before >= RARE) return;
    if (!isHeld) this.#passedBy++;
    else this.#hold(unit);
  }

  #hold(unit: Unit): void {
    this.#held.push(unit);
    this.#heldChars += unit.end.chars - unit.start.chars;
    if (this.#heldChars > 2 * this.#most) this.#prune();
  }

  /** In order; none if the output does not say the same over and over. */
  get lines(): readonly UnusualLine[] {
    if (this.#waiting !== null && this.#isSurelyVaried()) return [];
    const { lines } = this.#shapes;
    if (lines < FEWEST_LINES || this.#dropped > MOST_DROPPED) return [];
    const rare = this.#rare();
    return rare.length + this.#dropped + this.#passedBy > lines * (1 - REPETITIVE) ? [] : rare;
  }

  #rare(): UnusualLine[] {
    return this.#held
      .map((unit) => ({ unit, count: this.#shapes.countOf(unit) }))
      .filter(({ count }) => count <= RARE);
  }

  #prune(): void {
    const rare = this.#rare();
    const kept: UnusualLine[] = [];
    let chars = 0;
    for (const line of rare.toSorted((a, b) => a.count - b.count || a.unit.index - b.unit.index)) {
      chars += line.unit.end.chars - line.unit.start.chars;
      if (chars > this.#most) this.#dropped++;
      else kept.push(line);
    }
    this.#held = copiesOf(kept.map(({ unit }) => unit)).sort((a, b) => a.index - b.index);
    this.#heldChars = Math.min(chars, this.#most);
  }
}

/**
 * Whether a line differs from what follows it only because something is counted from zero there: it
 * has as many numbers, and one of them is 0 where the next line has 1.
 */
function startsCount(unit: Unit, next: Unit): boolean {
  let isFound = false;
  let at = digitIn(unit, unit.from + unit.stamp);
  let nextAt = digitIn(next, next.from + next.stamp);
  while (at < unit.to && nextAt < next.to) {
    const end = numberEnd(unit, at);
    const nextEnd = numberEnd(next, nextAt);
    isFound ||=
      end - at === 1 && nextEnd - nextAt === 1 && unit.bytes[at] === ZERO && next.bytes[nextAt] === ONE;
    at = digitIn(unit, end);
    nextAt = digitIn(next, nextEnd);
  }
  return isFound && at === unit.to && nextAt === next.to;
}

/** Where the next digit stands; the end of the line if none does. */
function digitIn({ bytes, to }: Unit, from: number): number {
  let at = from;
  while (at < to && !isDigit(bytes[at])) at++;
  return at;
}

function numberEnd({ bytes, to }: Unit, from: number): number {
  let at = from;
  while (at < to && isDigit(bytes[at])) at++;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
