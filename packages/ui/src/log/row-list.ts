/**
 * The rows of a log, as runs: lines of one height, and gaps with another. A run of a million lines
 * is one entry, so any row is found from its position, its line or its number by a binary search.
 * Heights are px, rows count from 0, lines from 1.
 */

/** Parts with very long lines have rows of so many chars, here and on the server. */
export const ROW_CHARS = 200;

export function rowOfChar(char: number): number {
  return Math.ceil(char / ROW_CHARS);
}

export interface Gap {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly chars: number;
  readonly bytes: number;
  /** In rows of chars: where exactly it begins. */
  readonly firstChar?: number | undefined;
}

/** How lines look: `kept` was shown to the model, `out` left out, `plain` is neither. */
export type LineState = 'kept' | 'out' | 'plain';

export type Run =
  | {
      readonly kind: 'lines';
      readonly firstLine: number;
      readonly lastLine: number;
      readonly state: LineState;
    }
  /** The row of a gap, folded or not. */
  | { readonly kind: 'gap'; readonly gap: Gap; readonly isOpen: boolean }
  /** Stands for the lines of an open gap that are not shown yet. */
  | { readonly kind: 'more'; readonly gap: Gap; readonly firstLine: number };

export type Row =
  | { readonly kind: 'line'; readonly line: number; readonly state: LineState }
  | Extract<Run, { kind: 'gap' | 'more' }>;

export interface Heights {
  readonly line: number;
  readonly gap: number;
}

interface Placed {
  readonly run: Run;
  readonly row: number;
  readonly top: number;
  readonly rows: number;
}

export class RowList {
  readonly count: number;
  readonly height: number;
  readonly heights: Heights;
  readonly #placed: readonly Placed[];

  constructor(runs: readonly Run[], heights: Heights) {
    this.heights = heights;
    let row = 0;
    let top = 0;
    this.#placed = runs.map((run) => {
      const rows = run.kind === 'lines' ? run.lastLine - run.firstLine + 1 : 1;
      const placed = { run, row, top, rows };
      row += rows;
      top += rows * this.#heightOf(run);
      return placed;
    });
    this.count = row;
    this.height = top;
  }

  /** The row that covers a position, the last one below the end. */
  rowAt(y: number): number {
    const placed = this.#last(({ top }) => top <= y);
    if (!placed) return 0;
    const within = Math.floor((y - placed.top) / this.#heightOf(placed.run));
    return placed.row + Math.max(0, Math.min(placed.rows - 1, within));
  }

  topOf(row: number): number {
    const placed = this.#placedOf(row);
    return placed ? placed.top + (row - placed.row) * this.#heightOf(placed.run) : 0;
  }

  heightOf(row: number): number {
    const placed = this.#placedOf(row);
    return placed ? this.#heightOf(placed.run) : 0;
  }

  at(row: number): Row | undefined {
    const placed = this.#placedOf(row);
    if (!placed || row >= this.count || row < 0) return undefined;
    const { run } = placed;
    if (run.kind !== 'lines') return run;
    return { kind: 'line', line: run.firstLine + row - placed.row, state: run.state };
  }

  /** The row of a line; for one in a folded gap, the row of the gap. */
  rowOfLine(line: number): number {
    const placed = this.#last(({ run }) => firstLineOf(run) <= line);
    if (!placed) return 0;
    return (
      placed.row + (placed.run.kind === 'lines' ? Math.min(placed.rows - 1, line - placed.run.firstLine) : 0)
    );
  }

  /** The line at a row, or the first line of its gap. */
  lineOf(row: number): number {
    const found = this.at(row);
    if (!found) return 1;
    if (found.kind === 'line') return found.line;
    return found.kind === 'gap' ? found.gap.firstLine : found.firstLine;
  }

  /** Rows of gaps, in order. */
  gapRows(): number[] {
    return this.#placed.filter(({ run }) => run.kind === 'gap').map(({ row }) => row);
  }

  #heightOf(run: Run): number {
    return run.kind === 'gap' ? this.heights.gap : this.heights.line;
  }

  #placedOf(row: number): Placed | undefined {
    return this.#last((placed) => placed.row <= row);
  }

  /** The last run for which `holds`; it holds for all before that one. */
  #last(holds: (placed: Placed) => boolean): Placed | undefined {
    let low = 0;
    let high = this.#placed.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.#placed[middle] as Placed)) low = middle + 1;
      else high = middle;
    }
    return this.#placed[low - 1];
  }
}

function firstLineOf(run: Run): number {
  return run.kind === 'gap' ? run.gap.firstLine : run.firstLine;
}
