/** A place in a stored part that was looked for. Lines and columns count from 1. */
export interface FoundLine {
  readonly line: number;
  /** Where the match begins; of a pattern the first one in the line. */
  readonly column: number;
  /** Chars of the match; 0 where the pattern engine does not tell. */
  readonly length: number;
}
