/**
 * How much each row of a table tells about why something failed. A row has a score of its own: what
 * its cues weigh, less if the like came before. It passes part of it on to the rows below and above
 * it, further inside a block; a step that ended badly pulls up what stands before it; and both ends
 * of the text count by themselves. Rows that nothing reaches are not looked at. Scores are columns
 * beside those of the table, filled once for each row as it comes. Units: chars for lengths and
 * budgets, time stamps not counted.
 */
import { tableOf } from '../../table/columns.ts';
import { AGAIN, BLANK, CONTINUED, type LineTable } from '../../table/line-table.ts';
import type { LineJudge } from '../../vocabulary/judge.ts';
import { isError, isWarning, Look, STRONG, SURE_WEIGHT } from '../../vocabulary/verdict.ts';
import { CueFlag } from '../../vocabulary/vocabulary.ts';
import { type DiagnosticGroup, Diagnostics, isListed } from './diagnostics.ts';
import { LeadIn } from './lead-in.ts';

/**
 * Which lines count. `any`: all that the vocabulary knows, in what programs print. `sure`: those
 * that surely speak of a failure, in other text. `supported`: all, once there is a sure one among
 * them.
 */
export type Evidence = 'any' | 'sure' | 'supported';

/** Lower scores are nothing. */
const LEAST = 0.3;
const FORWARD = { blank: 0.92, inside: 0.99, afterEnd: 0.6, inSection: 0.965, else: 0.93 };
const BACKWARD = { blank: 0.85, else: 0.88 };
/**
 * What sure lines pass on in a text that is about something else: to what belongs to them, hardly
 * further.
 */
const FORWARD_SURE = { blank: 0.5, inside: 0.9, afterEnd: 0.4, inSection: 0.5, else: 0.4 };
const BACKWARD_SURE = { blank: 0.4, else: 0.4 };
const FADE_CHARS = 3_000;
const fades = Float32Array.from({ length: 512 }, (_, chars) => Math.exp(-chars / FADE_CHARS));
/** What signals beside the strongest add, and what length costs. */
const FURTHER = 0.5;
const PER_CHAR = 0.001;
/** Repetition: by template, by how the line begins, by the kind of diagnostic, as a neighbour. */
const REPEATED = 0.35;
const ALIKE = 0.05;
const SAME_KIND = 0.5;
const FREE_OF_KIND = 2;
const REPEATED_NEIGHBOUR = 0.1;
/** A run of like lines is one thing, up to so many lines and so much of the budget. */
const RUN = { counts: 0.3, lines: 8, budget: 0.2 };
const NOT_FIRST = 0.6;
/** Lines that open a block and weigh so much name what failed; names may take so much room. */
const NAMED = { weight: 7, budget: 0.4 };
/** Being new since the same call ended well. */
const NEW = { adds: 3, factor: 1.2, known: 0.3 };
/** Lines of so many chars that end in the same ones say the same. */
const ENDING = { lineChars: 84, chars: 60 };
const PARENT_LINES = 6;
/** So few chars are hidden at a higher price than shown. */
const LIFTED = { chars: 32, factor: 0.95 };
const BAD_END = 4;
const LAST = 4;
const AFTER_BAD_END = 0.4;
/** How far the pull of a bad end, of the end and of the beginning reach, in budgets. */
const NEAR = 0.25;
const HEAD_REACH = 0.03;
const MOST_KNOWN = 20_000;
/** So many fields with messages are a report. */
const REPORT = 3;
const SPACE = 0x20;
const FIRST_ROWS = 512;

/** What was seen in all rows, shown or not. */
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
  /** Lines that surely speak of a failure, or are labelled a warning. */
  sure: number;
  /** The tool says itself how much it found. */
  totals: boolean;
}

/** What a row is counted as. */
export const ERROR = 1;
export const WARNING = 2;

export interface ScoreOptions {
  /** The chars that may be shown. */
  readonly budget: number;
  readonly evidence: Evidence;
  /** Whether a line was not there when the same call ended well. */
  readonly isNew: ((line: Uint8Array) => boolean) | undefined;
}

const Columns = tableOf({
  /** Chars up to the end of a row, of dropped rows too; stamps do not count. */
  offset: Float64Array,
  weight: Float32Array,
  flags: Uint16Array,
  own: Float32Array,
  context: Float32Array,
  again: Uint32Array,
  severity: Uint8Array,
  isNew: Uint8Array,
  inGroup: Uint32Array,
  /** The row that says what a row belongs to, plus 1; 0 if there is none. */
  heading: Uint32Array,
  /** The row of the diagnostic whose code a row shows, plus 1. */
  frameOf: Uint32Array,
});

/** What a row says of a failure. */
interface LastScore {
  readonly weight: number;
  readonly flags: number;
  readonly kind: number;
}

export class FailureScores extends Columns {
  readonly #table: LineTable;
  readonly #judge: LineJudge;
  readonly #options: ScoreOptions;
  readonly #forwardBy: typeof FORWARD;
  readonly #backwardBy: typeof BACKWARD;
  readonly #diagnostics = new Diagnostics();
  readonly #leadIn: LeadIn;
  readonly #signatures = new Map<number, number>();
  readonly #endings = new Map<number, number>();
  readonly #errorKinds = new Set<number>();
  readonly #warningKinds = new Set<number>();
  readonly seen: Seen = {
    errors: 0,
    errorKinds: 0,
    warnings: 0,
    warningKinds: 0,
    strongest: 0,
    reports: 0,
    passed: false,
    sure: 0,
    totals: false,
  };
  /** Groups of diagnostics that say the same, by row. */
  #groups = new Map<number, DiagnosticGroup>();
  /** Rows that say what was made. */
  results: number[] = [];
  #done = 0;
  #carry = 0;
  #carryIndent = 0;
  #inSection = false;
  #afterEnd = false;
  #chars = 0;
  #lastEnd = -1;
  /** What the last row that says something new says of a failure; null if nothing. */
  #lastScore: LastScore | null = null;
  #run = 0;
  #runSignature = -1;
  #runChars = 0;
  #named = 0;
  #headingRow = -1;
  #frameRow = -1;
  #ranks: FailureRanks | undefined;
  #scratchRanks = rankColumns(0);

  constructor(table: LineTable, judge: LineJudge, options: ScoreOptions) {
    super();
    this.resize(FIRST_ROWS);
    this.#table = table;
    this.#judge = judge;
    this.#options = options;
    this.#forwardBy = options.evidence === 'sure' ? FORWARD_SURE : FORWARD;
    this.#backwardBy = options.evidence === 'sure' ? BACKWARD_SURE : BACKWARD;
    this.#leadIn = new LeadIn(table);
  }

  get evidence(): Evidence {
    return this.#options.evidence;
  }

  /** Whether anything tells of failure: else the lines that were found are not worth more. */
  get hasErrors(): boolean {
    return this.seen.strongest >= STRONG || this.seen.reports >= REPORT;
  }

  get rows(): number {
    return this.#done;
  }

  /** Whether a row that counts as an error is one in any text. */
  get hasSureErrors(): boolean {
    for (let row = 0; row < this.#done; row++)
      if (this.severity[row] === ERROR && this.#judge.isSure(row)) return true;
    return false;
  }

  /** How many diagnostics there are of each code. */
  get codes(): ReadonlyMap<string, number> {
    return this.#diagnostics.codes;
  }

  isDiagnostic(row: number): boolean {
    return this.#groups.has(row);
  }

  /** Whether a row names what failed. */
  isNamed(row: number): boolean {
    const isOpening = ((this.flags[row] as number) & CueFlag.opens) !== 0;
    return isOpening && (this.weight[row] as number) >= NAMED.weight;
  }

  /** The row that says what a row belongs to; -1 if there is none. */
  headingOf(row: number): number {
    return (this.heading[row] as number) - 1;
  }

  /** Takes the rows that came since the last time. */
  update(): void {
    const table = this.#table;
    if (this.#done < table.rows) this.#ranks = undefined;
    if (table.rows > this.capacity) this.resize(Math.max(table.rows, this.capacity * 2));
    for (; this.#done < table.rows; this.#done++) this.#take(this.#done);
  }

  /** Drops the rows that are not marked: the table dropped them too. */
  keepOnly(isKept: Uint8Array): void {
    const moved = new Uint32Array(this.#done);
    let rows = 0;
    for (let row = 0; row < this.#done; row++) if (isKept[row] === 1) moved[row] = ++rows;
    const follow = (plusOne: number) => (plusOne === 0 ? 0 : (moved[plusOne - 1] as number));
    const groups = new Map<number, DiagnosticGroup>();
    for (let row = 0; row < this.#done; row++) {
      const to = (moved[row] as number) - 1;
      if (to < 0) continue;
      this.moveRow(row, to);
      this.heading[to] = follow(this.heading[row] as number);
      this.frameOf[to] = follow(this.frameOf[row] as number);
      const group = this.#groups.get(row);
      if (group !== undefined) groups.set(to, group);
    }
    this.#groups = groups;
    this.results = this.results.flatMap((row) => (moved[row] ? [(moved[row] as number) - 1] : []));
    this.#headingRow = follow(this.#headingRow + 1) - 1;
    this.#frameRow = follow(this.#frameRow + 1) - 1;
    this.#leadIn.keepOnly(follow);
    this.#ranks = undefined;
    this.#done = rows;
  }

  /** The rank of every row, now that nothing follows or for the time being. */
  ranks(ends: 'both' | 'head' = 'both'): FailureRanks {
    if (ends === 'head') return this.#rank(ends);
    this.#ranks ??= this.#rank(ends);
    return this.#ranks;
  }

  /** Columns for the time being, used again: a long text is ranked many times. */
  #scratch(rows: number): FailureRanks {
    if (this.#scratchRanks.score.length < rows) this.#scratchRanks = rankColumns(rows);
    const { score, pulls, tails, heads, context } = this.#scratchRanks;
    for (const column of [score, pulls, tails, heads]) column.fill(0);
    return { score, pulls, tails, heads, context };
  }

  #rank(ends: 'both' | 'head'): FailureRanks {
    const table = this.#table;
    const { rows, chars, stamp, flags: tableFlags, shape } = table;
    const { score, pulls, tails, heads, context } = ends === 'head' ? this.#scratch(rows) : rankColumns(rows);
    context.set(this.context.subarray(0, rows));
    const { budget } = this.#options;
    const reach = NEAR * budget;
    const end = this.#chars;
    const from = this.#lastEnd >= 0 && end - this.#lastEnd < end / 4 ? this.#lastEnd : end;
    let carry = 0;
    let isPlaced = false;
    let pull = 0;
    for (let row = rows - 1; row >= 0; row--) {
      const size = (chars[row] as number) - (stamp[row] as number);
      const behind = this.offset[row] as number;
      const at = behind - size;
      const isBlank = ((tableFlags[row] as number) & BLANK) !== 0;
      let verdict = -1;
      if (pull > LEAST) {
        pull *= Math.exp(-size / reach);
        pulls[row] = pull;
      }
      if (((tableFlags[row] as number) & AGAIN) !== 0) continue;
      if (carry > LEAST) {
        verdict = this.#judge.of(row, false);
        const inner = ((this.#judge.flags[verdict] as number) & Look.inner) !== 0;
        // A caret belongs to the diagnostic above it, and not to the one below.
        if (isPlaced && inner && !isBlank && !isLetter(table.first[row] as number)) carry = 0;
        carry *= (isBlank ? this.#backwardBy.blank : this.#backwardBy.else) * fade(size);
        if ((this.own[row] as number) < carry) {
          const given = this.#taken(row, verdict, carry);
          if (given > (context[row] as number)) context[row] = given;
        }
      }
      const own = this.own[row] as number;
      if (own >= carry && own > 0) {
        carry = own;
        isPlaced = this.#isDiagnostic(row);
      }
      if (own > 1 && ((this.flags[row] as number) & CueFlag.ends) !== 0) pull = BAD_END;
      if (ends === 'both')
        tails[row] =
          behind <= from
            ? LAST * Math.exp((behind - from) / reach)
            : AFTER_BAD_END * LAST * Math.exp((behind - end) / reach);
      heads[row] = Math.exp(-at / (HEAD_REACH * budget));
      if ((tails[row] as number) > 0.01 || (pulls[row] as number) > 0) {
        if (verdict < 0) verdict = this.#judge.of(row, false);
        // Known noise is not worth more for where it stands.
        const factor = isBlank ? 1 : (this.#judge.factor[verdict] as number);
        tails[row] = (tails[row] as number) * factor;
        pulls[row] = ((pulls[row] as number) * factor) / this.#repeated(row, verdict);
      }
      score[row] = priority(
        context[row] as number,
        tails[row] as number,
        heads[row] as number,
        pulls[row] as number,
        size,
      );
    }
    for (let row = 1; row + 1 < rows; row++) {
      // A row shorter than a marker goes with those around it.
      if ((chars[row] as number) - (stamp[row] as number) > LIFTED.chars || shape[row] === undefined)
        continue;
      const least = LIFTED.factor * Math.min(score[row - 1] as number, score[row + 1] as number);
      if (least > (score[row] as number) && ((tableFlags[row] as number) & AGAIN) === 0) score[row] = least;
    }
    return { score, context, pulls, tails, heads };
  }

  #take(row: number): void {
    const table = this.#table;
    const flags = table.flags[row] as number;
    const isBlank = (flags & BLANK) !== 0;
    const isFirst = (flags & CONTINUED) === 0;
    const size = (table.chars[row] as number) - (table.stamp[row] as number);
    const textAt = (table.from[row] as number) + (table.stamp[row] as number);
    this.own[row] = this.context[row] = this.weight[row] = 0;
    this.flags[row] = this.severity[row] = this.isNew[row] = 0;
    this.heading[row] = this.frameOf[row] = this.inGroup[row] = this.again[row] = 0;
    if (isFirst && (table.bytes[textAt] as number) > SPACE && !isBlank) this.#headingRow = row;
    if (isFirst) this.#leadIn.add(row);
    this.#chars += size;
    this.offset[row] = this.#chars;
    // What is said again counts as often as it is said.
    if ((flags & AGAIN) !== 0) {
      if (this.#lastScore !== null) this.#count(row, this.#lastScore);
      return;
    }
    this.#lastScore = null;
    this.#look(row, size, isBlank);
    this.#noteFrame(row, table.bytes[textAt]);
  }

  #look(row: number, size: number, isBlank: boolean): void {
    const { isNew: known } = this.#options;
    const isNew = known !== undefined && !isBlank && known(this.#table.bytesOf(row));
    const isCued = !isBlank && this.#judge.isCued(row);
    if (!isCued && !isNew && this.#carry <= LEAST) {
      this.#run = 0;
      return;
    }
    this.isNew[row] = isNew ? 1 : 0;
    const verdict = this.#judge.of(row, isCued);
    if (!isBlank) this.#weigh(row, verdict, isCued);
    this.#judgeOwn(row, size, isBlank);
    this.#passOn(row, verdict, size, isBlank);
  }

  /** The weight of its cues, as far as the evidence counts them. */
  #weigh(row: number, verdict: number, isCued: boolean): void {
    const { evidence } = this.#options;
    const weight = isCued ? (this.#judge.weight[verdict] as number) : 0;
    const flags = this.#judge.flags[verdict] as number;
    this.weight[row] = weight;
    this.flags[row] = flags;
    if (isCued && !this.seen.totals && this.#table.before[row] === 0)
      this.seen.totals = TOTALS.test(this.#table.textOf(row));
    if ((flags & Look.warns) !== 0) {
      this.seen.sure++;
      return;
    }
    if (evidence === 'any' && weight >= STRONG) return;
    if (weight > 0 && this.#judge.isSure(row)) {
      this.seen.sure++;
      this.weight[row] = Math.max(weight, SURE_WEIGHT);
    } else if (evidence === 'sure') {
      this.weight[row] = 0;
      this.flags[row] = flags & (CueFlag.passes | Look.inner | Look.bareLocation);
    }
  }

  /** Its own score, and what follows from it. */
  #judgeOwn(row: number, size: number, isBlank: boolean): void {
    const flags = this.flags[row] as number;
    const weight = this.weight[row] as number;
    if (isError(weight, flags)) this.seen.passed = false;
    else if ((flags & CueFlag.passes) !== 0) this.seen.passed = true;
    if ((flags & CueFlag.result) !== 0) this.#noteResult(row);
    const counted = this.#counted(row, weight, isBlank);
    if (counted === 0) {
      this.#run = 0;
      return;
    }
    const own = this.#discounted(row, counted, size);
    this.own[row] = this.context[row] = own;
    if (own === 0) return;
    this.#lastScore = { weight, flags, kind: this.#groups.get(row)?.id ?? this.#table.shapeHash(row) };
    this.#count(row, this.#lastScore);
    if ((flags & CueFlag.ends) !== 0 && own > 1) this.#lastEnd = this.#chars;
    if (weight > 2.5 && (this.#table.indent[row] as number) > 0) this.#liftParent(row, weight);
  }

  #counted(row: number, weight: number, isBlank: boolean): number {
    if (this.#options.isNew === undefined || isBlank) return weight;
    return this.isNew[row] === 1 ? weight * NEW.factor + NEW.adds : weight * NEW.known;
  }

  #discounted(row: number, counted: number, size: number): number {
    const table = this.#table;
    const flags = this.flags[row] as number;
    const weight = this.weight[row] as number;
    const signature = this.#signatureOf(row);
    this.#run = signature === this.#runSignature ? this.#run + 1 : 0;
    this.#runSignature = signature;
    this.#runChars = this.#run === 0 ? size : this.#runChars + size;
    const { budget } = this.#options;
    const isRun = this.#run > 0 && this.#run < RUN.lines && this.#runChars < RUN.budget * budget;
    const share = isRun ? RUN.counts : 1;
    const alike = countIn(this.#signatures, signature);
    let before = table.before[row] as number;
    if (weight > 0 && size > ENDING.lineChars)
      before = Math.max(before, countIn(this.#endings, this.#endingOf(row)));
    this.again[row] = before;
    const score = counted * ((table.flags[row] as number) & CONTINUED ? NOT_FIRST : 1);
    if (weight > 0 && (flags & CueFlag.placed) !== 0) this.#group(row);
    // The first of a kind is new however much it looks like others.
    if (this.#groups.has(row) && this.inGroup[row] === 0) return score;
    // Tests that failed are told apart by their numbers too.
    if (this.isNamed(row)) {
      this.#named += size;
      if (this.#named <= NAMED.budget * budget) before = 0;
    }
    return (
      score / (1 + REPEATED * Math.log2(1 + share * before) + ALIKE * share * alike + this.#sameKind(row))
    );
  }

  #group(row: number): void {
    const table = this.#table;
    const text = table.textOf(row);
    const group = this.#diagnostics.count(text);
    if (group === null) return;
    this.#groups.set(row, group);
    this.inGroup[row] = group.count - 1;
    if (this.#headingRow >= 0 && isListed(text)) this.heading[row] = this.#headingRow + 1;
    const above = this.#leadIn.above(row);
    if (above >= 0) this.heading[row] = above + 1;
  }

  /** Counts a row that has something to say, by what `like` says. */
  #count(row: number, { weight, flags, kind }: LastScore): void {
    const { seen } = this;
    if ((flags & CueFlag.report) !== 0) seen.reports++;
    seen.strongest = Math.max(seen.strongest, weight);
    if (isError(weight, flags)) {
      seen.errors++;
      seen.errorKinds = kindsWith(this.#errorKinds, kind);
      this.severity[row] = ERROR;
    } else if (isWarning(weight, flags)) {
      seen.warnings++;
      seen.warningKinds = kindsWith(this.#warningKinds, kind);
      this.severity[row] = WARNING;
    }
  }

  /** What the rows above pass on, block by block. */
  #passOn(row: number, verdict: number, size: number, isBlank: boolean): void {
    const indent = this.#table.indent[row] as number;
    const isInner = !isBlank && ((this.#judge.flags[verdict] as number) & Look.inner) !== 0;
    const by = this.#forwardBy;
    const step = isBlank
      ? by.blank
      : isInner || indent > this.#carryIndent
        ? by.inside
        : this.#afterEnd
          ? by.afterEnd
          : this.#inSection
            ? by.inSection
            : by.else;
    this.#carry *= step * fade(size);
    const own = this.own[row] as number;
    if (own >= this.#carry && own > 0) {
      this.#carry = own;
      this.#carryIndent = indent;
      this.#inSection = ((this.flags[row] as number) & CueFlag.opens) !== 0;
      this.#afterEnd = ((this.flags[row] as number) & CueFlag.ends) !== 0;
      return;
    }
    const given = isBlank ? this.#carry : this.#taken(row, verdict, this.#carry);
    if (given > (this.context[row] as number)) this.context[row] = given;
    // What stands below a diagnostic belongs to it, and not to the one before.
    if (this.#isDiagnostic(row)) this.#carry = own;
  }

  /** What a row takes of what its neighbours pass on: less if it is known noise, or was there. */
  #taken(row: number, verdict: number, score: number): number {
    const isBlank = ((this.#table.flags[row] as number) & BLANK) !== 0;
    const factor = isBlank ? 1 : (this.#judge.factor[verdict] as number);
    const known = this.#options.isNew === undefined || this.isNew[row] === 1 ? 1 : NEW.known;
    return (score * factor * known) / (this.#repeated(row, verdict) + this.#sameKind(row));
  }

  /** By how much a neighbour counts less that looks like rows before it. */
  #repeated(row: number, verdict: number): number {
    if (((this.#table.flags[row] as number) & BLANK) !== 0) return 1;
    // Places in a source are told apart by their numbers.
    if (((this.#judge.flags[verdict] as number) & Look.bareLocation) !== 0) return 1;
    return 1 + REPEATED_NEIGHBOUR * Math.max(this.again[row] as number, this.#table.before[row] as number);
  }

  #sameKind(row: number): number {
    return SAME_KIND * Math.max(0, (this.inGroup[row] as number) - FREE_OF_KIND);
  }

  /** A repeated message is told apart by the row above it that it belongs to. */
  #liftParent(row: number, weight: number): void {
    const { indent, flags } = this.#table;
    let score = weight / (1 + REPEATED_NEIGHBOUR * (this.again[row] as number));
    for (let above = row - 1; above >= 0 && above > row - 1 - PARENT_LINES; above--) {
      const isBlank = ((flags[above] as number) & BLANK) !== 0;
      if (!isBlank && (indent[above] as number) < (indent[row] as number)) {
        if (score > (this.context[above] as number)) this.context[above] = score;
        return;
      }
      score *= isBlank ? 0.8 : 0.9;
    }
  }

  /** The code below a diagnostic is indented, numbered or in a frame; blank rows are part of it. */
  #noteFrame(row: number, first = 0): void {
    if (this.#isDiagnostic(row)) this.#frameRow = row;
    else if (!(first <= SPACE || (first >= 0x30 && first <= 0x39) || first === 0x7c)) this.#frameRow = -1;
    else if (this.#frameRow >= 0) this.frameOf[row] = this.#frameRow + 1;
  }

  /** Whether a row says where something is wrong, and surely that it is. */
  #isDiagnostic(row: number): boolean {
    return (this.weight[row] as number) >= STRONG && this.#groups.has(row);
  }

  #noteResult(row: number): void {
    const text = this.#table.textOf(row);
    if (CHANGED.test(text)) {
      // In the history of a repository there is one for each commit.
      if (row === 0 || !COMMIT.test(this.#table.textOf(row - 1))) return;
      this.results.push(row - 1);
    }
    this.results.push(row);
    // The first four and the last four.
    if (this.results.length > 8) this.results.splice(4, 1);
  }

  /** Which cues, and how the row begins: 14 signs, numbers alike. */
  #signatureOf(row: number): number {
    const { bytes, from, to, stamp, ending } = this.#table;
    let hash = (this.#judge.cueHash[this.#table.shape[row] as number] as number) | 0;
    let last = SPACE;
    const end = (to[row] as number) - (ending[row] as number);
    for (let at = (from[row] as number) + (stamp[row] as number), n = 0; at < end && n < 14; at++) {
      const byte = asZero(bytes[at] as number);
      if (byte === last && (byte === 48 || byte === SPACE)) continue;
      hash = (Math.imul(hash, 31) + byte) | 0;
      last = byte;
      n++;
    }
    return hash;
  }

  /** How a long row ends: who says it differs, what is said does not. */
  #endingOf(row: number): number {
    const { bytes, to, ending } = this.#table;
    const end = (to[row] as number) - (ending[row] as number);
    let hash = 7;
    let last = 0;
    for (let at = end - ENDING.chars; at < end; at++) {
      const byte = asZero(bytes[at] as number);
      if (byte === 48 && last === 48) continue;
      hash = (Math.imul(hash, 31) + byte) | 0;
      last = byte;
    }
    return hash;
  }
}

/** What speaks for each row. */
export interface FailureRanks {
  readonly score: Float32Array;
  readonly context: Float32Array;
  readonly pulls: Float32Array;
  readonly tails: Float32Array;
  readonly heads: Float32Array;
}

/** `Found 146 errors in 34 files.`, `Tests:  1 failed, 9 passed`, `failures=3`, `# fail 1`. */
const TOTALS =
  /(?:^[^\w"']{0,20}|[,;:(|=] {0,20}|\b(?:[Ff]ound|with|and|to|were|was|Tests|Files|Suites) {1,20})[1-9][\d,]{0,12} (?:(?:previous|fatal|compile) )?(?:errors?|problems?|failures?|failed|failing|warnings?|issues?|Error\(s\)|Warning\(s\))(?![\w:])|\b(?:[Ff]ailures|[Ee]rrors|[Ff]ailed)[:=] ?[1-9]\d{0,12}\b|^\W{0,20}fail [1-9]\d{0,12}$/;

/** `[main 7238eaa] Add the report`, above the files that changed. */
const COMMIT = /^\[[\w./-]+(?: \(root-commit\))? [0-9a-f]{7,40}\] \S/;
const CHANGED = /^ \d+ files? changed, /;

function rankColumns(rows: number): FailureRanks {
  const column = () => new Float32Array(rows);
  return { score: column(), context: column(), pulls: column(), tails: column(), heads: column() };
}

/** Signals add up: a row with a cue near a bad end beats one that stands alone. */
function priority(context: number, tail: number, head: number, pull: number, size: number): number {
  const best = Math.max(context, tail, head, pull);
  return (best + FURTHER * (context + tail + head + pull - best)) / (1 + PER_CHAR * size);
}

function fade(chars: number): number {
  return chars < fades.length ? (fades[chars] as number) : Math.exp(-chars / FADE_CHARS);
}

function asZero(byte: number): number {
  return byte >= 48 && byte <= 57 ? 48 : byte;
}

function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

/** How often a key was counted before; of very many keys the oldest are forgotten. */
function countIn(counts: Map<number, number>, key: number): number {
  const before = counts.get(key) ?? 0;
  if (counts.size >= MOST_KNOWN) counts.clear();
  counts.set(key, before + 1);
  return before;
}

/** How many kinds there are with this one. */
function kindsWith(kinds: Set<number>, kind: number): number {
  if (kinds.size < MOST_KNOWN) kinds.add(kind);
  return kinds.size;
}
