/**
 * The lines of a text as a strategy sees them: typed columns, one row a line; a long line is several
 * rows. Of a very long text rows may be missing in the middle: places are absolute, so gaps can
 * still be measured. Units: chars are UTF-16 units of the text as shown, breaks are line ends.
 */

/** White space only. */
export const BLANK = 1;
/** Its line goes on in the next row. */
export const OPEN = 2;
/** It goes on with a line that began in an earlier row. */
export const CONTINUED = 4;
/** Holds bytes beyond ASCII. */
export const HIGH = 8;
/** Holds a letter or a digit. */
export const WORD = 16;
/** Says what the rows above say, word for word, for the fourth time or more. */
export const AGAIN = 32;
/** Holds control characters that were not left out. */
export const CONTROL = 64;
/** Begins with the time stamp of a CI runner. */
export const OF_RUNNER = 128;

/** The bits of `flags`, by name. */
export const RowFlag = {
  blank: BLANK,
  open: OPEN,
  continued: CONTINUED,
  beyondAscii: HIGH,
  word: WORD,
  again: AGAIN,
  control: CONTROL,
  ofRunner: OF_RUNNER,
} as const;

/** What a strategy may ask of a text. */
export interface TableRows {
  /** How many rows there are. */
  readonly rows: number;
  /** Chars of the row as shown, line end included. */
  readonly chars: Uint32Array;
  /** Chars of the text before the row. */
  readonly at: Float64Array;
  /** Chars of the text up to the end of the row. */
  readonly after: Float64Array;
  /** Line ends before the row. */
  readonly breaks: Uint32Array;
  /** Line ends up to the end of the row. */
  readonly breaksAfter: Uint32Array;
  /** Bits of `RowFlag`. */
  readonly flags: Uint8Array;
  /** Rows that differ in numbers only have the same shape; 0 is that of blank rows. */
  readonly shape: Uint32Array;
  /** How many rows of the same shape came before. */
  readonly before: Uint32Array;
  /** Blanks before the text of the row. */
  readonly indent: Uint8Array;
  /** The first byte behind them; 0 for a blank row. */
  readonly first: Uint8Array;
  /** Chars of the time stamp that the row begins with. */
  readonly stamp: Uint8Array;
  /** The text of a row without time stamp and line end, at most 600 chars. */
  textOf(row: number): string;
  /** The number of the line that a row lies in, from 1. */
  lineOf(row: number): number;
  /** Whether the next row follows without a hole. */
  isNext(row: number): boolean;
}
