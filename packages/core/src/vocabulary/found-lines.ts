/**
 * The lines of a part that tell of an error or a warning, as data: for people who look at the whole
 * output. A line is judged by itself, as strategies judge it before they look at its surroundings.
 */
import type { Piece } from '../model/piece.ts';
import { LineScan } from '../table/line-scan.ts';
import { LineTable } from '../table/line-table.ts';
import type { CleanBytes } from '../text/cleaner.ts';
import { LineJudge } from './judge.ts';
import { isError, isWarning, Look } from './verdict.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Lines of one kind. */
export interface FoundLines {
  total: number;
  /** Numbers of the first of them. */
  readonly lines: number[];
}

const MOST_LINES = 20_000;

/** Scans pieces and hands out every row once; rows are not kept. */
export class RowStream {
  readonly table: LineTable;
  readonly judge: LineJudge;
  readonly #scan: LineScan;
  readonly #sink: (row: number) => void;

  constructor(vocabulary: Vocabulary, sink: (row: number, stream: RowStream) => void) {
    this.table = new LineTable(vocabulary.automaton.words);
    this.judge = new LineJudge(this.table, vocabulary);
    this.#scan = new LineScan(this.table, vocabulary.automaton);
    this.#sink = (row) => sink(row, this);
  }

  push({ bytes, illFormed }: Piece): void {
    this.take({ bytes, wellFormed: illFormed === 0, elisions: [] });
  }

  take(clean: CleanBytes): void {
    this.#scan.push(clean);
    this.#giveAll();
  }

  finish(): void {
    this.#scan.finish();
    this.#giveAll();
  }

  #giveAll(): void {
    for (let row = 0; row < this.table.rows; row++) this.#sink(row);
    this.#scan.keepOnly(new Uint8Array(this.table.rows));
    this.judge.reset();
  }
}

export class LineFindings {
  readonly errors: FoundLines = { total: 0, lines: [] };
  readonly warnings: FoundLines = { total: 0, lines: [] };
  readonly #stream: RowStream;
  readonly #isShown: (line: number) => boolean;
  readonly shown = { errors: 0, warnings: 0 };

  /**
   * `isShown`: whether the model was shown a line. `evidence`: `sure` in text that no program
   * printed.
   */
  constructor(vocabulary: Vocabulary, evidence: 'any' | 'sure', isShown: (line: number) => boolean) {
    this.#isShown = isShown;
    this.#stream = new RowStream(vocabulary, (row, { table, judge }) => {
      if (!judge.isCued(row)) return;
      const verdict = judge.of(row, true);
      const weight = judge.weight[verdict] as number;
      const flags = judge.flags[verdict] as number;
      const line = table.lineOf(row);
      if ((flags & Look.warns) !== 0) this.#note('warnings', line);
      else if (weight > 0 && ((evidence === 'any' && isError(weight, flags)) || judge.isSure(row)))
        this.#note('errors', line);
      else if (evidence === 'any' && isWarning(weight, flags)) this.#note('warnings', line);
    });
  }

  push(piece: Piece): void {
    this.#stream.push(piece);
  }

  finish(): void {
    this.#stream.finish();
  }

  #note(kind: 'errors' | 'warnings', line: number): void {
    const found = this[kind];
    // A long line is looked at in segments.
    if (found.lines.at(-1) === line) return;
    found.total++;
    if (this.#isShown(line)) this.shown[kind]++;
    if (found.lines.length < MOST_LINES) found.lines.push(line);
  }
}
