/**
 * Counts what was seen in a part, shown or not: errors, warnings and their kinds; and remembers
 * where they stand, as far as the ends may show it.
 */
import type { ByteRange } from '../../model/extent.ts';
import type { Features } from './features.ts';
import type { Lexicon } from './words.ts';

/** Where a line began that speaks of failure or warns. */
interface FoundLine {
  readonly start: number;
  readonly severity: 'error' | 'warning';
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
export const STRONG = 4;
/** So many fields with messages are a report. */
const REPORT = 3;
const MOST_FOUND = 20_000;
const MOST_BYTES_PER_CHAR = 4;
const MOST_KINDS = 20_000;

export class Tally {
  readonly #budget: number;
  readonly #report: number;
  #found: FoundLine[] = [];
  readonly #errorKinds = new Set<number>();
  readonly #warningKinds = new Set<number>();
  readonly seen: Seen;
  /** What is said where nothing supports what was seen. */
  readonly unseen: Seen;

  /** `budget`: the chars that may be shown. */
  constructor(budget: number, { report, warning }: Lexicon) {
    this.#budget = budget;
    this.#report = report;
    const nothing = { errors: 0, errorKinds: 0, warnings: 0, warningKinds: 0, strongest: 0, reports: 0 };
    this.unseen = { ...nothing, passed: false, warning };
    this.seen = { ...this.unseen };
  }

  /** A line that says how the whole ended, or takes that back. */
  judge(features: Features): void {
    if (isError(features)) this.seen.passed = false;
    else if (features.passes) this.seen.passed = true;
  }

  /** A line that has something to say. `kind`: what it says, names and numbers apart. */
  note(start: number, features: Features, kind: number): void {
    const { seen } = this;
    if ((features.cues & this.#report) !== 0) seen.reports++;
    seen.strongest = Math.max(seen.strongest, features.raw);
    if (isError(features)) {
      seen.errors++;
      this.#found.push({ start, severity: 'error' });
      seen.errorKinds = kindsWith(this.#errorKinds, kind);
    } else if (isWarning(features, seen.warning)) {
      seen.warnings++;
      this.#found.push({ start, severity: 'warning' });
      seen.warningKinds = kindsWith(this.#warningKinds, kind);
    }
    if (this.#found.length > MOST_FOUND) this.#found = this.#nearEnds(start);
  }

  /** How many lines of either kind begin in some ranges at the ends of the part. */
  countIn(ranges: readonly ByteRange[], severity: FoundLine['severity']): number {
    // What was found is in order: one pass over both.
    const inOrder = ranges.toSorted((a, b) => a.start - b.start);
    let count = 0;
    let next = 0;
    let end = 0;
    for (const found of this.#found) {
      for (; next < inOrder.length && (inOrder[next] as ByteRange).start <= found.start; next++)
        end = Math.max(end, (inOrder[next] as ByteRange).end);
      if (found.start < end && found.severity === severity) count++;
    }
    return count;
  }

  /** Places that the ends of the part may show. */
  #nearEnds(end: number): FoundLine[] {
    const reach = this.#budget * MOST_BYTES_PER_CHAR;
    return this.#found.filter(({ start }) => start < reach || start > end - 2 * reach);
  }
}

/**
 * Whether anything tells of failure: else the lines that were found are not worth more than others.
 */
export function hasErrors({ strongest, reports }: Seen): boolean {
  return strongest >= STRONG || reports >= REPORT;
}

/**
 * Whether a line surely speaks of failure: what a tool labels a warning is one, however strong its
 * words.
 */
export function isError({ raw, warns }: Features): boolean {
  return raw >= STRONG && !warns;
}

/** Whether a line warns. `warning`: the bit of that cue. */
export function isWarning({ raw, cues, warns }: Features, warning: number): boolean {
  return warns || (raw < STRONG && raw > 0.5 && (cues & warning) !== 0);
}

/** How many kinds there are with this one. */
function kindsWith(kinds: Set<number>, kind: number): number {
  if (kinds.size < MOST_KINDS) kinds.add(kind);
  return kinds.size;
}
