/**
 * Watches a part for lines that matter: feeds it through salience, and offers what it found as
 * choices, each with the chars it takes as shown and the run it is.
 */
import type { ByteRange } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import type { Known } from '../../model/strategy.ts';
import { decode } from '../../text/utf8.ts';
import { type Candidate, candidateOf, textOf } from './candidate.ts';
import { featuresOf } from './features.ts';
import type { KeptRun } from './kept.ts';
import type { Evidence } from './own-score.ts';
import type { Choice } from './pick.ts';
import { Salience } from './salience.ts';
import { Sections } from './sections.ts';
import type { Seen } from './tally.ts';
import { type Unit, UnitFeed } from './units.ts';
import { Unusual } from './unusual.ts';
import { ESCAPES, type Lexicon } from './words.ts';

export interface SalientLine extends Choice {
  readonly candidate: Candidate;
  readonly run: KeptRun;
  /** Why it is offered, where that is not what it says. */
  readonly cause?: string;
}

/** Chars that a marker needs more to tell of a repeated line. */
const REPEAT_WORDS = 24;
/** A shorter line may well be said twice. */
const FAILURE_CHARS = 8;

/** What a line must weigh to be preserved where it stands out by its shape. */
const SUPPORTED_WEIGHT = 2;

export class Watch {
  readonly #salience: Salience;
  readonly #lexicon: Lexicon;
  /** The lines that stand out by their shape. */
  readonly unusual: Unusual;
  #supported: readonly SalientLine[] | undefined;
  readonly #feed: UnitFeed;
  #lines: readonly SalientLine[] | undefined;
  readonly sections = new Sections();

  /**
   * `budget`: the chars that may be shown of what is found; `also`: who else looks at each unit,
   * and is told its score.
   */
  constructor(
    budget: number,
    lexicon: Lexicon,
    known: Known = {},
    evidence: Evidence = 'any',
    also?: (unit: Unit, own: number) => void,
  ) {
    this.#lexicon = lexicon;
    this.unusual = new Unusual(budget, also === undefined ? 'cued' : 'all');
    this.#salience = new Salience(budget, lexicon, known, evidence);
    this.#feed = new UnitFeed(lexicon, (unit) => {
      const own = this.#salience.add(unit);
      this.sections.add(unit);
      this.unusual.add(unit);
      also?.(unit, own);
    });
  }

  push(piece: Piece): void {
    this.#feed.push(piece);
  }

  /** Everything that may be shown, in order. The first call ends the watch. */
  get lines(): readonly SalientLine[] {
    if (this.#lines === undefined) {
      this.#feed.finish();
      this.#lines = this.#salience.finish().map((candidate) => this.#offer(candidate));
    }
    return this.#lines;
  }

  /**
   * Lines with a word for failure that is weak by itself, and a shape that nearly no other line
   * has.
   */
  get supported(): readonly SalientLine[] {
    this.#supported ??= this.unusual.lines
      .map(({ unit }) => unit)
      .filter((unit) => {
        const { raw, warns, passes } = featuresOf(textOf(unit), unit.mask & ~ESCAPES, this.#lexicon);
        return raw >= SUPPORTED_WEIGHT && !warns && !passes;
      })
      .map((unit) => this.lineOf(unit, 'unusual', SUPPORTED_WEIGHT));
    return this.#supported;
  }

  /** A unit that is to be shown for another reason. */
  lineOf(unit: Unit, cause: string, priority: number): SalientLine {
    const line = this.#offer(candidateOf(unit, unit.start.chars));
    return { ...line, priority, cause };
  }

  get seen(): Seen {
    return this.#salience.seen;
  }

  /** How many lines that say so begin in ranges at the ends of the part. */
  countIn(ranges: readonly ByteRange[], severity: 'error' | 'warning'): number {
    return this.#salience.countIn(ranges, severity);
  }

  /** How many units the part has. */
  get count(): number {
    return this.#feed.count;
  }

  #offer(candidate: Candidate): SalientLine {
    const { unit, priority, again } = candidate;
    const bytes = unit.bytes.subarray(unit.from, unit.to);
    const { start, end, first } = unit;
    const group = groupOf(candidate);
    return {
      candidate,
      run: { start, end, again, bytes, first, ...(group === undefined ? {} : { group }) },
      index: unit.index,
      start,
      end,
      priority,
      shown: end.chars - start.chars + (again === null ? 0 : REPEAT_WORDS),
      said: saidBy(bytes, unit),
    };
  }
}

/** The group of a diagnostic that others are like. */
function groupOf({ group, inGroup }: Candidate): KeptRun['group'] {
  return group === null || group.count < 2 ? undefined : { of: group, isFirst: inGroup === 0 };
}

function saidBy(bytes: Uint8Array, unit: Unit): string {
  const said = decode(bytes.subarray(unit.stamp)).trim();
  return said.length > FAILURE_CHARS ? said : '';
}
