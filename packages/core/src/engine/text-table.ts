/**
 * A text part on its way into a table: pieces are cleaned and scanned into rows, samples of the text
 * are told apart as it streams by, and once the table is full the rows that are worth least are
 * dropped. Rows of a document that its format reads are made when somebody asks for them. Memory is
 * bounded by the table, whatever the size of the part. Units: bytes.
 */
import { SAMPLE_BYTES } from '../model/content.ts';
import type { Piece } from '../model/piece.ts';
import { EmbeddedJson } from '../strategies/failures/embedded.ts';
import { type Evidence, FailureScores } from '../strategies/failures/failure-scores.ts';
import { worthOfRows } from '../strategies/reading.ts';
import { Sections } from '../strategies/sections.ts';
import { unusualRows } from '../strategies/unusual.ts';
import { LineScan } from '../table/line-scan.ts';
import { LineTable } from '../table/line-table.ts';
import type { LineUnits } from '../table/line-units.ts';
import { type CleanBytes, Cleaner } from '../text/cleaner.ts';
import type { Query } from '../text/query.ts';
import { LineJudge } from '../vocabulary/judge.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';

/** The table is pruned when it holds so much. */
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_ROWS = 40_000;
/** Rows that are units of a format take more memory. */
const MOST_UNIT_ROWS = 20_000;
const MOST_ELISIONS = 200_000;
/** What is kept of the middle then, in budgets: by score, and by the names that rows bring. */
const SCORED_BUDGETS = 6;
const NAMED_BUDGETS = 4;
/** The same for the units of a format, of each tier. */
const UNIT_BUDGETS = 1;
/** Where samples begin behind the first: here, then each time twice as far. */
const SECOND_SAMPLE_AT = 16_384;
/** A shorter end of the text is no sample. */
const LEAST_SAMPLE = 2_048;

export interface TextTableOptions {
  readonly vocabulary: Vocabulary;
  /** The chars that may be shown. */
  readonly budget: number;
  /** About how many bytes will come. */
  readonly bytes: number;
  /** Whether formatting is left out. */
  readonly cleans: boolean;
  /** Whether a line was not there when the same call ended well, where that is known. */
  readonly isNew: () => ((line: Uint8Array) => boolean) | undefined;
  readonly query: () => Query;
  /** Told of each sample, in order; `whole`: it is all there is. Its bytes may change later. */
  readonly onSample: (sample: Uint8Array, position: 'whole' | 'first' | 'later') => void;
  /** Whether the text may have to be read, so that names count when rows are dropped. */
  readonly mayBeRead: () => boolean;
  /** Which lines count, as far as that is known. */
  readonly evidence: () => readonly Evidence[];
  /** The units of a format that is read line by line, once it is known. */
  readonly units: () => LineUnits | null;
  /** Whether a format reads the text as a document, so that rows may not be needed. */
  readonly isDocument: () => boolean;
  /** Takes all cleaned bytes, in order. */
  readonly onClean: (bytes: Uint8Array) => void;
}

export class TextTable {
  readonly #table: LineTable;
  readonly judge: LineJudge;
  readonly sections: Sections;
  readonly embedded: EmbeddedJson;
  readonly #options: TextTableOptions;
  readonly #scan: LineScan;
  readonly #cleaner: Cleaner | null;
  readonly #scores = new Map<Evidence, FailureScores>();
  /** Clean bytes that are in no row yet. */
  #waiting: CleanBytes[] = [];
  /** Clean bytes so far, those of them that were scanned, and where the next sample begins. */
  #bytes = 0;
  #scanned = 0;
  #sampleAt = 0;
  #sampledTo = 0;
  #unusual: readonly number[] | undefined;
  /** What rows are worth when some are dropped: used again. */
  #worth = new Float32Array(0);
  #isFinished = false;

  constructor(options: TextTableOptions) {
    const { vocabulary, budget } = options;
    this.#options = options;
    this.#table = new LineTable(vocabulary.automaton.words, options.bytes);
    this.judge = new LineJudge(this.#table, vocabulary);
    this.sections = new Sections(this.#table);
    this.#scan = new LineScan(this.#table, vocabulary.automaton);
    this.#cleaner = options.cleans ? new Cleaner((clean) => this.#take(clean)) : null;
    this.embedded = new EmbeddedJson(this.#table, budget, (row) => this.#ownScore(row));
  }

  /** The rows of all that came so far. */
  get table(): LineTable {
    this.makeRows();
    return this.#table;
  }

  get isFormatted(): boolean {
    return this.#table.isFormatted || this.#waiting.some(({ elisions }) => elisions.length > 0);
  }

  push(piece: Piece): void {
    if (this.#cleaner !== null) this.#cleaner.push(piece);
    else this.#take({ bytes: piece.bytes, wellFormed: piece.illFormed === 0, elisions: [] });
  }

  /** Nothing follows. */
  finish(): void {
    this.#cleaner?.finish();
    this.#isFinished = true;
    if (this.#sampleAt === 0 && this.#bytes > 0) this.#giveFirst('whole');
    if (!this.#options.isDocument()) this.makeRows();
  }

  /** Lines so far, and those of them that had formatting. */
  get counted(): { readonly lines: number; readonly controlled: number } {
    return this.#cleaner?.counted ?? { lines: 0, controlled: 0 };
  }

  /** The scores of the rows by one kind of evidence. */
  scores(evidence: Evidence): FailureScores {
    this.makeRows();
    return this.#scoresOf(evidence);
  }

  #scoresOf(evidence: Evidence): FailureScores {
    let scores = this.#scores.get(evidence);
    if (scores === undefined) {
      const budget = Math.max(1, this.#options.budget);
      scores = new FailureScores(this.#table, this.judge, { budget, evidence, isNew: this.#options.isNew() });
      this.#scores.set(evidence, scores);
    }
    scores.update();
    return scores;
  }

  /** The rows that stand out by their shape, the rarest first. Asked when nothing follows. */
  get unusual(): readonly number[] {
    this.#unusual ??= unusualRows(this.table);
    return this.#unusual;
  }

  #take(clean: CleanBytes): void {
    this.#waiting.push(clean);
    this.#bytes += clean.bytes.length;
    this.#options.onClean(clean.bytes);
    if (this.#bytes < SAMPLE_BYTES) return;
    if (this.#sampleAt === 0) this.#giveFirst('first');
    if (this.#bytes - this.#scanned > MOST_BYTES || !this.#options.isDocument()) this.makeRows();
  }

  #giveFirst(position: 'whole' | 'first'): void {
    const bytes = this.#waiting.map((clean) => clean.bytes);
    this.#sampledTo = Math.min(this.#bytes, SAMPLE_BYTES);
    if (position === 'first') this.#sampleAt = SECOND_SAMPLE_AT;
    this.#options.onSample(Buffer.concat(bytes, this.#sampledTo), position);
  }

  /** Scans what waits into rows. */
  makeRows(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const clean of waiting) {
      this.#scan.push(clean);
      this.#scanned += clean.bytes.length;
      while (this.#sampleAt > 0 && this.#scanned >= this.#sampleAt + SAMPLE_BYTES) this.#giveSample();
      const { length, rows, elisions } = this.#table;
      if (this.#options.budget === Number.POSITIVE_INFINITY) continue;
      const mostRows = this.#options.units() === null ? MOST_ROWS : MOST_UNIT_ROWS;
      if (length > MOST_BYTES || rows > mostRows || elisions > MOST_ELISIONS) this.#prune();
    }
    if (!this.#isFinished) return;
    this.#scan.finish();
    const unseen = Math.min(SAMPLE_BYTES, this.#bytes - this.#sampledTo);
    if (unseen >= LEAST_SAMPLE) this.#options.onSample(fromLine(this.#tail(unseen)), 'later');
    this.#sampledTo = this.#bytes;
  }

  #giveSample(): void {
    const sample = this.#tail(this.#scanned - this.#sampleAt).subarray(0, SAMPLE_BYTES);
    this.#sampledTo = this.#sampleAt + SAMPLE_BYTES;
    this.#sampleAt *= 2;
    this.#options.onSample(fromLine(sample), 'later');
  }

  /** The last clean bytes. */
  #tail(bytes: number): Uint8Array {
    const { length } = this.#table;
    return this.#table.bytes.subarray(Math.max(0, length - bytes), length);
  }

  /** What a row says by itself: asked of data in it. */
  #ownScore(row: number): number {
    const [scores] = this.#scores.values();
    return scores?.own[row] ?? 0;
  }

  /** Drops the rows that are worth least; both ends stay. */
  #prune(): void {
    const table = this.#table;
    const { budget } = this.#options;
    const evidence = this.#options.evidence();
    const all = evidence.map((each) => this.#scoresOf(each));
    this.sections.update();
    this.embedded.update();
    const isKept = new Uint8Array(table.rows);
    this.#keepEnds(isKept);
    if (this.#worth.length < table.rows) this.#worth = new Float32Array(table.rows * 2);
    const worth = this.#worth.fill(0);
    for (const scores of all) {
      const { score } = scores.ranks('head');
      for (let row = 0; row < table.rows; row++)
        worth[row] = Math.max(worth[row] as number, score[row] as number);
      for (const row of scores.results) isKept[row] = 1;
    }
    for (const row of unusualRows(table)) worth[row] = Math.max(worth[row] as number, UNUSUAL_WORTH);
    for (const row of this.sections.headings) isKept[row] = 1;
    for (const { start, end } of this.embedded.blocks)
      for (
        let row = table.rowAtStored(start.bytes);
        row < table.rows && (table.end[row] as number) <= end.bytes;
        row++
      )
        isKept[row] = 1;
    keepBest(table, isKept, worth, SCORED_BUDGETS * budget, LEAST_SCORE);
    if (this.#options.mayBeRead())
      keepBest(table, isKept, worthOfRows(table, this.#options.query()), NAMED_BUDGETS * budget);
    const units = this.#options.units();
    for (const worths of units?.worths() ?? []) keepBest(table, isKept, worths, UNIT_BUDGETS * budget);
    units?.keepOnly(isKept);
    for (const scores of all) scores.keepOnly(isKept);
    this.sections.keepOnly(isKept);
    this.embedded.keepOnly(isKept);
    this.#scan.keepOnly(isKept);
    this.judge.reset();
  }

  #keepEnds(isKept: Uint8Array): void {
    const table = this.#table;
    const reach = this.#options.budget * 3 + 256;
    for (
      let row = 0, bytes = 0;
      row < table.rows && bytes <= reach && (row === 0 || table.isNext(row - 1));
      row++
    ) {
      isKept[row] = 1;
      bytes += (table.to[row] as number) - (table.from[row] as number);
    }
    for (let row = table.rows - 1, bytes = 0; row >= 0 && bytes <= reach; row--) {
      isKept[row] = 1;
      bytes += (table.to[row] as number) - (table.from[row] as number);
    }
  }
}

/** Rows with a lower score are dropped however much room there is. */
const LEAST_SCORE = 0.3;
/** What a row counts that stands out, when rows are dropped. */
const UNUSUAL_WORTH = 6;

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
