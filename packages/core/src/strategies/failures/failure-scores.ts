/**
 * How much each row tells about a failure. A row has its own score: the weight of its cues, less if
 * similar rows came before. It passes part of it to rows below and above, further inside a block; a
 * step that ended badly raises the rows before it; both ends count by themselves. Scores are
 * columns beside the table, computed once per row. Units: chars, without time stamps.
 */
import { tableOf } from '../../table/columns.ts';
import { AGAIN, BLANK, CONTINUED, type LineTable } from '../../table/line-table.ts';
import type { LineJudge } from '../../vocabulary/judge.ts';
import { isError, isWarning, Look, STRONG, SURE_WEIGHT } from '../../vocabulary/verdict.ts';
import { CueFlag } from '../../vocabulary/vocabulary.ts';
import { type DiagnosticGroup, Diagnostics, isListed } from './diagnostics.ts';
import { LeadIn } from './lead-in.ts';

/**
 * Which lines count. `any`: all cues, in what programs print. `sure`: sure reports of a failure, in
 * other text. `supported`: all, once there is a sure one.
 */
export type Evidence = 'any' | 'sure' | 'supported';

/** Scores below this are 0. */
const LEAST = 0.3;
const FORWARD = { blank: 0.92, inside: 0.99, afterEnd: 0.6, inSection: 0.965, else: 0.93 };
const BACKWARD = { blank: 0.85, else: 0.88 };
/** In text about something else, sure lines pass little on, and only to what belongs to them. */
const FORWARD_SURE = { blank: 0.5, inside: 0.9, afterEnd: 0.4, inSection: 0.5, else: 0.4 };
const BACKWARD_SURE = { blank: 0.4, else: 0.4 };
const FADE_CHARS = 3_000;
const fades = new Float32Array(512).map((_, chars) => Math.exp(-chars / FADE_CHARS));
/** The weight of further signals, and the cost of length. */
const FURTHER = 0.5;
const PER_CHAR = 0.001;
/** Repetition by template, by beginning, by kind of diagnostic, and as a neighbour. */
const REPEATED = 0.35;
const ALIKE = 0.05;
const SAME_KIND = 0.5;
const FREE_OF_KIND = 2;
const REPEATED_NEIGHBOUR = 0.1;
/** A run of similar lines counts as one, up to this many lines and this share of the budget. */
const RUN = { counts: 0.3, lines: 8, budget: 0.2 };
const NOT_FIRST = 0.6;
/**
 * Lines of this weight that open a block name what failed; names may take this share of the budget.
 */
const NAMED = { weight: 7, budget: 0.4 };
/** For lines that are new since the baseline. */
const NEW = { adds: 3, factor: 1.2, known: 0.3 };
/** Two lines of 84 chars or more that share their last 60 count as repeats. */
const ENDING = { lineChars: 84, chars: 60 };
const PARENT_LINES = 6;
/** Hiding so few chars costs more than showing them. */
const LIFTED = { chars: 32, factor: 0.95 };
const BAD_END = 4;
const LAST = 4;
const AFTER_BAD_END = 0.4;
/** Reach of a bad end, of the end and of the beginning, in budgets. */
const NEAR = 0.25;
const HEAD_REACH = 0.03;
const MOST_KNOWN = 20_000;
/** This many message fields make a report. */
const REPORT = 3;
const SPACE = 0x20;
const FIRST_ROWS = 512;

export interface Seen {
  errors: number;
  errorKinds: number;
  warnings: number;
  warningKinds: number;
  strongest: number;
  /** Message fields: of a report rather than of a log. */
  reports: number;
  /** The end of the text said that all went well. */
  passed: boolean;
  /** Lines that surely report a failure, or are labelled a warning. */
  sure: number;
  /** The tool prints its own totals. */
  totals: boolean;
}

export const ERROR = 1;
export const WARNING = 2;

export interface ScoreOptions {
  readonly budget: number;
  readonly evidence: Evidence;
  /** Compared with the baseline. */
  readonly isNew: ((shape: number) => boolean) | undefined;
}

const Columns = tableOf({
  /** Chars up to the end of a row, including dropped rows, without stamps. */
  offset: Float64Array,
  weight: Float32Array,
  flags: Uint16Array,
  own: Float32Array,
  context: Float32Array,
  again: Uint32Array,
  severity: Uint8Array,
  isNew: Uint8Array,
  inGroup: Uint32Array,
  /** The row it belongs to, plus 1; 0 if none. */
  heading: Uint32Array,
  /** The diagnostic whose code it shows, plus 1. */
  frameOf: Uint32Array,
});

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
  /** By row. */
  #groups = new Map<number, DiagnosticGroup>();
  /** Rows that name build results. */
  results: number[] = [];
  #done = 0;
  #carry = 0;
  #carryIndent = 0;
  #inSection = false;
  #afterEnd = false;
  #chars = 0;
  #lastEnd = -1;
  /** Of the last row that is not a repeat. */
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
    this.resize(Math.max(FIRST_ROWS, table.rows));
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

  /** False if the cues found do not amount to a failure. */
  get hasErrors(): boolean {
    return this.seen.strongest >= STRONG || this.seen.reports >= REPORT;
  }

  get rows(): number {
    return this.#done;
  }

  /** Whether an error row would be one in any text. */
  get hasSureErrors(): boolean {
    for (let row = 0; row < this.#done; row++)
      if (this.severity[row] === ERROR && this.#judge.isSure(row)) return true;
    return false;
  }

  /** By code. */
  get codes(): ReadonlyMap<string, number> {
    return this.#diagnostics.codes;
  }

  isDiagnostic(row: number): boolean {
    return this.#groups.has(row);
  }

  isWarning(row: number): boolean {
    return this.severity[row] === WARNING;
  }

  isNamed(row: number): boolean {
    const isOpening = ((this.flags[row] as number) & CueFlag.opens) !== 0;
    return isOpening && (this.weight[row] as number) >= NAMED.weight;
  }

  headingOf(row: number): number {
    return (this.heading[row] as number) - 1;
  }

  update(): void {
    const table = this.#table;
    if (this.#done < table.rows) this.#ranks = undefined;
    if (table.rows > this.capacity) this.resize(Math.max(table.rows, this.capacity * 2));
    for (; this.#done < table.rows; this.#done++) this.#take(this.#done);
  }

  /** The table dropped them, too. */
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

  /** May be asked before the text is complete. */
  ranks(ends: 'both' | 'head' = 'both'): FailureRanks {
    if (ends === 'head') return this.#rank(ends);
    this.#ranks ??= this.#rank(ends);
    return this.#ranks;
  }

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
        // A caret belongs to the diagnostic above it.
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
        // Position adds nothing to known noise.
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
      // A row shorter than a marker goes with its neighbours.
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
    // Repeats count each time.
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
    const isNew = known !== undefined && !isBlank && known(this.#table.shapeHash(row));
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

  /** As far as the evidence counts them. */
  #weigh(row: number, verdict: number, isCued: boolean): void {
    const { evidence } = this.#options;
    const weight = isCued ? (this.#judge.weight[verdict] as number) : 0;
    const flags = this.#judge.flags[verdict] as number;
    this.weight[row] = weight;
    this.flags[row] = flags;
    // Counts have digits.
    if (isCued && !this.seen.totals && this.#table.before[row] === 0 && this.#table.digits[row] !== 0) {
      const text = this.#table.textOf(row);
      this.seen.totals = COUNT.test(text) && TOTALS.test(text);
    }
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
    // The first of a kind counts as new.
    if (this.#groups.has(row) && this.inGroup[row] === 0) return score;
    // Failed tests differ by their numbers, too.
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

  /** By similarity. */
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

  /** Block by block. */
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
    // Rows below a diagnostic belong to it, not to the one before.
    if (this.#isDiagnostic(row)) this.#carry = own;
  }

  /** Less for known noise and for lines of the baseline. */
  #taken(row: number, verdict: number, score: number): number {
    const isBlank = ((this.#table.flags[row] as number) & BLANK) !== 0;
    const factor = isBlank ? 1 : (this.#judge.factor[verdict] as number);
    const known = this.#options.isNew === undefined || this.isNew[row] === 1 ? 1 : NEW.known;
    return (score * factor * known) / (this.#repeated(row, verdict) + this.#sameKind(row));
  }

  /** The discount for similar rows before it. */
  #repeated(row: number, verdict: number): number {
    if (((this.#table.flags[row] as number) & BLANK) !== 0) return 1;
    // Places in a source differ by their numbers.
    if (((this.#judge.flags[verdict] as number) & Look.bareLocation) !== 0) return 1;
    return 1 + REPEATED_NEIGHBOUR * Math.max(this.again[row] as number, this.#table.before[row] as number);
  }

  #sameKind(row: number): number {
    return SAME_KIND * Math.max(0, (this.inGroup[row] as number) - FREE_OF_KIND);
  }

  /** A repeated message is distinguished by the row above it. */
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

  /** Code below a diagnostic is indented, numbered or framed, with blank rows. */
  #noteFrame(row: number, first = 0): void {
    if (this.#isDiagnostic(row)) this.#frameRow = row;
    else if (!(first <= SPACE || (first >= 0x30 && first <= 0x39) || first === 0x7c)) this.#frameRow = -1;
    else if (this.#frameRow >= 0) this.frameOf[row] = this.#frameRow + 1;
  }

  /** A place and a sure error. */
  #isDiagnostic(row: number): boolean {
    return (this.weight[row] as number) >= STRONG && this.#groups.has(row);
  }

  #noteResult(row: number): void {
    const text = this.#table.textOf(row);
    if (CHANGED.test(text)) {
      // Commits in a history would each count.
      if (row === 0 || !COMMIT.test(this.#table.textOf(row - 1))) return;
      this.results.push(row - 1);
    }
    this.results.push(row);
    if (this.results.length > 8) this.results.splice(4, 1);
  }

  /** Cues and the first 14 signs, numbers folded. */
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

  /** Long rows often differ at the start and say the same at the end. */
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

export interface FailureRanks {
  readonly score: Float32Array;
  readonly context: Float32Array;
  readonly pulls: Float32Array;
  readonly tails: Float32Array;
  readonly heads: Float32Array;
}

/** `Found 146 errors in 34 files.`, `Tests:  1 failed, 9 passed`, `failures=3`, `# fail 1`. */
const TOTALS =
  /(?:^[^\w"']{0,20}|[,;:(|=] {0,20}|\b(?:[Ff]ound|with|and|to|were|was|Tests|Files|Suites) {1,20})[1-9][\d,]{0,12} (?:(?:previous|fatal|compile|tests?) )?(?:errors?|problems?|failures?|failed|failing|warnings?|issues?|Error\(s\)|Warning\(s\))(?![\w:])|\b(?:[Ff]ailures|[Ee]rrors|[Ff]ailed)[:=] ?[1-9]\d{0,12}\b|^\W{0,20}fail [1-9]\d{0,12}$/;

/** What every total has, and few other rows: quicker to look for. */
const COUNT =
  /[\d,] (?:(?:previous|fatal|compile) )?(?:error|problem|fail|warning|issue|Error|Warning)|(?:rrors|ailures|ailed)[:=]|fail \d/;

/** `[main 7238eaa] Add the report`, above the files that changed. */
const COMMIT = /^\[[\w./-]+(?: \(root-commit\))? [0-9a-f]{7,40}\] \S/;
const CHANGED = /^ \d+ files? changed, /;

function rankColumns(rows: number): FailureRanks {
  const column = () => new Float32Array(rows);
  return { score: column(), context: column(), pulls: column(), tails: column(), heads: column() };
}

/** Signals add up: a cue near a bad end beats either alone. */
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

/** Of very many keys the oldest are dropped. */
function countIn(counts: Map<number, number>, key: number): number {
  const before = counts.get(key) ?? 0;
  if (counts.size >= MOST_KNOWN) counts.clear();
  counts.set(key, before + 1);
  return before;
}

function kindsWith(kinds: Set<number>, kind: number): number {
  if (kinds.size < MOST_KNOWN) kinds.add(kind);
  return kinds.size;
}
