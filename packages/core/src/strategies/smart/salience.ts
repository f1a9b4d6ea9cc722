/**
 * Finds, in one pass and bounded memory, which lines of an output tell why it failed. Each line gets a score of its own from its cues, less if
 * such a line came before; it passes part of it on to the lines after and before it, further inside a block; a step that ended badly
 * pulls up what stands before it. A window of the last lines waits for what follows them; what leaves it competes for a bounded pool, and
 * lines that could not get in are not looked at. Units: chars for lengths and budgets, time stamps not counted; bytes for places.
 */
import type { ByteRange, Extent } from '../../model/extent.ts';
import type { Known } from '../../model/strategy.ts';
import { escapesIn } from '../../text/clean.ts';
import { decode } from '../../text/utf8.ts';
import { type Features, featuresOf, TESTED_CHARS } from './features.ts';
import type { Unit } from './units.ts';
import { ESCAPES, type Lexicon, NO_CUE } from './words.ts';

export interface Candidate {
  readonly unit: Unit;
  /** Chars without the time stamp, formatting included. */
  readonly chars: number;
  /** Chars of the lines before it. */
  readonly at: number;
  features: Features | null;
  /** The same line over again: how often, and where the last of them ends. */
  again: { count: number; end: Extent } | null;
  /** Whether it was not there when the same call ended well. */
  isNew: boolean;
  /** How many lines with the same template were looked at before. */
  before: number;
  /** The line's own score. */
  own: number;
  /** The best of its own score and what its neighbours pass on. */
  context: number;
  /** What a bad end further down passes up. */
  pull: number;
  priority: number;
  /** What the ends of the part add: filled in at the end. */
  tail: number;
  head: number;
}

/** Where a line began that speaks of failure or warns. */
export interface Place {
  readonly start: number;
  readonly says: 'error' | 'warning';
}

/** Counts of what was seen, shown or not. */
export interface Seen {
  errors: number;
  errorKinds: number;
  warnings: number;
  warningKinds: number;
  strongest: number;
  /** Fields that hold a message: of a report, rather than of a log. */
  reports: number;
  /** The whole said at its end that it had ended well. */
  passed: boolean;
  /** The bit of the cue that tells a warning. */
  readonly warning: number;
}

/** From this score on a line surely speaks of failure. */
const STRONG = 4;
/** So many fields with messages are a report. */
const REPORT = 3;

const REPEATED = 0.35;
const ALIKE = 0.05;
/** A run of lines that look alike is one thing, up to so many lines and so much of the budget: its lines count as repeated by this share only. */
const IN_A_RUN = 0.3;
const LONGEST_RUN = 8;
const LARGEST_RUN = 0.2;
const REPEATED_NEIGHBOUR = 0.1;
const NOT_FIRST = 0.6;
/** What being new adds, and how it changes what cues weigh. */
const NEW = 3;
const NEW_FACTOR = 1.2;
const KNOWN_FACTOR = 0.3;
/** From which repetition on the same line is only counted. */
const COUNTED_FROM = 3;
const FADE_CHARS = 3_000;
const FORWARD = { blank: 0.92, inside: 0.985, afterEnd: 0.6, inSection: 0.965, else: 0.93 };
const BACKWARD = { blank: 0.7, else: 0.88 };
const PARENT_LINES = 6;
const BAD_END = 4;
const LAST = 5;
const AFTER_BAD_END = 0.4;
/** How far the pull of a bad end, of the end and of the beginning reach, in budgets. */
const NEAR = 0.25;
const HEAD_REACH = 0.03;
/** What signals beside the strongest add. */
const FURTHER = 0.5;
const PER_CHAR = 0.001;

const POOL = 4;
const WINDOW = 1.5;
const MOST_PLACES = 20_000;
const MOST_BYTES_PER_CHAR = 4;
const MOST_TEMPLATES = 20_000;
/** Less than that passed on is nothing. */
const LEAST = 0.3;

export class Salience {
  readonly #budget: number;
  readonly #lexicon: Lexicon;
  readonly #isNew: Known['isNew'];
  /** How many lines in a row were the same as the one before. */
  #same = 0;
  #found: Place[] = [];
  readonly #errorKinds = new Set<number>();
  readonly #warningKinds = new Set<number>();
  readonly #window: Candidate[] = [];
  #windowStart = 0;
  #windowChars = 0;
  #pool: Candidate[] = [];
  #poolChars = 0;
  /** Nothing below gets into the pool. */
  #floor = LEAST;
  readonly #templates = new Map<number, number>();
  readonly #signatures = new Map<number, number>();
  #carry = 0;
  #carryIndent = 0;
  #inSection = false;
  #afterEnd = false;
  #runSignature = -1;
  #run = 0;
  #runChars = 0;
  #chars = 0;
  #lastEnd = -1;
  readonly seen: Seen;

  /** `budget`: the chars that may be shown. */
  constructor(budget: number, lexicon: Lexicon, known: Known = {}) {
    this.#isNew = known.isNew;
    this.#budget = Math.max(1, budget);
    this.#lexicon = lexicon;
    const nothing = {
      errors: 0,
      errorKinds: 0,
      warnings: 0,
      warningKinds: 0,
      strongest: 0,
      reports: 0,
    };
    this.seen = { ...nothing, passed: false, warning: lexicon.warning };
  }

  /** Takes the next line; returns its own score. */
  add(unit: Unit): number {
    const chars = unit.end.chars - unit.start.chars - unit.stamp;
    if (this.#isAgain(unit)) {
      this.#chars += chars;
      return 0;
    }
    const candidate = candidateOf(unit, this.#chars);
    this.#window.push(candidate);
    this.#windowChars += chars;
    this.#chars += chars;
    const cued = (unit.mask & ~NO_CUE) !== 0;
    candidate.isNew = this.#isNew?.(unit.bytes.subarray(unit.from, unit.to)) ?? false;
    if (cued || candidate.isNew || this.#carry > this.#floor) {
      this.#score(candidate);
      this.#forward(candidate);
    } else this.#run = 0;
    if (this.#windowChars > this.#budget * WINDOW * 2) this.#settle();
    return candidate.own;
  }

  /** A line that was just said several times, word for word, is only counted. */
  #isAgain(unit: Unit): boolean {
    const last = this.#window.at(-1);
    const isSame = last !== undefined && unit.hidden === null && isSameLine(last.unit, unit);
    this.#same = isSame ? this.#same + 1 : 0;
    if (last === undefined || this.#same < COUNTED_FROM) return false;
    last.again = { count: (last.again?.count ?? 0) + 1, end: unit.end };
    if (last.own > 0 && last.features !== null) this.#note(unit.start.bytes, last.features);
    return true;
  }

  /** Every line that may be shown, in order, with its priority. Called once, after the last line. */
  finish(): Candidate[] {
    this.#backward();
    const window = this.#window.slice(this.#windowStart);
    const end = this.#chars;
    const from = this.#lastEnd >= 0 && end - this.#lastEnd < end / 4 ? this.#lastEnd : end;
    const reach = NEAR * this.#budget;
    const all = [...this.#pool, ...window];
    for (const candidate of all) {
      const after = candidate.at + candidate.chars;
      candidate.tail =
        after <= from
          ? LAST * Math.exp((after - from) / reach)
          : AFTER_BAD_END * LAST * Math.exp((after - end) / reach);
      // Known noise is not worth more for where it stands.
      const { takes } = this.#featuresOf(candidate);
      candidate.tail *= takes;
      candidate.pull *= takes;
      candidate.head = this.#headOf(candidate);
      candidate.priority = this.#priority(candidate);
    }
    return all.sort((a, b) => a.unit.index - b.unit.index);
  }

  /** Its own score: what its cues weigh, less if the like came before. */
  #score(candidate: Candidate): void {
    const { unit } = candidate;
    const features = this.#featuresOf(candidate);
    if (isError(features)) this.seen.passed = false;
    else if (features.passes) this.seen.passed = true;
    const weight = this.#weightOf(candidate, features);
    if (weight === 0) {
      this.#run = 0;
      return;
    }
    this.#run = features.signature === this.#runSignature ? this.#run + 1 : 0;
    this.#runSignature = features.signature;
    this.#runChars = this.#run === 0 ? candidate.chars : this.#runChars + candidate.chars;
    const isRun = this.#run > 0 && this.#run < LONGEST_RUN && this.#runChars < LARGEST_RUN * this.#budget;
    const share = isRun ? IN_A_RUN : 1;
    const { before } = candidate;
    const alike = counted(this.#signatures, features.signature);
    const raw = weight * (unit.first ? 1 : NOT_FIRST);
    candidate.own = raw / (1 + REPEATED * Math.log2(1 + share * before) + ALIKE * share * alike);
    candidate.context = candidate.own;
    this.#note(unit.start.bytes, features);
    if (features.ends && candidate.own > 1) this.#lastEnd = this.#chars;
    if (features.raw > 2.5 && features.indent > 0) this.#liftParent(features, before);
  }

  /** What its cues weigh; more if the line is new since the call last ended well, less if it was there then. */
  #weightOf({ isNew }: Candidate, { raw, kind }: Features): number {
    if (this.#isNew === undefined || kind === 'blank') return raw;
    return isNew ? raw * NEW_FACTOR + NEW : raw * KNOWN_FACTOR;
  }

  #note(start: number, features: Features): void {
    const { seen } = this;
    if ((features.cues & this.#lexicon.report) !== 0) seen.reports++;
    seen.strongest = Math.max(seen.strongest, features.raw);
    if (isError(features)) {
      seen.errors++;
      this.#found.push({ start, says: 'error' });
      seen.errorKinds = kindsWith(this.#errorKinds, features);
    } else if (isWarning(features, seen.warning)) {
      seen.warnings++;
      this.#found.push({ start, says: 'warning' });
      seen.warningKinds = kindsWith(this.#warningKinds, features);
    }
    if (this.#found.length > MOST_PLACES) this.#found = this.#nearEnds(start);
  }

  /** Places that the ends of the part may show. */
  #nearEnds(end: number): Place[] {
    const reach = this.#budget * MOST_BYTES_PER_CHAR;
    return this.#found.filter(({ start }) => start < reach || start > end - 2 * reach);
  }

  /** How many lines of either kind begin in some ranges at the ends of the part. */
  countIn(ranges: readonly ByteRange[], says: Place['says']): number {
    return this.#found.filter(
      (place) =>
        place.says === says && ranges.some(({ start, end }) => place.start >= start && place.start < end),
    ).length;
  }

  /** What the lines before pass on, block by block. */
  #forward(candidate: Candidate): void {
    const features = this.#featuresOf(candidate);
    const blank = features.kind === 'blank';
    const inside = features.kind === 'inner' || (!blank && features.indent > this.#carryIndent);
    const step = blank
      ? FORWARD.blank
      : inside
        ? FORWARD.inside
        : this.#afterEnd
          ? FORWARD.afterEnd
          : this.#inSection
            ? FORWARD.inSection
            : FORWARD.else;
    this.#carry *= step * fade(candidate);
    if (candidate.own >= this.#carry && candidate.own > 0) {
      this.#carry = candidate.own;
      this.#carryIndent = features.indent;
      this.#inSection = features.opens;
      this.#afterEnd = features.ends;
    } else this.#pass(candidate, this.#carry);
  }

  /** A line that is known noise, or was there before, takes less. */
  #pass(candidate: Candidate, score: number): void {
    const { takes } = this.#featuresOf(candidate);
    const known = this.#isNew === undefined || candidate.isNew ? 1 : KNOWN_FACTOR;
    const given = (score * takes * known) / (1 + REPEATED_NEIGHBOUR * candidate.before);
    if (given > candidate.context) candidate.context = given;
  }

  /** A repeated message is told apart by the line above it that it belongs to. */
  #liftParent(features: Features, before: number): void {
    let score = features.raw / (1 + REPEATED_NEIGHBOUR * before);
    const last = this.#window.length - 2;
    for (let i = last; i >= this.#windowStart && i > last - PARENT_LINES; i--) {
      const above = this.#window[i] as Candidate;
      const looked = this.#featuresOf(above);
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
    let pull = 0;
    const reach = NEAR * this.#budget;
    for (let i = this.#window.length - 1; i >= this.#windowStart; i--) {
      const candidate = this.#window[i] as Candidate;
      if (pull > LEAST) {
        pull *= Math.exp(-candidate.chars / reach);
        candidate.pull = Math.max(candidate.pull, pull);
      }
      if (carry > this.#floor) {
        carry *= this.#featuresOf(candidate).kind === 'blank' ? BACKWARD.blank : BACKWARD.else;
        carry *= fade(candidate);
        if (candidate.own < carry) this.#pass(candidate, carry);
      }
      if (candidate.own >= carry) carry = candidate.own;
      if (candidate.own > 1 && candidate.features?.ends === true) pull = BAD_END;
    }
  }

  /** Lets the older part of the window go: nothing that follows can still change it much. */
  #settle(): void {
    this.#backward();
    while (this.#windowChars > this.#budget * WINDOW) {
      const candidate = this.#window[this.#windowStart++] as Candidate;
      this.#windowChars -= candidate.chars;
      candidate.head = this.#headOf(candidate);
      candidate.priority = this.#priority(candidate);
      if (candidate.priority < this.#floor) continue;
      keepBytes(candidate.unit);
      this.#pool.push(candidate);
      this.#poolChars += candidate.chars;
    }
    this.#window.splice(0, this.#windowStart);
    this.#windowStart = 0;
    if (this.#poolChars > this.#budget * POOL * 1.5) this.#prune();
  }

  #prune(): void {
    this.#pool.sort((a, b) => b.priority - a.priority || b.unit.index - a.unit.index);
    let chars = 0;
    const kept = this.#pool.findIndex((candidate) => {
      chars += candidate.chars;
      return chars > this.#budget * POOL;
    });
    if (kept >= 0) this.#pool.length = kept;
    this.#poolChars = this.#pool.reduce((sum, candidate) => sum + candidate.chars, 0);
    // What the last of the pool has, a later line must have most of, before the ends add to it.
    this.#floor = Math.max(LEAST, (this.#pool.at(-1)?.priority ?? 0) / 1.4);
  }

  #headOf(candidate: Candidate): number {
    return Math.exp(-candidate.at / (HEAD_REACH * this.#budget));
  }

  /** Signals add up: a line with a cue near a bad end beats one that stands alone. */
  #priority({ context, tail, head, pull, chars }: Candidate): number {
    const best = Math.max(context, tail, head, pull);
    return (best + FURTHER * (context + tail + head + pull - best)) / (1 + PER_CHAR * chars);
  }

  #featuresOf(candidate: Candidate): Features {
    if (candidate.features === null) {
      const { unit } = candidate;
      candidate.features = featuresOf(textOf(unit), unit.mask & ~ESCAPES, this.#lexicon);
      if (candidate.features.kind !== 'blank')
        candidate.before = counted(this.#templates, candidate.features.template);
    }
    return candidate.features;
  }
}

/** A line of which nothing is known yet. `at`: chars before it. */
export function candidateOf(unit: Unit, at: number): Candidate {
  return {
    unit,
    chars: unit.end.chars - unit.start.chars - unit.stamp,
    at,
    features: null,
    again: null,
    isNew: false,
    before: 0,
    own: 0,
    context: 0,
    pull: 0,
    priority: 0,
    tail: 0,
    head: 0,
  };
}

/** Whether anything tells of failure: else the lines that were found are not worth more than others. */
export function tells({ strongest, reports }: Seen): boolean {
  return strongest >= STRONG || reports >= REPORT;
}

/** Whether a line surely speaks of failure: what a tool labels a warning is one, however strong its words. */
export function isError({ raw, warns }: Features): boolean {
  return raw >= STRONG && !warns;
}

/** Whether a line warns. `warning`: the bit of that cue. */
export function isWarning({ raw, cues, warns }: Features, warning: number): boolean {
  return warns || (raw < STRONG && raw > 0.5 && (cues & warning) !== 0);
}

/** The text that cues are looked for in: no escapes, no time stamp. */
export function textOf(unit: Unit): string {
  const from = unit.from + unit.stamp;
  const to = Math.min(unit.to, from + TESTED_CHARS * 3);
  const plain = (unit.mask & ESCAPES) === 0;
  if (plain && unit.ascii) return unit.bytes.toString('latin1', from, to).trimEnd();
  const bytes = unit.bytes.subarray(from, to);
  if (plain) return decode(bytes).trimEnd();
  let text = '';
  let at = 0;
  for (const range of escapesIn(bytes)) {
    text += decode(bytes.subarray(at, range.from));
    at = range.to;
  }
  return (text + decode(bytes.subarray(at))).trimEnd();
}

/** A line that stays must not hold on to the piece it came in. */
function keepBytes(unit: Unit): void {
  const bytes = Buffer.allocUnsafeSlow(unit.to - unit.from);
  unit.bytes.copy(bytes, 0, unit.from, unit.to);
  unit.bytes = bytes;
  unit.to -= unit.from;
  unit.from = 0;
}

function isSameLine(a: Unit, b: Unit): boolean {
  const length = a.to - a.from - a.stamp;
  if (length !== b.to - b.from - b.stamp || !a.first || !b.first) return false;
  for (let i = 0; i < length; i++) {
    if (a.bytes[a.from + a.stamp + i] !== b.bytes[b.from + b.stamp + i]) return false;
  }
  return true;
}

function fade({ chars }: Candidate): number {
  return Math.exp(-chars / FADE_CHARS);
}

/** How many kinds there are with this one. */
function kindsWith(kinds: Set<number>, { template }: Features): number {
  if (kinds.size < MOST_TEMPLATES) kinds.add(template);
  return kinds.size;
}

/** How often a key was counted before; counts it. */
function counted(map: Map<number, number>, key: number): number {
  const before = map.get(key) ?? 0;
  if (before > 0 || map.size < MOST_TEMPLATES) map.set(key, before + 1);
  return before;
}
