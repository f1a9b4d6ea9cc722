/**
 * What is shown of a text whose shape is known: tiers of pieces, the most needed first. A piece is a
 * row, a run of rows, or a line of ours that stands for rows. Consecutive rows are shown as text;
 * others become lines below the marker of their gap, with line numbers, unless they are whole.
 * Units: chars as rendered; shares are parts of the room.
 */
import type { Detected } from './content.ts';
import type { Policy } from './policy.ts';
import type { OmittedThings } from './selection.ts';
import type { TableRows } from './table-rows.ts';

/** Rows `row` … `to`; `text` is said of them, in place of the first that is not shown. */
export interface PlanPiece {
  /** The first row. */
  readonly row: number;
  /** The last row; without it the piece is one row. */
  readonly to?: number;
  /** A line of ours that says what the rows hold. */
  readonly text?: string;
  /** All of its rows or none, as they stand. */
  readonly isWhole?: true;
}

/** Pieces that share a room. They are taken in order, those that do not fit are passed over. */
export interface PlanTier {
  /** The most needed first. */
  readonly pieces: readonly PlanPiece[];
  /** Share of what is enough, or with `over` of the room. Without it: all that is left. */
  readonly share?: number;
  /** Whether it may take more than what is enough. */
  readonly over?: true;
  /** Stops at the first piece that does not fit, and so do later tiers of this kind. */
  readonly inOrder?: true;
}

/** First and last row. */
export type RowRun = readonly [first: number, last: number];

/** What is shown of a text. Room that it leaves stays empty. */
export interface Plan {
  /** The name under which a decision for it is reported. */
  readonly strategy: 'element' | 'reading' | 'smart_summary';
  /** Ends the sentence `… because`. */
  readonly why: string;
  /** What is shown, the most needed first. */
  readonly tiers: readonly PlanTier[];
  /** Whether error words in it are quoted and report no failure. */
  readonly isQuoted: boolean;
  /** Fills the room that is left by new names: by what the worth of a row counts; 0: never shown. */
  readonly rest?: (row: number) => number;
  /** Runs that are shown with a row, all or none: the record that it lies in, the heading above. */
  readonly with?: (row: number) => readonly RowRun[];
  /**
   * What lies between two rows that are shown (-1 and the number of rows: the ends); undefined where
   * it is simply lines.
   */
  readonly label?: (above: number, below: number) => OmittedThings | undefined;
}

/** What a plan may use beside the text. */
export interface PlanFacts {
  /** What the text was recognised as. */
  readonly detected: Detected;
  /** The settings that apply. */
  readonly policy: Policy;
  /** The words of the command that printed the text; empty if it is not known. */
  readonly words: readonly string[];
  /** The file that was read; empty if it is not known. */
  readonly path: string;
  /** Whether the text is the content of a file that the call reads. */
  readonly isFile: boolean;
  /** Whether a command printed it. */
  readonly isCommand: boolean;
  /** Whether it is the result of a search. */
  readonly isSearch: boolean;
  /** About the chars that are enough: lists are made to fit. */
  readonly enough: number;
  /** Whether the exit code is 0. */
  readonly endedWell: boolean;
  /** Whether the exit code is 0, or no line tells of an error where it is not known. */
  readonly wentWell: () => boolean;
  /** Lines look printed by a program at work, or report errors. */
  readonly isLog: () => boolean;
  /** Rows that stand out by their shape, the rarest first. */
  readonly unusual: () => readonly number[];
}

/** The rows of a text, read by plans. */
export interface PlanRows {
  /** The columns. */
  readonly table: TableRows;
  /** How many rows there are. */
  readonly count: number;
  /** Without trailing white space, at most 1,200 bytes; empty for the inside of a long line. */
  text(row: number): string;
  /** Columns of white space and tree lines; a tab counts four. */
  indent(row: number): number;
  /** Rows that are not blank. */
  filled(): number[];
  /** The share of rows that pass, of a sample of rows that are not blank. */
  share(test: (text: string) => boolean): number;
}
