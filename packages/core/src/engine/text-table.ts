/**
 * A text part that is looked at: its pieces are cleaned and scanned into the rows of a table, samples
 * of it say what it is, and its format reads it beside the table. Rows of a document that its format
 * reads are made when somebody asks for them. Once the table is full, the rows that are worth least
 * are dropped; both ends stay. Memory is bounded by the table, whatever the size of the part. Units:
 * bytes.
 */
import { type CallPurpose, purposeOf } from '../capture/call-purpose.ts';
import { filePrinted } from '../capture/file-read.ts';
import { detect } from '../detect/detect.ts';
import { expectedKinds } from '../detect/hints.ts';
import { formatOf } from '../formats/index.ts';
import type { About } from '../model/about.ts';
import { type ContentKind, type Detected, SAMPLE_BYTES } from '../model/content.ts';
import { type Extent, NOTHING, sum } from '../model/extent.ts';
import type { Format } from '../model/format.ts';
import type { PartSpec } from '../model/part.ts';
import type { Piece } from '../model/piece.ts';
import type { Policy } from '../model/policy.ts';
import type { FormatReader, Strategy } from '../model/strategy.ts';
import { alikeRuns, isRepetitive, repeatsItself } from '../strategies/alike.ts';
import type { SampleKinds } from '../strategies/decide.ts';
import { EmbeddedJson } from '../strategies/failures/embedded.ts';
import { type Evidence, FailureScores } from '../strategies/failures/failure-scores.ts';
import { worthOfPaths } from '../strategies/outline/lists.ts';
import { worthOfRows } from '../strategies/reading.ts';
import { Sections } from '../strategies/sections.ts';
import { unusualRows } from '../strategies/unusual.ts';
import { LineScan } from '../table/line-scan.ts';
import { LineTable } from '../table/line-table.ts';
import { LineUnits } from '../table/line-units.ts';
import { type CleanBytes, Cleaner } from '../text/cleaner.ts';
import { lazy } from '../text/memo.ts';
import { Query } from '../text/query.ts';
import { measure } from '../text/utf8.ts';
import { LineJudge } from '../vocabulary/judge.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';

/** The table is pruned when it holds so much; rows that are units of a format take more memory. */
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_ROWS = 40_000;
const MOST_UNIT_ROWS = 20_000;
const MOST_ELISIONS = 200_000;
/** What is kept of the middle then, in budgets: by score, by names, and by units of each tier. */
const SCORED_BUDGETS = 6;
const NAMED_BUDGETS = 4;
const UNIT_BUDGETS = 1;
/** Rows with a lower score are dropped however much room there is. */
const LEAST_SCORE = 0.3;
/** What a row counts that stands out, when rows are dropped. */
const UNUSUAL_WORTH = 6;
/** Where samples begin behind the first: here, then each time twice as far. */
const SECOND_SAMPLE_AT = 16_384;
/** A shorter end of the text is no sample. */
const LEAST_SAMPLE = 2_048;
/** Bytes that are no text are shown as they are where there are fewer: a notice would be longer. */
const LEAST_WITHHELD = 1_000;

/** What is known of a text part and its call when the text begins to arrive. */
export interface TextFacts {
  readonly policy: Policy;
  /** Whether the result is a range that was asked for: it is shown as it is. */
  readonly isRequestedRange: boolean;
  /**
   * Whether the strategy is a default that a person gave for all tools: it decides about text, and
   * documents stay valid.
   */
  readonly isDefaultStrategy: boolean;
  readonly spec: PartSpec;
  readonly tool: string;
  readonly input: unknown;
  readonly about: About | undefined;
  readonly isFile: boolean;
  /** Whether formatting is left out. */
  readonly cleans: boolean;
  /** The chars that may be shown at the most. */
  readonly reachChars: number;
  readonly vocabulary: () => Vocabulary;
  readonly formats: readonly Format[];
  /** A strategy beyond the built-in ones. */
  readonly added: (name: string) => Strategy | undefined;
}

/** Whether lines that tell of errors are kept under any strategy. */
export function preserves({ preserveErrors, preserveWarnings, salientShare }: Policy): boolean {
  return (preserveErrors || preserveWarnings) && salientShare > 0;
}

/** Whether documents stay valid although another strategy is the default. */
export function keepsDocuments({ policy, isDefaultStrategy }: TextFacts): boolean {
  const isOther = policy.strategy !== 'auto' && policy.strategy !== 'none';
  return isDefaultStrategy && policy.contentDetection && isOther;
}

/** Whether a format may decide whose lines need not stay valid. */
export function asksLines({ policy: { strategy, contentDetection } }: TextFacts): boolean {
  return strategy === 'auto' ? contentDetection : strategy === 'element' || strategy === 'smart_summary';
}

export class TextTable {
  readonly #table: LineTable;
  readonly judge: LineJudge;
  readonly sections: Sections;
  readonly embedded: EmbeddedJson;
  readonly purpose: () => CallPurpose;
  readonly query: () => Query;
  /** Lines that were not there when the same call ended well count more, where that is known. */
  isNew: ((line: Uint8Array) => boolean) | undefined;
  format: Format | undefined;
  detected: Detected | undefined;
  /** What the part is, where it is no text and not shown. */
  withheld: string | null = null;
  /** The format at work: rows of the table as its units, or a reader of documents beside it. */
  units: LineUnits | null = null;
  reader: FormatReader | null = null;
  readonly #facts: TextFacts;
  readonly #scan: LineScan;
  readonly #cleaner: Cleaner | null;
  readonly #scores = new Map<Evidence, FailureScores>();
  readonly #kinds: (() => ContentKind)[] = [];
  readonly #expected;
  readonly #unusual;
  /** Runs of like rows. Asked when nothing follows. */
  readonly alike;
  /** Clean bytes that are in no row yet. */
  #waiting: CleanBytes[] = [];
  /** Clean bytes so far, those of them that were scanned, and where the next sample begins. */
  #bytes = 0;
  #scanned = 0;
  #sampleAt = 0;
  #sampledTo = 0;
  /** How much of the text the reader of documents has. */
  #readAt: Extent = NOTHING;
  /** What rows are worth when some are dropped: used again. */
  #worth = new Float32Array(0);
  #isFinished = false;
  #isScanned = false;

  /** `bytes`: about how many will come. */
  constructor(facts: TextFacts, bytes: number) {
    const { spec, tool, input, about, formats, policy, reachChars } = facts;
    const vocabulary = facts.vocabulary();
    this.#facts = facts;
    this.#table = new LineTable(vocabulary.automaton.words, bytes);
    this.judge = new LineJudge(this.#table, vocabulary);
    this.sections = new Sections(this.#table);
    this.#scan = new LineScan(this.#table, vocabulary.automaton);
    this.#cleaner = facts.cleans ? new Cleaner((clean) => this.#take(clean)) : null;
    // What a row says by itself is asked of data in it.
    this.embedded = new EmbeddedJson(this.#table, reachChars, (row) => {
      const [scores] = this.#scores.values();
      return scores?.own[row] ?? 0;
    });
    this.query = lazy(() => new Query(input, about));
    this.purpose = lazy(() => {
      const purpose = purposeOf(tool, input);
      const isStream = spec.name === 'stdout' || spec.name === 'stderr';
      return { ...purpose, isCommand: purpose.isCommand || isStream };
    });
    this.#unusual = lazy(() => unusualRows(this.table));
    this.alike = lazy(() => alikeRuns(this.table));
    this.#expected = lazy(() => {
      const name = spec.name === 'stderr' ? null : filePrinted(tool, input);
      const { mediaType } = spec;
      return expectedKinds(
        {
          ...{ complete: false, tool, input },
          ...(mediaType === undefined ? {} : { mediaType }),
          ...(name === null ? {} : { name }),
          ...(policy.strategy === 'auto' ? { exec: this.purpose().isCommand } : {}),
        },
        formats,
      );
    });
  }

  push(piece: Piece): void {
    if (this.#cleaner !== null) this.#cleaner.push(piece);
    else this.#take({ bytes: piece.bytes, wellFormed: piece.illFormed === 0, elisions: [] });
  }

  /** Nothing follows. */
  finish(): void {
    this.#cleaner?.finish();
    this.#isFinished = true;
    if (this.detected === undefined && this.#bytes > 0) this.#firstSample(true);
    // What its format cannot read is shown by its rows.
    if (this.reader === null || this.reader.failure !== null) this.#makeRows();
  }

  /** The rows of all that came so far. */
  get table(): LineTable {
    this.#makeRows();
    return this.#table;
  }

  /** Whether formatting was left out. */
  get isFormatted(): boolean {
    return this.#table.isFormatted || this.#waiting.some(({ elisions }) => elisions.length > 0);
  }

  /** Whether there was any. */
  get hasFormatting(): boolean {
    return this.isFormatted || this.#counted.controlled > 0;
  }

  /** The kinds of the samples, in order; each is found out when it is first asked for. */
  get kinds(): SampleKinds {
    const kinds = this.#kinds;
    return { length: Math.max(1, kinds.length), at: (index) => kinds[index]?.() };
  }

  /** Whether lines with words for errors are the tool's own. */
  get isPrinted(): boolean {
    return this.format === undefined || this.format.errorLines === 'own';
  }

  /** Whether the format has a grammar that selects, and the text follows it. */
  get hasFormat(): boolean {
    return (this.units !== null || this.reader !== null) && this.formatFailure === null;
  }

  get formatFailure(): string | null {
    const failure = this.units?.failure ?? this.reader?.failure ?? null;
    // The way from the cleaned text back to the stored one went with the rows that were dropped.
    const isLost = this.reader !== null && this.isFormatted && this.#table.isPruned;
    return failure ?? (isLost ? 'it is coloured, and longer than a table of its lines' : null);
  }

  /** The scores of the rows by one kind of evidence. */
  scores(evidence: Evidence): FailureScores {
    this.#makeRows();
    return this.#scoresOf(evidence);
  }

  #scoresOf(evidence: Evidence): FailureScores {
    let scores = this.#scores.get(evidence);
    if (scores === undefined) {
      const budget = Math.max(1, this.#facts.reachChars);
      scores = new FailureScores(this.#table, this.judge, { budget, evidence, isNew: this.isNew });
      this.#scores.set(evidence, scores);
    }
    scores.update();
    return scores;
  }

  /** The rows that stand out by their shape, the rarest first. Asked when nothing follows. */
  get unusual(): readonly number[] {
    return this.#unusual();
  }

  /** Whether most lines say the same, or that something passed. */
  get isRepetitive(): boolean {
    const passed = () => this.alike().filter((run) => run.passed);
    return repeatsItself(this.table) || isRepetitive(this.table, passed());
  }

  /** Whether lines tell of errors. */
  hasErrors(evidence: Evidence): boolean {
    const { seen, severity } = this.scores(evidence);
    if (evidence !== 'supported' || seen.errors === 0) return seen.errors > 0;
    return seen.sure > 0 || this.unusual.some((row) => severity[row] === 1);
  }

  /** Whether lines tell of errors or warn; in text that quotes such lines only errors count. */
  hasFindings(evidence: Evidence): boolean {
    if (this.hasErrors(evidence)) return true;
    return evidence !== 'supported' && this.scores(evidence).seen.warnings > 0;
  }

  /** Lines so far, and those of them that had formatting. */
  get #counted(): { readonly lines: number; readonly controlled: number } {
    return this.#cleaner?.counted ?? { lines: 0, controlled: 0 };
  }

  #take(clean: CleanBytes): void {
    this.#waiting.push(clean);
    this.#bytes += clean.bytes.length;
    if (this.detected !== undefined) this.#give(clean.bytes);
    else if (this.#bytes >= SAMPLE_BYTES) this.#firstSample(false);
    else return;
    if (this.reader === null || this.#bytes - this.#scanned > MOST_BYTES) this.#makeRows();
  }

  /** Scans what waits into rows. */
  #makeRows(): void {
    for (const clean of this.#waiting.splice(0)) {
      this.#scan.push(clean);
      this.#scanned += clean.bytes.length;
      while (this.#sampleAt > 0 && this.#scanned >= this.#sampleAt + SAMPLE_BYTES) {
        const sample = this.#tail(this.#scanned - this.#sampleAt).subarray(0, SAMPLE_BYTES);
        this.#sampledTo = this.#sampleAt + SAMPLE_BYTES;
        this.#sampleAt *= 2;
        this.#laterSample(sample);
      }
      const { length, rows, elisions } = this.#table;
      if (this.#facts.reachChars === Number.POSITIVE_INFINITY) continue;
      const mostRows = this.units === null ? MOST_ROWS : MOST_UNIT_ROWS;
      if (length > MOST_BYTES || rows > mostRows || elisions > MOST_ELISIONS) this.#prune();
    }
    if (!this.#isFinished || this.#isScanned) return;
    this.#isScanned = true;
    this.#scan.finish();
    const unseen = Math.min(SAMPLE_BYTES, this.#bytes - this.#sampledTo);
    if (unseen >= LEAST_SAMPLE) this.#laterSample(this.#tail(unseen));
  }

  /** The last clean bytes. */
  #tail(bytes: number): Uint8Array {
    const { length } = this.#table;
    return this.#table.bytes.subarray(Math.max(0, length - bytes), length);
  }

  /** Says which format comes into question. */
  #firstSample(isWhole: boolean): void {
    this.#sampledTo = Math.min(this.#bytes, SAMPLE_BYTES);
    if (!isWhole) this.#sampleAt = SECOND_SAMPLE_AT;
    const waiting = this.#waiting.map(({ bytes }) => bytes);
    const sample = Buffer.concat(waiting, this.#sampledTo);
    const { policy, reachChars, input, about, isFile, isRequestedRange, formats, added } = this.#facts;
    const { strategy } = policy;
    const asksDocuments = asksLines(this.#facts) || keepsDocuments(this.#facts);
    const matters =
      strategy !== 'none' &&
      (asksDocuments || strategy === 'auto' || added(strategy) !== undefined || preserves(policy));
    if (!matters) {
      // Nobody asks what it is.
      this.detected = { kind: 'text' };
      return;
    }
    const detected = this.#detect(sample, isWhole);
    this.#kinds.push(() => detected.kind);
    this.detected = detected;
    this.format = formatOf(detected.kind, formats);
    if (policy.contentDetection && !isRequestedRange)
      this.withheld = withheldName(this.format, detected, sample);
    const isAsked = this.format?.staysValid === true ? asksDocuments : asksLines(this.#facts);
    if (this.withheld !== null || !isAsked) return;
    const lines = this.format?.lines?.bind(this.format);
    if (lines !== undefined) {
      const relevance = (texts: readonly Uint8Array[]) => this.query().relevance(texts);
      this.units = new LineUnits(this.#table, lines, { detected, policy, reachChars, relevance });
    } else
      this.reader = this.format?.keep?.(detected).start(policy, reachChars, { input, about, isFile }) ?? null;
    for (const bytes of waiting) this.#give(bytes);
  }

  /** Settles what the text is. The bytes of the table may change before somebody asks. */
  #laterSample(sample: Uint8Array): void {
    if (this.#kinds.length === 0) return;
    const copy = Buffer.from(fromLine(sample));
    this.#kinds.push(lazy(() => this.#detect(copy, false).kind));
  }

  #detect(sample: Uint8Array, complete: boolean): Detected {
    const hints = { complete, seen: this.#counted, expected: this.#expected() };
    return detect(sample, hints, this.#facts.formats);
  }

  /** Gives cleaned bytes to the reader of documents, if there is one. */
  #give(bytes: Uint8Array): void {
    if (this.reader === null) return;
    const { illFormed, ...extent } = measure(bytes);
    this.reader.push({ bytes, start: this.#readAt, extent, illFormed } as Piece);
    this.#readAt = sum(this.#readAt, extent);
  }

  #prune(): void {
    const { units } = this;
    const table = this.#table;
    const { reachChars: budget, isFile } = this.#facts;
    const evidence: readonly Evidence[] = this.isPrinted ? ['any'] : ['supported', 'sure'];
    const all = evidence.map((each) => this.#scoresOf(each));
    // Rows of a document matter only if it turns out to be broken.
    const isText = this.reader?.isBroken !== false;
    this.sections.update();
    if (isText) this.embedded.update();
    const isKept = new Uint8Array(table.rows);
    keepEnds(table, isKept, budget * 3 + 256);
    if (this.#worth.length < table.rows) this.#worth = new Float32Array(table.rows * 2);
    const worth = this.#worth.fill(0);
    for (const scores of all) {
      const { score } = scores.ranks('head');
      for (let row = 0; row < table.rows; row++)
        worth[row] = Math.max(worth[row] as number, score[row] as number);
      for (const row of scores.results) isKept[row] = 1;
    }
    for (const row of isText ? unusualRows(table) : [])
      worth[row] = Math.max(worth[row] as number, UNUSUAL_WORTH);
    for (const row of this.sections.headings) isKept[row] = 1;
    for (const { start, end } of this.embedded.blocks)
      for (
        let row = table.rowAtStored(start.bytes);
        row < table.rows && (table.end[row] as number) <= end.bytes;
        row++
      )
        isKept[row] = 1;
    keepBest(table, isKept, worth, SCORED_BUDGETS * budget, LEAST_SCORE);
    if (isFile || (isText && this.#kinds.some((kind) => kind() === 'code' || kind() === 'prose')))
      keepBest(table, isKept, worthOfRows(table, this.query()), NAMED_BUDGETS * budget);
    if (this.detected?.kind === 'listing') keepBest(table, isKept, worthOfPaths(table), budget);
    for (const worths of units?.worths() ?? []) keepBest(table, isKept, worths, UNIT_BUDGETS * budget);
    for (const each of [units, ...all, this.sections, this.embedded, this.#scan]) each?.keepOnly(isKept);
    this.judge.reset();
  }
}

function keepEnds(table: LineTable, isKept: Uint8Array, reach: number): void {
  const size = (row: number) => (table.to[row] as number) - (table.from[row] as number);
  let bytes = 0;
  for (let row = 0; row < table.rows && bytes <= reach && (row === 0 || table.isNext(row - 1)); row++) {
    isKept[row] = 1;
    bytes += size(row);
  }
  bytes = 0;
  for (let row = table.rows - 1; row >= 0 && bytes <= reach; row--) {
    isKept[row] = 1;
    bytes += size(row);
  }
}

/** Marks the rows that are worth most, as many as so many chars hold. */
function keepBest(table: LineTable, isKept: Uint8Array, worth: Float32Array, chars: number, least = 0): void {
  const rows: number[] = [];
  for (let row = 0; row < table.rows; row++)
    if (isKept[row] === 0 && (worth[row] as number) > least) rows.push(row);
  rows.sort((a, b) => (worth[b] as number) - (worth[a] as number) || a - b);
  let left = chars;
  for (const row of rows) {
    left -= table.chars[row] as number;
    if (left < 0) return;
    isKept[row] = 1;
  }
}

/** From the first line start on; all of it if there is none. */
function fromLine(bytes: Uint8Array): Uint8Array {
  for (let at = 1; at < bytes.length; at++)
    if (bytes[at - 1] === 10 || (bytes[at - 1] === 13 && bytes[at] !== 10)) return bytes.subarray(at);
  return bytes;
}

/** What a part is that is not shown; null if it is. */
function withheldName(format: Format | undefined, detected: Detected, sample: Uint8Array): string | null {
  if (sample.length < LEAST_WITHHELD) return null;
  const name = format?.withheld?.(detected) ?? null;
  return name !== null && measure(sample).illFormed > 0 ? name : null;
}
