/**
 * What a line says by itself: the weight of its cues, less if the like came before, more if it is
 * new since the call last ended well.
 */
import type { SelectionContext } from '../../model/strategy.ts';
import { type Candidate, isSure, looksOf, textOf } from './candidate.ts';
import { Diagnostics, isListed } from './diagnostics.ts';
import type { Features } from './features.ts';
import { fingerprintOf } from './fingerprint.ts';
import { HashCounts } from './hash-counts.ts';
import { LeadIn } from './lead-in.ts';
import { copyOf } from './open-block.ts';
import { SURE_WEIGHT } from './sure.ts';
import { STRONG } from './tally.ts';
import type { Unit } from './units.ts';
import type { Lexicon } from './words.ts';

/**
 * Which lines count. `any`: all that the lexicon knows, in what programs print. `sure`: those that
 * surely speak of a failure, in other text. `supported`: all, once there is a sure one among them.
 */
export type Evidence = 'any' | 'sure' | 'supported';

const REPEATED = 0.35;
const ALIKE = 0.05;
/**
 * A run of lines that look alike is one thing, up to so many lines and so much of the budget: its
 * lines count as repeated by this share only.
 */
const IN_A_RUN = 0.3;
const LONGEST_RUN = 8;
const LARGEST_RUN = 0.2;
/**
 * A diagnostic that was said before, names apart, tells little: the first few of a kind are free.
 */
const SAME_KIND = 0.5;
const FREE_OF_KIND = 2;
const REPEATED_NEIGHBOUR = 0.1;
const NOT_FIRST = 0.6;
/** A line of so much weight that opens a block names what failed. */
const NAMED_FAILURE = 7;
/** Names may take so much of the budget before those that differ in numbers count as repeated. */
const NAMED_SHARE = 0.4;
/** What being new adds, and how it changes what cues weigh. */
const NEW = 3;
const NEW_FACTOR = 1.2;
const KNOWN_FACTOR = 0.3;
/** Lines of so many chars that end in the same ones say the same. */
const LONG_LINE = 84;
const SAME_END = 60;
const MOST_TEMPLATES = 20_000;

export class OwnScore {
  readonly #budget: number;
  readonly #lexicon: Lexicon;
  readonly #evidence: Evidence;
  readonly #isNew: SelectionContext['isNew'];
  readonly #diagnostics = new Diagnostics();
  readonly #templates = new HashCounts(MOST_TEMPLATES);
  readonly #endings = new HashCounts(MOST_TEMPLATES);
  readonly #signatures = new HashCounts(MOST_TEMPLATES);
  /** How many lines surely speak of a failure, or are labelled a warning. */
  sure = 0;
  #heading: Unit | null = null;
  #isHeadingCopied = false;
  /** What says where a diagnostic stands. */
  readonly leadIn = new LeadIn();
  #runSignature = -1;
  #run = 0;
  #runChars = 0;
  #namedChars = 0;

  /** `budget`: the chars that may be shown. */
  constructor(budget: number, lexicon: Lexicon, { isNew }: SelectionContext, evidence: Evidence) {
    this.#budget = budget;
    this.#evidence = evidence;
    this.#lexicon = lexicon;
    this.#isNew = isNew;
  }

  /** Whether a line was not there when the same call ended well. */
  isNew({ bytes, from, to }: Unit): boolean {
    return this.#isNew?.(bytes.subarray(from, to)) ?? false;
  }

  /** What a line is like; looked at once. */
  featuresOf(candidate: Candidate): Features {
    if (candidate.features === null) {
      const { unit } = candidate;
      const text = textOf(unit);
      candidate.features = this.#weighed(looksOf(unit, this.#lexicon, text), unit, text);
      if (candidate.features.kind !== 'blank')
        candidate.before = Math.max(
          this.#templates.add(candidate.features.template),
          candidate.features.raw > 0 ? this.#endsLike(text) : 0,
        );
      if (candidate.features.raw > 0 && (candidate.features.cues & this.#lexicon.placed) !== 0)
        this.#group(candidate, text);
    }
    return candidate.features;
  }

  /** How many long lines with a cue ended the same way: who says it differs, what is said does not. */
  #endsLike(text: string): number {
    if (text.length < LONG_LINE) return 0;
    return this.#endings.add(fingerprintOf(text.slice(-SAME_END), 0).template);
  }

  /** Notes a line that is not indented: what follows it may stand under it. */
  set heading(unit: Unit) {
    this.#heading = unit;
    this.#isHeadingCopied = false;
  }

  #group(candidate: Candidate, text: string): void {
    const heading = () => (this.#heading === null ? '' : textOf(this.#heading));
    const group = this.#diagnostics.count(text, candidate.unit.start.bytes, heading);
    if (group !== null && this.#heading !== null && isListed(text)) {
      // It must not hold on to the piece that it came in.
      if (!this.#isHeadingCopied) this.#heading = copyOf(this.#heading);
      this.#isHeadingCopied = true;
      candidate.heading = this.#heading;
    }
    const above = group === null ? null : this.leadIn.above(candidate.unit);
    if (above !== null) candidate.heading = copyOf(above);
    candidate.group = group;
    candidate.inGroup = group === null ? 0 : group.count - 1;
  }

  /** Its score; 0 if it says nothing. */
  of(candidate: Candidate): number {
    const features = this.featuresOf(candidate);
    const weight = this.#weightOf(candidate, features);
    if (weight === 0) {
      this.#run = 0;
      return 0;
    }
    this.#run = features.signature === this.#runSignature ? this.#run + 1 : 0;
    this.#runSignature = features.signature;
    this.#runChars = this.#run === 0 ? candidate.chars : this.#runChars + candidate.chars;
    const isRun = this.#run > 0 && this.#run < LONGEST_RUN && this.#runChars < LARGEST_RUN * this.#budget;
    const share = isRun ? IN_A_RUN : 1;
    const alike = this.#signatures.add(features.signature);
    const raw = weight * (candidate.unit.first ? 1 : NOT_FIRST);
    // The first of a kind is new however much it looks like others.
    if (candidate.group !== null && candidate.inGroup === 0) return raw;
    // Tests that failed are told apart by their numbers too.
    const before = this.#isNamed(candidate, features) ? 0 : candidate.before;
    const repetition = REPEATED * Math.log2(1 + share * before) + ALIKE * share * alike;
    return raw / (1 + repetition + sameKind(candidate));
  }

  #isNamed({ chars }: Candidate, { opens, raw }: Features): boolean {
    if (!opens || raw < NAMED_FAILURE) return false;
    this.#namedChars += chars;
    return this.#namedChars <= NAMED_SHARE * this.#budget;
  }

  /** A line that nobody looks at ends a run. */
  skip(): void {
    this.#run = 0;
  }

  /**
   * What a line takes of what its neighbours pass on: less if it is known noise, or was there
   * before.
   */
  taken(candidate: Candidate, score: number): number {
    const { contextFactor } = this.featuresOf(candidate);
    const known = this.#isNew === undefined || candidate.isNew ? 1 : KNOWN_FACTOR;
    return (score * contextFactor * known) / (repeated(candidate.before) + sameKind(candidate));
  }

  #weighed(features: Features, unit: Unit, text: string): Features {
    if (features.warns) this.sure++;
    if (features.warns || (this.#evidence === 'any' && features.raw >= STRONG)) return features;
    const surely = features.raw > 0 && isSure(unit, text);
    if (surely) {
      this.sure++;
      return { ...features, raw: Math.max(features.raw, SURE_WEIGHT) };
    }
    return this.#evidence !== 'sure' ? features : silenced(features);
  }

  #weightOf({ isNew }: Candidate, { raw, kind }: Features): number {
    if (this.#isNew === undefined || kind === 'blank') return raw;
    return isNew ? raw * NEW_FACTOR + NEW : raw * KNOWN_FACTOR;
  }
}

/** A line that does not count. Written out: it is made for nearly every line with a cue. */
function silenced(features: Features): Features {
  const { raw, cues, opens, ends, contextFactor, passes, warns, kind, indent, template, signature } =
    features;
  if (raw === 0 && cues === 0 && !opens && !ends) return features;
  return {
    raw: 0,
    cues: 0,
    contextFactor,
    opens: false,
    ends: false,
    passes,
    warns,
    kind,
    indent,
    template,
    signature,
  };
}

/** By how much a diagnostic counts less for those before it that say the same. */
function sameKind({ inGroup }: Candidate): number {
  return SAME_KIND * Math.max(0, inGroup - FREE_OF_KIND);
}

/** By how much a neighbour counts less that looks like so many lines before it. */
export function repeated(before: number): number {
  return 1 + REPEATED_NEIGHBOUR * before;
}
