/**
 * A text part as a table: pieces are cleaned and scanned into rows, samples decide its kind, and
 * its format reads it beside the table. Rows of a document are made on demand. When the table is
 * full, the least valuable rows are dropped; both ends stay. Memory is bounded by the table. Units:
 * bytes.
 */
import { type CallPurpose, filePrinted, purposeOf } from '../capture/call-purpose.ts';
import { detect } from '../detect/detect.ts';
import { expectedKinds } from '../detect/hints.ts';
import { formatOf } from '../formats/index.ts';
import type { About } from '../model/about.ts';
import { type ContentKind, type Detected, SAMPLE_BYTES } from '../model/content.ts';
import type { Format } from '../model/format.ts';
import type { PartSpec } from '../model/part.ts';
import type { Piece } from '../model/piece.ts';
import type { Policy } from '../model/policy.ts';
import type { FormatReader, Strategy } from '../model/strategy.ts';
import { alikeRuns, isRepetitive, repeatsItself } from '../strategies/alike.ts';
import type { SampleKinds } from '../strategies/decide.ts';
import { END_RULES } from '../strategies/ends.ts';
import { EmbeddedJson } from '../strategies/failures/embedded.ts';
import { type Evidence, FailureScores } from '../strategies/failures/failure-scores.ts';
import { worthOfRows } from '../strategies/reading.ts';
import { Sections } from '../strategies/sections.ts';
import { unusualRows } from '../strategies/unusual.ts';
import { LineScan } from '../table/line-scan.ts';
import { LineTable } from '../table/line-table.ts';
import { type CleanBytes, Cleaner } from '../text/cleaner.ts';
import { lazy } from '../text/memo.ts';
import { Query } from '../text/query.ts';
import { measure } from '../text/utf8.ts';
import { LineJudge } from '../vocabulary/judge.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';

/** The table is pruned at this size. */
const MOST_BYTES = 2 * 1024 * 1024;
/** Of a document so much may wait before rows are made, which matter only if it breaks. */
const MOST_WAITING = 12 * 1024 * 1024;
const MOST_ROWS = 40_000;
const MOST_ELISIONS = 200_000;
/** Kept of the middle when pruned, in budgets: by score, by names, and by the format. */
const SCORED_BUDGETS = 6;
const NAMED_BUDGETS = 4;
const FORMAT_BUDGETS = 1;
/** Rows below this score are always dropped. */
const LEAST_SCORE = 0.3;
/** Worth of a row that stands out, when rows are dropped. */
const UNUSUAL_WORTH = 6;
/** Later samples are shorter; they begin here, then each time twice as far. */
const LATER_SAMPLE_BYTES = 3_072;
const SECOND_SAMPLE_AT = 16_384;
/** A shorter rest is not sampled. */
const LEAST_SAMPLE = 2_048;
/** Fewer binary bytes are shown as they are: a notice would be longer. */
const LEAST_WITHHELD = 1_000;

export interface TextFacts {
  readonly policy: Policy;
  /** A default for all tools, given by a person: it applies to text, and documents stay valid. */
  readonly isDefaultStrategy: boolean;
  readonly spec: PartSpec;
  readonly tool: string;
  readonly input: unknown;
  readonly about?: About | undefined;
  readonly isFile: boolean;
  readonly cleans: boolean;
  readonly reachChars: number;
  readonly vocabulary: () => Vocabulary;
  readonly formats: () => readonly Format[];
  /** A strategy beyond the built-in ones. */
  readonly added: (name: string) => Strategy | undefined;
}

/** Under any strategy. */
export function preserves({ preserveErrors, preserveWarnings, salientShare }: Policy): boolean {
  return (preserveErrors || preserveWarnings) && salientShare > 0;
}

/** Although another strategy is the default. */
export function keepsDocuments({ policy, isDefaultStrategy }: TextFacts): boolean {
  const isOther = policy.strategy !== 'auto' && policy.strategy !== 'none';
  return isDefaultStrategy && policy.contentDetection && isOther;
}

/** Formats whose lines need not stay valid. */
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
  /** Set if a baseline is known: its new lines count more. */
  isNew: ((shape: number) => boolean) | undefined;
  format: Format | undefined;
  detected: Detected | undefined;
  /** Set for a binary part that is not shown. */
  withheld: string | null = null;
  /** Whether the format may plan what is shown. */
  isPlanned = false;
  /** Reads a document beside the table. */
  reader: FormatReader | null = null;
  readonly #facts: TextFacts;
  readonly #scan: LineScan;
  readonly #cleaner: Cleaner | null;
  readonly #scores = new Map<Evidence, FailureScores>();
  #firstScores: FailureScores | undefined;
  readonly #kinds: (() => ContentKind)[] = [];
  readonly #expected;
  readonly #unusual;
  /** Runs of like rows. Asked when nothing follows. */
  readonly alike;
  #waiting: CleanBytes[] = [];
  /** Clean bytes in all, those scanned, and the start of the next sample. */
  #bytes = 0;
  #scanned = 0;
  #sampleAt = 0;
  #sampledTo = 0;
  #worth = new Float32Array(0);
  #isFinished = false;
  #isScanned = false;

  /** `bytes`: the expected size. */
  constructor(facts: TextFacts, bytes: number) {
    const { spec, tool, input, about, formats, policy, reachChars } = facts;
    const vocabulary = facts.vocabulary();
    this.#facts = facts;
    this.#table = new LineTable(vocabulary.automaton.words, bytes);
    this.judge = new LineJudge(this.#table, vocabulary);
    this.sections = new Sections(this.#table);
    this.#scan = new LineScan(this.#table, vocabulary.automaton);
    this.#cleaner = facts.cleans ? new Cleaner((clean) => this.#take(clean)) : null;
    // A row's own score is asked for the data in it.
    this.embedded = new EmbeddedJson(this.#table, reachChars, (row) => this.#firstScores?.own[row] ?? 0);
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
        formats(),
      );
    });
  }

  push(piece: Piece): void {
    if (this.#cleaner !== null) this.#cleaner.push(piece);
    else this.#take({ bytes: piece.bytes, wellFormed: piece.illFormed === 0, elisions: [] });
  }

  finish(): void {
    this.#cleaner?.finish();
    this.#isFinished = true;
    if (this.detected === undefined && this.#bytes > 0) this.#firstSample(true);
    // If the format cannot read it, its rows are shown.
    if (this.reader === null || this.reader.failure !== null) this.#makeRows();
  }

  get table(): LineTable {
    this.#makeRows();
    return this.#table;
  }

  get isFormatted(): boolean {
    return this.#table.isFormatted || this.#waiting.some(({ elisions }) => elisions.length > 0);
  }

  get hasFormatting(): boolean {
    return this.isFormatted || this.#counted.controlled > 0;
  }

  /** Detected on demand. */
  get kinds(): SampleKinds {
    const kinds = this.#kinds;
    return { length: Math.max(1, kinds.length), at: (index) => kinds[index]?.() };
  }

  /** Whether the tool itself printed the error words. */
  get isPrinted(): boolean {
    return this.format === undefined || this.format.errorLines === 'own';
  }

  /** Why the text is not a document of its format; null if it is. */
  get formatFailure(): string | null {
    const failure = this.reader?.failure ?? null;
    // The mapping to the stored text was dropped with the rows.
    const isLost = this.reader !== null && this.isFormatted && this.table.isPruned;
    return failure ?? (isLost ? 'it is coloured, and longer than a table of its lines' : null);
  }

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
      this.#firstScores ??= scores;
    }
    scores.update();
    return scores;
  }

  /** Rarest first. Only for a complete text. */
  get unusual(): readonly number[] {
    return this.#unusual();
  }

  /** Whether most lines say the same, or that something passed. */
  get isRepetitive(): boolean {
    const passed = () => this.alike().filter((run) => run.passed);
    return repeatsItself(this.table) || isRepetitive(this.table, passed());
  }

  hasErrors(evidence: Evidence): boolean {
    const { seen, severity } = this.scores(evidence);
    if (evidence !== 'supported' || seen.errors === 0) return seen.errors > 0;
    return seen.sure > 0 || this.unusual.some((row) => severity[row] === 1);
  }

  /** In quoted text only errors count. */
  hasFindings(evidence: Evidence): boolean {
    if (this.hasErrors(evidence)) return true;
    return evidence !== 'supported' && this.scores(evidence).seen.warnings > 0;
  }

  get #counted(): { readonly lines: number; readonly controlled: number } {
    return this.#cleaner?.counted ?? { lines: 0, controlled: 0 };
  }

  #take(clean: CleanBytes): void {
    this.#waiting.push(clean);
    this.#bytes += clean.bytes.length;
    if (this.detected !== undefined) this.reader?.push(clean.bytes);
    else if (this.#bytes >= SAMPLE_BYTES) this.#firstSample(false);
    else return;
    const most = this.#scanned === 0 ? MOST_WAITING : MOST_BYTES;
    if (this.reader === null || this.#bytes - this.#scanned > most) this.#makeRows();
  }

  #makeRows(): void {
    for (const clean of this.#waiting.splice(0)) {
      this.#scan.push(clean);
      this.#scanned += clean.bytes.length;
      while (this.#sampleAt > 0 && this.#scanned >= this.#sampleAt + LATER_SAMPLE_BYTES) {
        const sample = this.#tail(this.#scanned - this.#sampleAt).subarray(0, LATER_SAMPLE_BYTES);
        this.#sampledTo = this.#sampleAt + LATER_SAMPLE_BYTES;
        this.#sampleAt *= 2;
        this.#laterSample(sample);
      }
      const { length, rows, elisions } = this.#table;
      if (this.#facts.reachChars === Number.POSITIVE_INFINITY) continue;
      if (length > MOST_BYTES || rows > MOST_ROWS || elisions > MOST_ELISIONS) this.#prune();
    }
    if (!this.#isFinished || this.#isScanned) return;
    this.#isScanned = true;
    this.#scan.finish();
    const unseen = Math.min(LATER_SAMPLE_BYTES, this.#bytes - this.#sampledTo);
    if (unseen >= LEAST_SAMPLE) this.#laterSample(this.#tail(unseen));
  }

  #tail(bytes: number): Uint8Array {
    const { length } = this.#table;
    return this.#table.bytes.subarray(Math.max(0, length - bytes), length);
  }

  #firstSample(isWhole: boolean): void {
    this.#sampledTo = Math.min(this.#bytes, SAMPLE_BYTES);
    if (!isWhole) this.#sampleAt = SECOND_SAMPLE_AT;
    const waiting = this.#waiting.map(({ bytes }) => bytes);
    const sample = Buffer.concat(waiting, this.#sampledTo);
    const { policy, reachChars, input, about, isFile, formats, added } = this.#facts;
    const { strategy } = policy;
    const asksDocuments = asksLines(this.#facts) || keepsDocuments(this.#facts);
    const matters =
      strategy !== 'none' &&
      (asksDocuments || strategy === 'auto' || added(strategy) !== undefined || preserves(policy));
    if (!matters) {
      // The kind is not needed.
      this.detected = { kind: 'text' };
      return;
    }
    const detected = this.#detect(sample, isWhole);
    this.#kinds.push(() => detected.kind);
    this.detected = detected;
    this.format = formatOf(detected.kind, formats());
    if (policy.contentDetection) this.withheld = withheldName(this.format, detected, sample);
    const isAsked = this.format?.staysValid === true ? asksDocuments : asksLines(this.#facts);
    if (this.withheld !== null || !isAsked) return;
    this.isPlanned = this.format?.plan !== undefined;
    this.reader = this.format?.keep?.(detected).start(policy, reachChars, { input, about, isFile }) ?? null;
    for (const bytes of waiting) this.reader?.push(bytes);
  }

  /** Copied: the bytes of the table may change. */
  #laterSample(sample: Uint8Array): void {
    if (this.#kinds.length === 0) return;
    const copy = Buffer.from(fromLine(sample));
    this.#kinds.push(lazy(() => this.#detect(copy, false).kind));
  }

  #detect(sample: Uint8Array, complete: boolean): Detected {
    const hints = { complete, seen: this.#counted, expected: this.#expected() };
    return detect(sample, hints, this.#facts.formats());
  }

  #prune(): void {
    const { policy, reachChars } = this.#facts;
    const isKept = new Uint8Array(this.#table.rows);
    keepEnds(this.#table, isKept, reachChars * 3 + 256);
    // A cut by position alone asks for nothing between them.
    if (END_RULES[policy.strategy] === undefined || preserves(policy)) this.#keepJudged(isKept);
    this.#scan.keepOnly(isKept);
    this.judge.reset();
  }

  #keepJudged(isKept: Uint8Array): void {
    const table = this.#table;
    const { reachChars: budget, isFile } = this.#facts;
    const evidence: readonly Evidence[] = this.isPrinted ? ['any'] : ['supported', 'sure'];
    const all = evidence.map((each) => this.#scoresOf(each));
    // Rows of a document matter only if it turns out to be broken.
    const isText = this.reader?.isBroken !== false;
    this.sections.update();
    if (isText) this.embedded.update();
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
    if (
      isFile ||
      this.isPlanned ||
      (isText && this.#kinds.some((kind) => kind() === 'code' || kind() === 'prose'))
    )
      keepBest(table, isKept, worthOfRows(table, this.query()), NAMED_BUDGETS * budget);
    const worthInFormat = this.format?.worth?.(table);
    if (worthInFormat !== undefined) keepBest(table, isKept, worthInFormat, FORMAT_BUDGETS * budget);
    for (const each of [...all, this.sections, this.embedded]) each?.keepOnly(isKept);
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

/** Marks the most valuable rows, up to this many chars. */
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

/** All of it if it has no line start. */
function fromLine(bytes: Uint8Array): Uint8Array {
  for (let at = 1; at < bytes.length; at++)
    if (bytes[at - 1] === 10 || (bytes[at - 1] === 13 && bytes[at] !== 10)) return bytes.subarray(at);
  return bytes;
}

function withheldName(format: Format | undefined, detected: Detected, sample: Uint8Array): string | null {
  if (sample.length < LEAST_WITHHELD) return null;
  const name = format?.withheld?.(detected) ?? null;
  return name !== null && measure(sample).illFormed > 0 ? name : null;
}
